import type { Db } from '../../connect.ts'
import type { LedgerHead } from './ledger.ts'

/** What each part of an account's authority is, as it is stored: ids, dates, tiers and digests. */
export interface AuthorityFacts {
  member: {
    active: boolean
    tier: string | null
    identity_digest: string
    /** The mailbox that a sign-in link goes to is the member's. */
    reads_mailbox: boolean
    /** Curriculum, module, passed at, latest pass at, is revoked. */
    passes: [string, number, string, string, boolean][]
  }
  key: {
    /** What is shown of the key; null where that row is missing. */
    row: (KeyFacts & { name_digest: string; rotated_from: string | null }) | null
    /** What requests are checked with. */
    hashes: (KeyFacts & { key_hash: string; family: string })[]
  }
  administrator: { removed: boolean; mailbox_digest: string; reads_mailbox: boolean }
  curriculum: { modules: number; grants: string; valid_days: number | null; title_digest: string }
  policy: { document: string }
  conversation: { members: string[] }
  integration: { provider: string; state: string; action: number; is_running: boolean }
  account: { suspended: boolean; policy_version: number }
}
export type AuthorityPart = keyof AuthorityFacts

export interface KeyFacts extends Record<string, unknown> {
  revoked: boolean
}

export interface AuthorityRow<Part extends AuthorityPart> {
  id: string
  facts: AuthorityFacts[Part]
}

/** A page of one part of an account's authority after `after` by id, and the ledger's head of the same snapshot. */
export async function pageAuthority<Part extends AuthorityPart>(
  db: Db,
  account: string,
  part: Part,
  page: { after: string; limitRows: number },
): Promise<{ head: LedgerHead; rows: AuthorityRow<Part>[] }> {
  const rows = await db.read<LedgerHead & AuthorityRow<Part>>(
    (sql) => sql`
      select h.*, a.* from gate.tenant(${account}) t(id),
      lateral (
        select seq, encode(hash, 'hex') as hash, at, action_seq, clock_timestamp() as now,
          (select coalesce(max(l.seq), 0) from gate.ledger l where l.account_id = t.id) as last_seq
        from gate.ledger_head where account_id = t.id offset 0
      ) h
      left join lateral gate.authority_page(
        p_account => t.id, p_part => ${part}, p_after => ${page.after}, p_limit => ${page.limitRows}) a on true`,
  )
  return { head: rows[0]!, rows: rows.filter((row) => row.id !== null) }
}
