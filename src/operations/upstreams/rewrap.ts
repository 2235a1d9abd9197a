import type { Db } from '../../db/connect.ts'
import { listUpstreamSecretsElsewhere, storeRewrappedUpstream } from '../../db/queries/upstreams/secrets.ts'
import type { KeyProvider } from '../../secrets/key-provider.ts'
import { rewrap } from '../../secrets/seal.ts'

/** Encrypts the headers of an account's MCP servers under the first key of the ring. */
export async function rewrapUpstreams(db: Db, keys: KeyProvider, account: string): Promise<RewrappedPage> {
  const done: RewrappedPage = { rewrapped: 0, failures: [] }
  for (const { upstream, kid: oldKid, wrapped_key: wrappedKey } of await listUpstreamSecretsElsewhere(
    db,
    account,
    keys.kid,
  )) {
    try {
      const wrapped = await rewrap(keys, account, { kid: oldKid, wrappedKey })
      done.rewrapped += await storeRewrappedUpstream(db, { account, upstream, oldKid, ...wrapped })
    } catch (error) {
      done.failures.push({ place: `${account} MCP server ${upstream}`, error })
    }
  }
  return done
}

export interface RewrappedPage {
  rewrapped: number
  /** Secrets that could not be decrypted and were not changed: their key is unknown, or they were altered. */
  failures: { place: string; error: unknown }[]
}
