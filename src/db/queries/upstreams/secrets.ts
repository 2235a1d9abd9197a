import type { WrappedKey } from '../../../secrets/key-provider.ts'
import type { Db } from '../../connect.ts'

/** The wrapped data key of a server's secrets. */
export interface WrappedUpstreamRow {
  upstream: string
  wrapped_key: Buffer
  kid: string
}

/** The secrets of an account's servers that are wrapped under another key than `kid`. */
export async function listUpstreamSecretsElsewhere(
  db: Db,
  account: string,
  kid: string,
): Promise<WrappedUpstreamRow[]> {
  return db.read<WrappedUpstreamRow>(
    (sql) => sql`
      select s.* from gate.tenant(${account}) t(id),
      lateral (
        select upstream, wrapped_key, kid from gate.upstream_secret
        where account_id = t.id and kid <> ${kid} order by upstream offset 0
      ) s`,
  )
}

/** Stores a rewrapped data key. Returns how many: 0 where another process rewrapped it meanwhile. */
export async function storeRewrappedUpstream(
  db: Db,
  r: WrappedKey & { account: string; upstream: string; oldKid: string },
): Promise<number> {
  const rows = await db.run<{ rewrapped: number }>(
    (sql) => sql`
      select gate.rewrap_upstream_secret(
        p_account => ${r.account}, p_upstream => ${r.upstream}, p_old_kid => ${r.oldKid}, p_kid => ${r.kid},
        p_wrapped_key => ${r.wrappedKey}) as rewrapped`,
  )
  return rows[0]!.rewrapped
}
