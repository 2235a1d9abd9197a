import { createHash } from 'node:crypto'
import type { ExecutorCalled } from '../system/executor.ts'
import type { NotesCall } from '../system/notes-server.ts'
import type { Journal } from '../workload/journal.ts'
import type { Entry, Row, Stored } from './record.ts'

export const account = 'acct_1'
export const uuid = '00000000-0000-4000-8000-000000000001'
export const marker = 'mark-1-end'
export const payload = { payment: 'pi_1', amount_cents: 700, currency: 'usd' }
export const result = { outcome: 'done', provider_id: 're_1' }
const policy = {
  kinds: { refund: { bands: { usd: [{ tier: 'guarded_write', consent: 'agent_attested' }] } } },
}

/** A refund that was proposed, confirmed, executed and read, with a change of its member's tier before. */
export function whole() {
  const row: Row = {
    account_id: account,
    id: 1,
    uuid,
    kind: 'refund',
    status: 'executed',
    decision: 'confirm',
    closed_reason: null,
    consent_strength: 'agent_attested',
    consent_channel: 'api',
    requires_confirmation: true,
    member_id: 'mem_1',
    payload,
    digest: 'd1',
    rationale: marker,
    result,
    reach_slack: 0,
    reach_email: 0,
    reach_unreachable: 0,
    former: null,
    replaces: null,
    decline_reason: null,
    mandate_id: null,
  }
  const confirm = { strength: 'agent_attested', channel: 'api', tier: 'write', policy_version: 2 }
  const entries = [
    entry('tier_set', { member: 'mem_1', tier: 'write' }),
    entry('policy_set', { version: 2 }),
    entry('proposed', {}, 1),
    entry('confirmed', confirm, 1),
    entry('executed', {}, 1),
  ]
  const stored: Stored = {
    rows: [row],
    entries,
    calls: [],
    claims: [],
    debits: [],
    receipts: [],
    policies: new Map([[`${account} 2`, policy]]),
    checks: new Map([[account, 1]]),
  }
  const body = { id: 1, status: 'executed', kind: 'refund', payload, digest: row.digest, result }
  const journal = {
    intents: [
      {
        n: 1,
        account,
        kind: 'refund',
        actor: 'm0@a0.example',
        marker,
        attempts: [
          { outcome: 'unknown', status: 0 },
          { outcome: 'ok', status: 201, body: { ...body, status: 'proposed' } },
        ],
      },
    ],
    decisions: [
      { account, marker, verb: 'confirm', via: 'agent', reply: { outcome: 'ok', status: 200, body } },
    ],
    changes: [
      {
        account,
        eventId: 'event tier_set',
        what: '',
        entry: 'tier_set',
        mayChangeNothing: false,
        outcome: 'ok',
      },
    ],
    tools: [],
    claims: [],
    mandates: [],
    mandateChanges: [],
    delegations: [],
    delegationEnds: [],
    glassBreaks: [],
    passed: [],
    checks: [{ account, outcome: 'ok' }],
    seen: [{ account, id: 1, body }],
  } as unknown as Journal
  const refund = { id: 're_1', amount: payload.amount_cents, metadata: { action_id: uuid } }
  const done = {
    refunds: [refund],
    slack: [] as object[],
    called: [] as ExecutorCalled[],
    deployed: [] as { id: string; version: string }[],
    notes: [] as NotesCall[],
  }
  return { row, entries, stored, journal, done }
}

export function entry(kind: string, data: Record<string, unknown>, action: number | null = null): Entry {
  const given = { actor: 'mem_1', key: null, data, kind }
  return {
    ...given,
    account_id: account,
    seq: 0,
    at: '2026-01-01T00:00:00.000Z',
    event_id: `event ${kind}`,
    action_id: action,
    text: JSON.stringify(given),
    hash: '',
  }
}

/** Numbers and hashes the entries, as the ledger would. */
export function chain(entries: Entry[]): void {
  let prev = Buffer.alloc(32)
  for (const [index, each] of entries.entries()) {
    each.seq = index + 1
    prev = createHash('sha256')
      .update(prev)
      .update(`${account} ${each.seq} ${each.at}\n${each.text}`)
      .digest()
    each.hash ||= prev.toString('hex')
  }
}

export type Case = ReturnType<typeof whole>

/** Something that breaks a rule, in an otherwise correct record. */
export type Spoiled = [rule: string, spoil: (it: Case) => void]

/** The same in a case that was made into another one first. */
export const after = (make: (it: Case) => unknown, cases: Spoiled[]): Spoiled[] =>
  cases.map(([rule, spoil]) => [
    rule,
    (it) => {
      make(it)
      spoil(it)
    },
  ])

/** The row becomes a broadcast that was counted as delivered to one member in Slack. */
export function makeBroadcast({ row, done }: Case, isDelivered: boolean): void {
  const none = { slack: 0, email: 0 }
  const counts = { slack: 1, email: 0, unreachable: 0, failed: none, unknown: none }
  Object.assign(row, { kind: 'broadcast', result: { outcome: 'done', ...counts }, reach_slack: 1 })
  row.payload = { message: `${marker} to everybody.` }
  const metadata = { event_payload: { delivery_id: 'd' } }
  if (isDelivered) done.slack.push({ channel: 'DU1', text: `${marker} to everybody.`, metadata })
}
