import type { Db } from '../../connect.ts'
import type { LedgerHead } from './ledger.ts'

/** The stored facts of each part of an account's authority: ids, dates, tiers and digests. */
export interface AuthorityFacts {
  member: {
    active: boolean
    tier: string | null
    identity_digest: string
    /** Of whom the directory knows them as; null: it does not manage them. */
    directory: string | null
    /** Whether sign-in links go to the member's own e-mail address. */
    reads_mailbox: boolean
    /** Via, set at, changed at, changed by, confirmed at, confirmed by. */
    identities: [string, string, string | null, string | null, string | null, string | null][]
    /** Curriculum, module, passed at, latest pass at, is revoked. */
    passes: [string, number, string, string, boolean][]
  }
  key: {
    /** The public row of the key; null if it is missing. */
    row:
      | (KeyFacts & {
          name_digest: string
          rotated_from: string | null
          app: string | null
          minted_by: string | null
        })
      | null
    /** The rows that requests are authenticated with. */
    hashes: (KeyFacts & { key_hash: string; family: string })[]
  }
  /** `data`: as in the entry of its connection. */
  app: { data: Record<string, unknown>; granted_by: string; ended: boolean }
  administrator: {
    removed: boolean
    role: string
    managed: boolean
    mailbox_digest: string
    reads_mailbox: boolean
  }
  curriculum: {
    modules: number
    grants: string
    valid_days: number | null
    title_digest: string
    /** null: its modules have no titles. */
    module_titles_digest: string | null
    retired: boolean
  }
  kind: { document: string; digest: string; created_by: string; retired: boolean }
  policy: { document: string; note_digest: string | null; action: number | null }
  conversation: { members: string[] }
  integration: {
    provider: string
    state: string
    action: number | null
    admin: string | null
    is_running: boolean
  }
  upstream: {
    transport: string
    command: string | null
    headers: string[]
    address_digest: string | null
    /** Tools that were reviewed or have a rule. */
    tools: { tool: string; reviewed: string | null; quarantined: boolean; rule: unknown }[]
  }
  passkey: {
    member: string
    /** The administrator that the member was signed in as, too. */
    admin: string | null
    device_bound: boolean
    removed: boolean
    removed_by: string | null
    credential: string
    public_key: string
    name_digest: string
    created_at: string
  }
  /** What the entry `company_sign_in_set` says. */
  company: Record<string, unknown>
  /** What the entry `identity_linked` says. */
  company_identity: Record<string, unknown> & { ended: boolean }
  group: {
    name_digest: string
    of_directory: boolean
    external_digest: string | null
    members: string[]
    /** Times by member. */
    counts_from: Record<string, string>
  }
  /** What the entry `endpoint_set` says. */
  endpoint: Record<string, unknown>
  delegation: {
    from: string
    to: string
    kinds: string[] | null
    until: string
    reason_digest: string | null
    created_at: string
    ended_by: string | null
  }
  account: {
    suspended: boolean
    policy_version: number
    key_limits: string
    name_digest: string
    stripe_changed_at: string | null
    stripe_change: string | null
    /** A connection that its member confirmed is being made: its entry follows. */
    is_connecting: boolean
    /** Counts of tool calls that differ from the calls, or from their entry. */
    miscounted_calls: number
  }
}
export type AuthorityPart = keyof AuthorityFacts

export interface KeyFacts extends Record<string, unknown> {
  revoked: boolean
}

export interface AuthorityRow<Part extends AuthorityPart> {
  id: string
  facts: AuthorityFacts[Part]
}

/** A page of one part of an account's authority after `after`, by id, and the ledger head of the same snapshot. */
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
