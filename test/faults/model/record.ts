import type { System } from '../system/system.ts'
import type { Journal } from '../workload/journal.ts'
import { type ReceiptRead, readReceipts } from './receipts.ts'

/** A row as the database has it at the end. */
export interface Row {
  account_id: string
  id: number
  uuid: string
  kind: string
  status: string
  decision: string | null
  closed_reason: string | null
  consent_strength: string | null
  consent_channel: string | null
  requires_confirmation: boolean
  member_id: string | null
  payload: Record<string, unknown>
  digest: string | null
  rationale: string | null
  result: Record<string, any> | null
  reach_slack: number
  reach_email: number
  reach_unreachable: number
  /** What was proposed, where its member changed it. */
  former: { payload: Record<string, unknown>; digest: string } | null
  replaces: number | null
  decline_reason: string | null
  /** What consented in its member's place. */
  mandate_id: number | null
}

/** An entry of a ledger, its text parsed. */
export interface Entry {
  account_id: string
  seq: number
  at: string
  kind: string
  event_id: string
  action_id: number | null
  text: string
  hash: string
  actor: string
  key: string | null
  data: Record<string, any>
}

/** What a call to a payment provider was noted to be. */
export interface Call {
  account_id: string
  action_id: number
  state: string
  key: string
}

/** The stored claim of an action, and its end. */
export interface StoredClaim {
  account_id: string
  action_id: number
  state: string
  outcome: string | null
  result: unknown
}

/** A use of a mandate. */
export interface Debit {
  account_id: string
  mandate_id: number
  n: number
  action_id: number | null
  cents: number | null
  currency: string | null
}

/** All that the database says at the end, and the receipts that were given out. */
export interface Stored {
  rows: Row[]
  entries: Entry[]
  calls: Call[]
  claims: StoredClaim[]
  debits: Debit[]
  receipts: ReceiptRead[]
  /** Policies by account and version. */
  policies: Map<string, any>
  /** Checks of capabilities, by account. */
  checks: Map<string, number>
}

export async function readStored(system: System, journal: Journal): Promise<Stored> {
  const { service } = system
  const rows = await service.sql<Row>(
    `select account_id, id::int, uuid, kind, status, decision, closed_reason, consent_strength, consent_channel,
      requires_confirmation, member_id, payload, digest, rationale, result, reach_slack, reach_email, reach_unreachable,
      former, replaces::int, decline_reason, mandate_id::int
      from gate.action where kind <> 'capability_check' order by account_id, id`,
  )
  const links = await service.sql<Omit<Entry, 'actor' | 'key' | 'data'>>(
    `select account_id, seq::int, gate_private.iso(at) as at, kind, event_id, action_id::int, entry as text,
      encode(hash, 'hex') as hash from gate.ledger order by account_id, seq`,
  )
  const calls = await service.sql<Call>(
    'select account_id, action_id::int, state, key from gate.provider_call',
  )
  const claims = await service.sql<StoredClaim>(
    'select account_id, action_id::int, state, outcome, result from gate.claim',
  )
  const debits = await service.sql<Debit>(
    'select account_id, mandate_id::int, n::int, action_id::int, cents::int, currency from gate.mandate_debit',
  )
  const policies = await service.sql<{ name: string; document: unknown }>(
    `select account_id || ' ' || version as name, document from gate.policy`,
  )
  const checks = await service.sql<{ account: string; checks: number }>(
    `select account_id as account, count(*)::int as checks from gate.action where kind = 'capability_check' group by 1`,
  )
  return {
    rows,
    checks: new Map(checks.map((each) => [each.account, each.checks])),
    entries: links.map((link) => {
      const { actor, key, data } = JSON.parse(link.text) as Pick<Entry, 'actor' | 'key' | 'data'>
      return { ...link, actor, key, data }
    }),
    calls,
    claims,
    debits,
    receipts: await readReceipts(system, journal),
    policies: new Map(policies.map(({ name, document }) => [name, document])),
  }
}

/** Something that must hold and does not. */
export interface Violation {
  rule: string
  what: string
}

/** Collects what does not hold. */
export function court() {
  const violations: Violation[] = []
  return {
    violations,
    /** @param isSo  what must hold; otherwise `what` is a violation of `rule` */
    demand(isSo: boolean, rule: string, what: () => unknown): void {
      if (!isSo) violations.push({ rule, what: textOf(what()) })
    },
  }
}
export type Demand = ReturnType<typeof court>['demand']

const textOf = (what: unknown) => (typeof what === 'string' ? what : JSON.stringify(what)).slice(0, 1_500)
