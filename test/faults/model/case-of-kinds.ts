import { createHash } from 'node:crypto'
import { canonical } from '#receipts'
import type { ClaimMade } from '../workload/journal.ts'
import { type Case, account, entry, marker, uuid } from './case.ts'
import type { ReceiptRead } from './receipts.ts'

/** The refund of a case becomes an action of another kind that was executed as well. */
function become(it: Case, kind: string, payload: Record<string, unknown>, said: object): void {
  const { row, journal, done } = it
  const result = { outcome: 'done' }
  Object.assign(row, { kind, payload, result })
  done.refunds = []
  const body = {
    id: 1,
    status: 'executed',
    kind,
    payload,
    digest: row.digest,
    result: { ...result, ...said },
  }
  journal.intents[0]!.kind = kind
  journal.intents[0]!.attempts[1]!.body = { ...body, status: 'proposed' }
  journal.decisions[0]!.reply.body = body
  journal.seen[0]!.body = body
}

/** It was executed by a call of the executor. */
export function makeWebhook(it: Case): void {
  const payload = { version: marker }
  become(it, 'deployment', payload, { result: { deployed: marker } })
  const data = { account, action: 1, uuid, kind: 'deployment', payload, digest: it.row.digest }
  const id = `${uuid}.call`
  it.done.called.push({ id, isSigned: true, body: JSON.stringify(data), data })
  it.done.deployed.push({ id, version: marker })
}

/** It was claimed by an executor, which reported that it is done. */
export function makeClaim(it: Case): ClaimMade {
  const payload = { contract: marker }
  const result = { signed: 1 }
  become(it, 'signing', payload, { result })
  const body = { id: 1, kind: 'signing', payload, status: 'proposed' }
  const ended = { ...it.journal.seen[0]!.body }
  const made: ClaimMade = {
    account,
    id: 1,
    reply: { outcome: 'ok', status: 200, body },
    reports: [{ outcome: 'done', result, reply: { outcome: 'ok', status: 200, body: ended } }],
  }
  it.journal.claims.push(made)
  it.stored.claims.push({ account_id: account, action_id: 1, state: 'reported', outcome: 'done', result })
  it.entries.splice(4, 0, entry('action_claimed', {}, 1))
  return made
}

/** It was a call of a tool, made after its consent. */
export function makeCallOfTool(it: Case): void {
  const payload = { upstream: 'notes', tool: 'add_note', arguments: { text: marker } }
  const content = [{ type: 'text', text: JSON.stringify({ noted: marker }) }]
  become(it, 'upstream_tool', payload, { tool_result: { content } })
  it.done.notes.push({ tool: 'add_note', text: marker })
}

/** Beside it, a call was passed on. */
export function makePassedCall(it: Case): void {
  const text = 'mark-500000-end'
  it.stored.rows.push({
    ...it.row,
    id: 2,
    uuid: uuid.replace('1', '2'),
    kind: 'upstream_tool',
    decision: null,
    requires_confirmation: false,
    consent_strength: null,
    consent_channel: null,
    payload: { upstream: 'notes', tool: 'list_notes', arguments: { text } },
    rationale: null,
    result: { outcome: 'done' },
  })
  it.done.notes.push({ tool: 'list_notes', text })
  const reply = { outcome: 'ok', status: 200, body: { noted: text } } as const
  it.journal.passed.push({ account, tool: 'list_notes', marker: text, reply })
}

/** It was read with its receipt. */
export function makeReceipt(it: Case): ReceiptRead {
  const consent = it.entries.find(({ kind }) => kind === 'confirmed')!
  const { strength, channel, tier, policy_version } = consent.data as Record<string, any>
  const claims = {
    iss: 'http://gate.example',
    sub: 'mem_1',
    account,
    action: 1,
    uuid,
    kind: it.row.kind,
    digest: it.row.digest!,
    payload_sha256: createHash('sha256').update(canonical(it.row.payload)).digest('hex'),
    consent: { strength, channel, by: 'm0@a0.example', at: '2026-01-01T00:00:00.000Z' },
    tier,
    policy_version,
    iat: 0,
    exp: 1,
    jti: consent.event_id,
  }
  const given: ReceiptRead = { account, id: 1, where: 'answer', jws: 'a.b.c', claims }
  it.stored.receipts.push(given)
  it.journal.seen[0]!.isLast = true
  it.journal.seen[0]!.body = { ...it.journal.seen[0]!.body, receipt: 'a.b.c' }
  return given
}
