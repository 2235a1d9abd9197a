import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { verifyLedger } from '../../src/ledger/verify.ts'
import type { Service } from '../support/supervisor.ts'

/** A write that was answered 2xx: the row it answered with. */
export interface Acknowledged {
  id: number
  status: string
  payload: unknown
  consent?: unknown
}

interface StoredRow {
  id: number
  kind: string
  status: string
  decision: string | null
  consent_strength: string | null
  requires_confirmation: boolean
  payload: { message: string }
  result: Counts | null
  reach_slack: number
  reach_email: number
  reach_unreachable: number
}

interface Counts {
  slack: number
  email: number
  unreachable: number
  failed: { slack: number; email: number }
  unknown: { slack: number; email: number }
}

/**
 * What holds whatever was killed: acknowledged writes are stored, every claim has ended, nothing executed without consent,
 * no message arrived twice and none that was counted is missing, and the chain is whole.
 */
export async function expectInvariants(
  service: Service,
  account: string,
  acknowledged: Acknowledged[] = [],
): Promise<void> {
  const rows = await service.sql<StoredRow>(
    `select id::int, kind, status, decision, consent_strength, requires_confirmation, payload, result, reach_slack, reach_email,
      reach_unreachable from gate.action where account_id = '${account}' order by id`,
  )
  assert.deepEqual(
    rows.map((row) => row.id),
    rows.map((_, index) => index + 1),
  )
  for (const answer of acknowledged) expectStored(rows, answer)
  for (const row of rows)
    assert.notDeepEqual([row.id, row.status, row.decision], [row.id, 'proposed', 'confirm'])
  const left = await service.sql(
    `select action_id from gate_private.open_action where account_id = '${account}' and decided_at is not null and wake = 'confirm'`,
  )
  assert.deepEqual(left, [])
  expectDeliveries(
    service,
    rows.filter((row) => row.kind === 'broadcast'),
  )
  await expectChain(service, account, rows)
  const verdict = await verifyLedger(service.db, account)
  assert.ok(verdict?.ok, JSON.stringify(verdict))
}

/** Every row that was acknowledged is there, and a decision that was answered stands. */
function expectStored(rows: StoredRow[], answer: Acknowledged): void {
  const row = rows[answer.id - 1]
  assert.deepEqual(row?.payload, answer.payload)
  if (answer.status !== 'proposed') assert.deepEqual([row!.id, row!.status], [answer.id, answer.status])
  // A 202: the row is still proposed, and the consent is already there.
  if (answer.consent)
    assert.notDeepEqual([row!.id, row!.consent_strength ?? row!.decision], [answer.id, null])
}

function expectDeliveries(service: Service, rows: StoredRow[]): void {
  const arrived = arrivals(service)
  for (const [what, count] of arrived.each) assert.deepEqual([what, count], [what, 1])
  for (const row of rows.filter((row) => row.requires_confirmation)) {
    const { slack, email } = arrived.of(row.payload.message)
    if (row.status !== 'executed') {
      assert.deepEqual([row.id, slack, email], [row.id, 0, 0])
      continue
    }
    const { result } = row
    assert.deepEqual(
      [row.id, totalOf(result!)],
      [row.id, row.reach_slack + row.reach_email + row.reach_unreachable],
    )
    // Counted as delivered: it arrived. Arrived: it is counted as delivered, or at least not denied.
    assert.ok(slack >= result!.slack, `${row.id}: ${JSON.stringify(result)}`)
    assert.ok(slack <= result!.slack + result!.unknown.slack, `${row.id}: ${JSON.stringify(result)}`)
    assert.ok(email >= result!.email, `${row.id}: ${JSON.stringify(result)}`)
    assert.ok(email <= result!.email + result!.unknown.email, `${row.id}: ${JSON.stringify(result)}`)
  }
}

const totalOf = (r: Counts) =>
  r.slack + r.email + r.unreachable + r.failed.slack + r.failed.email + r.unknown.slack + r.unknown.email

/** What the providers have effectively delivered: how often to each person each text, and to how many of a channel. */
export function arrivals(service: Service) {
  const messages = [
    ...service.provider.slackMessages.map(({ channel, text }) => ({ channel: 'slack', to: channel, text })),
    ...service.provider.emails.map(({ to, text }) => ({ channel: 'email', to, text })),
    ...service.sandbox.messages(),
  ]
  const each = new Map<string, number>()
  for (const { channel, to, text } of messages) {
    const what = `${channel} ${to} ${text}`
    each.set(what, (each.get(what) ?? 0) + 1)
  }
  const count = (channel: string, message: string) =>
    messages.filter((sent) => sent.channel === channel && sent.text.startsWith(message)).length
  return {
    each,
    of: (message: string) => ({ slack: count('slack', message), email: count('email', message) }),
  }
}

/** Computed here and not by the product: SHA-256 over the one before, `account seq at`, a newline and the entry. */
async function expectChain(service: Service, account: string, rows: StoredRow[]): Promise<void> {
  const links = await service.sql<{
    seq: number
    at: string
    kind: string
    action_id: number
    entry: string
    hash: string
  }>(
    `select seq::int, gate_private.iso(at) as at, kind, action_id::int, entry, encode(hash, 'hex') as hash
      from gate.ledger where account_id = '${account}' order by seq`,
  )
  let prev = Buffer.alloc(32)
  const confirmed = new Set<number>()
  for (const [index, link] of links.entries()) {
    const text = `${account} ${index + 1} ${link.at}\n${link.entry}`
    prev = createHash('sha256').update(prev).update(text).digest()
    assert.deepEqual([link.seq, link.hash], [index + 1, prev.toString('hex')])
    if (link.kind === 'confirmed') confirmed.add(link.action_id)
    if (link.kind === 'executed' || link.kind === 'delivered')
      assert.deepEqual([link.seq, confirmed.has(link.action_id)], [link.seq, true])
  }
  for (const row of rows) {
    if (row.status === 'executed' && row.requires_confirmation)
      assert.deepEqual([row.id, confirmed.has(row.id)], [row.id, true])
  }
}
