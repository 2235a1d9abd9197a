import type { AccountMoney } from '../../../gate/money.ts'
import type { Policy } from '../../../gate/policy.ts'
import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'

/**
 * Stores a policy as the version after `base`.
 * @param p.document  JSON text
 * @param p.kinds  the kinds whose rules this version sets, for the ledger entry
 * @param p.note  what the administrator wrote about it
 * @param p.restores  the version whose document is set again
 * @param p.withoutApprovals  of the command line: also where approvers would have to agree
 * @returns the new version; null if `base` is no longer the newest; 0 if the approvers of a rule that it changes must agree
 */
export async function storePolicy(
  db: Db,
  p: AdminWrite & {
    base: number
    document: string
    kinds: string[]
    note?: string | null | undefined
    restores?: number | null | undefined
    withoutApprovals?: boolean | undefined
  },
): Promise<number | null> {
  const rows = await db.once<{ version: number | null }>(
    (sql) => sql`
      select gate.set_policy(
        p_account => ${p.account}, p_session => ${p.session}, p_base => ${p.base}, p_document => ${p.document}::text::json,
        p_kinds => ${p.kinds}, p_note => ${p.note ?? null},
        p_restores => ${p.restores ?? null}, p_event => ${p.eventId},
        p_without_approvals => ${p.withoutApprovals ?? false}
      ) as version`,
  )
  return rows[0]!.version
}

/** A stored version of an account's policy: what it sets over the defaults. */
export interface PolicyVersionRow {
  version: number
  document: Policy
  created_at: Date
  note: string | null
  /** Its ledger entry and `seq`; null if there is none. */
  entry: string | null
  seq: number | null
}

/** Versions of an account's policy below `before`, newest first, up to `limitRows`. Version 1 is not stored. */
export async function pagePolicies(
  db: Db,
  account: string,
  page: { before: number; limitRows: number },
): Promise<PolicyVersionRow[]> {
  return db.read<PolicyVersionRow>(
    (sql) => sql`
      select p.*, e.entry, e.seq
      from gate.tenant(${account}) t(id),
      lateral (
        select version, document, created_at, note from gate.policy
        where account_id = t.id and version < ${page.before}
        order by version desc
        limit ${page.limitRows}
      ) p
      left join lateral (
        select l.entry, l.seq from gate.ledger l
        where l.account_id = t.id and l.kind = 'policy_set'
          and l.entry::json #>> '{data,version}' = p.version::text
        order by l.seq desc
        limit 1
      ) e on true
      order by p.version desc`,
  )
}

/** What an account's policy says about its money; nothing where it has set none. */
export async function readMoney(db: Db, account: string): Promise<AccountMoney> {
  const rows = await db.read<{ money: AccountMoney }>(
    (sql) => sql`
      select p.money from gate.tenant(${account}) t(id),
      lateral (
        select json_build_object('currency', p.document -> 'currency', 'currencies', p.document -> 'currencies') as money
        from gate.policy p where p.account_id = t.id
        order by p.version desc
        limit 1
      ) p`,
  )
  const { currency, currencies } = rows[0]?.money ?? {}
  return { currency: currency ?? undefined, currencies: currencies ?? undefined }
}
