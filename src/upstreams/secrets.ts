import type { UpstreamConnection } from '../db/queries/upstreams/connections.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import { type SealedSecret, open, seal } from '../secrets/seal.ts'
import { UpstreamFault } from './upstream-fault.ts'

/** What is sent with every request to a server and shown to nobody. */
export interface UpstreamSecrets {
  /** The query with its `?`; empty: the address has none. */
  query: string
  headers: [name: string, value: string][]
}

interface Place {
  account: string
  upstream: string
}

/** Encrypts the secrets of a server, bound to its address: they cannot be sent to another one. Null: there are none. */
export async function sealSecrets(
  keys: KeyProvider,
  place: Place & { url: string },
  secrets: UpstreamSecrets,
): Promise<SealedSecret | null> {
  if (secrets.query === '' && secrets.headers.length === 0) return null
  return seal(keys, placeOf(place, place.url), JSON.stringify(secrets))
}

/** @throws UpstreamFault where they cannot be decrypted */
export async function openSecrets(
  keys: KeyProvider | undefined,
  place: Place,
  { url, sealed }: UpstreamConnection,
): Promise<UpstreamSecrets> {
  if (!sealed) return { query: '', headers: [] }
  try {
    if (!keys) throw new Error('SECRETS_KEYS is not set')
    return JSON.parse(await open(keys, placeOf(place, url ?? ''), sealed)) as UpstreamSecrets
  } catch {
    throw new UpstreamFault('its headers cannot be decrypted: check SECRETS_KEYS, or set the headers again', {
      isNotDone: true,
    })
  }
}

const placeOf = ({ account, upstream }: Place, url: string) => ({
  account,
  integration: `upstream ${upstream}`,
  field: url,
})
