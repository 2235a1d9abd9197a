import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import type { PushTarget } from '../db/queries/members/push-devices.ts'
import { checkExecutorUrl } from '../executors/checked-url.ts'
import { CallFailure, type Network, sendGuarded } from '../executors/guarded-request.ts'
import { limits } from '../limits.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import { timeLimit } from '../waiting/time-limit.ts'
import { encryptPush } from './encrypt.ts'
import { type ServiceKey, readServiceKey, vapidHeader } from './service-key.ts'

/** `gone`: the push service no longer knows the device. `failed`: it did not take the message. */
export type PushOutcome = 'delivered' | 'gone' | 'failed'

/** Messages to the browsers of members, through the push services of those browsers. */
export interface Pushes {
  /** The public key that a browser binds its subscription to; undefined where there is none, because nothing can be encrypted. */
  publicKey(): Promise<Buffer | undefined>
  /** Whether the address of a device may be called. Names are resolved when it is, and their addresses checked then. */
  isEndpoint(endpoint: string): boolean
  /** Sends one message. Never throws. @param lastsMs  for how long the push service keeps it for a browser that is away */
  send(account: string, target: PushTarget, push: { message: Buffer; lastsMs: number }): Promise<PushOutcome>
}

export interface PushesOptions {
  db: Db
  /** undefined: nothing can be encrypted. */
  keys: KeyProvider | undefined
  /** What may be called: browsers name the addresses, so nothing that is not public. */
  network: Network
  publicUrl(): string
  log: Pick<Logger, 'error' | 'info'>
}

const lastsMsMax = 86_400_000

export function pushes({ db, keys, network, publicUrl, log }: PushesOptions): Pushes {
  let known: ServiceKey | undefined
  const serviceKey = async (): Promise<ServiceKey | undefined> => {
    if (!keys) return undefined
    return (known ??= await readServiceKey(db, keys))
  }
  return {
    publicKey: async () => (await serviceKey())?.publicKey,
    isEndpoint: (endpoint) => checkExecutorUrl(endpoint, network.allowed) === undefined,
    async send(account, { device_id: device, endpoint, public_key: publicKey, auth }, { message, lastsMs }) {
      const { signal, clear } = timeLimit(limits.pushMs)
      try {
        const key = await serviceKey()
        if (!key) return 'failed'
        const headers = {
          authorization: vapidHeader(key, endpoint, contactOf(publicUrl())),
          'content-encoding': 'aes128gcm',
          'content-type': 'application/octet-stream',
          ttl: String(Math.floor(Math.min(Math.max(lastsMs, 0), lastsMsMax) / 1_000)),
          urgency: 'high',
          // A newer message of this topic takes the place of one that still waits for the browser.
          topic: 'waiting',
        }
        const body = encryptPush({ publicKey, auth }, message)
        const answer = await sendGuarded(
          network,
          { account, url: endpoint, method: 'POST', headers, body },
          signal,
        )
        // The status says all: not a byte of the body is read.
        answer.destroy()
        const outcome = outcomeOf(answer.statusCode!)
        if (outcome !== 'delivered') log.info({ account, device, status: answer.statusCode }, notTaken)
        return outcome
      } catch (error) {
        if (error instanceof CallFailure) log.info({ account, device, code: error.code }, notTaken)
        else log.error({ err: error, account, device }, notTaken)
        return 'failed'
      } finally {
        clear()
      }
    },
  }
}

const notTaken = 'a push was not taken'

/** Pure. @source RFC 8030 §5 and §7.3 */
function outcomeOf(status: number): PushOutcome {
  if (status >= 200 && status <= 299) return 'delivered'
  return status === 404 || status === 410 ? 'gone' : 'failed'
}

/** Push services take https: and mailto: alone. Pure. */
const contactOf = (base: string): string =>
  base.startsWith('https:') ? new URL(base).origin : 'mailto:operator@localhost'
