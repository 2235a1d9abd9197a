import type { Db } from '../db/connect.ts'
import { readLog } from '../db/queries/ledger/sealing.ts'
import { GateError } from '../errors.ts'
import { witnessLines } from './cosigning/witness-policy.ts'
import { epochOrigin } from './epoch.ts'
import { type LogKeys, readLogKeys } from './log-keys.ts'
import { type LogConfig, logPlace } from './log-place.ts'
import { noteKey, vkeyOf } from './note.ts'

/** Where the keys and the witnesses of the log are configured. */
type Configured = LogConfig & Parameters<typeof witnessLines>[0]

export interface ShownKeys {
  keys: { vkey: string; id: string; since: string | null; signs_until: string | null }[]
  /** The trust policy for outside verifiers. */
  policy: string
}

/** The keys that sign seals, and the trust policy that names them and the witnesses. Pure. */
export function shownKeys({ all }: LogKeys, url: string, config: Configured): ShownKeys {
  const keys = all.map(({ publicKey, since, until }) => {
    const key = noteKey(epochOrigin(url), 0x01, publicKey)
    return { vkey: vkeyOf(key), id: key.id.toString('hex'), since, signs_until: until }
  })
  return { keys, policy: [...keys.map(({ vkey }) => `log ${vkey}`), ...witnessLines(config)].join('\n') }
}

/** The trust policy of this gate. @throws GateError `not_found` where this process has no key of the log */
export async function publishedPolicy(db: Db, config: Configured, url: string): Promise<string> {
  const known = readLogKeys(logPlace(config, (await readLog(db)).log))
  if (known) return `${shownKeys(known, url, config).policy}\n`
  throw new GateError(
    'not_found',
    'This process has no key of the log. Ask the operator of the service for what `gate ledger keys` prints.',
  )
}
