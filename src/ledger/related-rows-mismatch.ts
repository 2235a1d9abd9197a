import { outlets } from '../gate/reach.ts'
import type { VerificationRow } from '../db/queries/ledger/verification-rows.ts'
import { type Json, canonical } from '../gate/canonical.ts'
import { payloadDigest } from './digest.ts'
import { debitMismatch, mandateMismatch } from './mandate-mismatch.ts'
import { type AboutRows, lapsedAfter } from './consents/member-ends.ts'
import { type TimedEntry, msOf } from './recorded-columns.ts'

/**
 * Where an action's consent requests, deliveries, provider call, claim, grant or mandate differ from its ledger entries; null if they agree. Pure.
 */
export function relatedRowsMismatch(
  row: VerificationRow,
  entries: TimedEntry[],
  { suspensions, lapses, endedMandates }: AboutRows,
): string | null {
  return (
    approvalMismatch(row, entries, lapses) ??
    glassMismatch(row, entries) ??
    requestMismatch(row) ??
    deliveryMismatch(row) ??
    broadcastMismatch(row) ??
    callMismatch(row, entries) ??
    claimMismatch(row, entries) ??
    executorMismatch(row) ??
    grantMismatch(row, entries, suspensions) ??
    mandateMismatch(row, entries, endedMandates.get(row.id)) ??
    debitMismatch(row)
  )
}

/** Each consent and approval has its entry, and each entry its row. */
function approvalMismatch(
  row: VerificationRow,
  entries: TimedEntry[],
  lapses: AboutRows['lapses'],
): string | null {
  const { approvals } = row
  const told = entries.filter(({ kind }) => kind === 'approved')
  const made = approvals ?? []
  const isTold = made.every(([member, digest, strength, channel, card, at, of, isEnded], n) => {
    const entry = told[n]
    const { data = {} as TimedEntry['data'] } = entry ?? {}
    return (
      entry?.actor === member &&
      data['digest'] === digest &&
      data['strength'] === strength &&
      data['channel'] === channel &&
      (data['card'] ?? null) === card &&
      (data['for'] ?? null) === of &&
      Date.parse(entry.at) === msOf(at) &&
      isEnded === lapsedAfter(lapses, row, { member, at: msOf(at) })
    )
  })
  return isTold && made.length === told.length ? null : 'its approvals do not match the ledger'
}

/** A break-glass and its review have their entries, and each entry its row. */
function glassMismatch({ glass, salt }: VerificationRow, entries: TimedEntry[]): string | null {
  const broken = entries.find(({ kind }) => kind === 'glass_broken')
  const reviewed = entries.find(({ kind }) => kind === 'glass_reviewed')
  const told = broken && {
    member: broken.actor,
    digest: broken.data['digest'],
    channel: broken.data['channel'],
    card: broken.data['card'],
    passkey: broken.data['passkey'],
    due: Date.parse(String(broken.data['review_due_at'])),
    at: Date.parse(broken.at),
    is_justified: reviewed?.data['is_justified'] ?? null,
    reviewed_by: reviewed?.actor ?? null,
    reviewed_at: reviewed ? Date.parse(reviewed.at) : null,
  }
  const made = glass && {
    ...glass,
    due: msOf(glass.due),
    at: msOf(glass.at),
    reviewed_at: glass.reviewed_at === null ? null : msOf(glass.reviewed_at),
  }
  const { reason = null, note = null, ...kept } = made ?? {}
  const isTold =
    isSame(made ? kept : null, told ?? null) &&
    [
      [reason, broken?.data['reason_digest']],
      [note, reviewed?.data['note_digest']],
    ].every(
      ([words, digest]) => words === null || salt === null || payloadDigest(salt, words as string) === digest,
    )
  return isTold ? null : 'its break-glass does not match the ledger'
}

const isSame = (one: unknown, other: unknown): boolean => canonical(one as Json) === canonical(other as Json)

function requestMismatch({ requests, asked_at, asked_required, asked_via }: VerificationRow): string | null {
  if (requests.made !== requests.told) {
    return `it has ${requests.made} consent requests, but its ledger entries record ${requests.told}`
  }
  if (requests.untold > 0) return 'one of its consent requests does not match the ledger'
  if (asked_at === null && asked_via === null && asked_required === null) return null
  return requests.is_asked_told
    ? null
    : `no ledger entry records a request for ${asked_required ?? 'any'} consent by ${asked_via ?? 'any channel'} at that time`
}

const settledStates = ['ok', 'failed', 'unknown', 'unreachable']

/** Deliveries that were settled when the step was recorded must not change. Others may have been recorded later. */
function deliveryMismatch({ steps }: VerificationRow): string | null {
  for (const { step, told, made } of steps) {
    const isWhole = sum(told) === sum(made)
    const isKept = settledStates.every((state) => (made[state] ?? 0) >= (told[state] ?? 0))
    if (!isWhole || !isKept) return `its deliveries of step ${step} do not match the ledger`
  }
  return null
}

/** Every delivery that the result counts must exist. */
function broadcastMismatch({ kind, status, result, deliveries }: VerificationRow): string | null {
  if (kind !== 'broadcast' || status !== 'executed') return null
  for (const channel of outlets) {
    const made = deliveries[channel] ?? {}
    const isThere = (made['ok'] ?? 0) >= countOf(result?.[channel])
    const isWhole =
      sum(made) >=
      countOf(result?.[channel]) +
        countOf(part(result?.['failed'], channel)) +
        countOf(part(result?.['unknown'], channel))
    if (!isThere || !isWhole) return `it has fewer deliveries by ${channel} than its result says`
  }
  return null
}

/** The recorded answer of the provider must match the result. */
function callMismatch({ kind, status, result, call }: VerificationRow, entries: TimedEntry[]): string | null {
  const isEnded =
    entries.some(({ kind }) => kind === 'executed') || (status === 'cancelled' && result !== null)
  if (!isEnded || result === null) return null
  const providerId = result['provider_id']
  if (call === null) {
    return providerId === undefined ? null : 'its result names a provider call, but no call is recorded'
  }
  // An MCP server gives its answers no id.
  const isWithoutId = kind === 'upstream_tool' && call.state === 'ok' && result['outcome'] === 'done'
  if (isWithoutId) return null
  const isAsRecorded =
    providerId === undefined
      ? call.state === (result['outcome'] === 'unknown' ? 'unknown' : 'not_done') &&
        call.code === (result['code'] ?? null)
      : call.state === 'ok' && call.id === providerId
  return isAsRecorded ? null : 'the outcome of its provider call does not match its result'
}

/** Who claimed an action and what they reported must be as recorded. What was reported may be erased with the payload. */
function claimMismatch({ claim, salt, result }: VerificationRow, entries: TimedEntry[]): string | null {
  const dataOf = (wanted: string) => entries.find((entry) => entry.kind === wanted)?.data
  const [claimed, reported] = [dataOf('action_claimed'), dataOf('outcome_reported')]
  const [lease, outcome] = [claimed?.['lease_expires_at'] ?? null, reported?.['outcome'] ?? null]
  const leaseEnd = claim?.lease_expires_at ?? null
  if ((leaseEnd && new Date(`${leaseEnd}Z`).toISOString()) !== lease)
    return 'its claim does not match the ledger'
  if ((claim?.outcome ?? null) !== outcome) return 'its reported outcome does not match the ledger'
  const digest = reported?.['result_digest'] ?? null
  const stored = claim?.result ?? null
  if (salt !== null && (stored === null ? null : payloadDigest(salt, stored)) !== digest)
    return 'its reported result does not match the ledger'
  if (salt === null && stored !== null)
    return 'its payload is erased in the ledger, but its result is still stored'
  return result === null || (result['reported'] ?? null) === outcome
    ? null
    : 'its reported outcome does not match its result'
}

/** Where the call of an action's executor differs from how the action ended; null if they agree. Pure. */
function executorMismatch({ executor_call: call, result, salt, status }: VerificationRow): string | null {
  if (status === 'proposed' || result === null) return null
  const digest = result['result_digest'] ?? null
  if (call === null) return digest === null ? null : 'its result names an answer, but no call is recorded'
  const stored = call.result ?? null
  if (salt === null)
    return call.has_body || stored !== null
      ? 'its payload is erased in the ledger, but the call of its executor is still stored'
      : null
  if ((stored === null ? null : payloadDigest(salt, stored)) !== digest)
    return 'what its executor answered does not match the ledger'
  const isAsRecorded =
    call.state === stateOf[String(result['outcome'])] &&
    call.code === (result['code'] ?? result['result_left_out'] ?? null)
  return isAsRecorded ? null : 'the outcome of the call of its executor does not match its result'
}

const stateOf: Record<string, string> = { done: 'ok', refused: 'not_done', unknown: 'unknown' }

/** A consent to a tool call is granted by a confirm and used once, both as recorded. */
function grantMismatch(
  { kind, requires_confirmation: asks, grant, result }: VerificationRow,
  entries: TimedEntry[],
  suspensions: readonly number[],
): string | null {
  if (kind !== 'runner_tool' || !asks) return null
  const has = (wanted: string) => entries.some((entry) => entry.kind === wanted)
  if (grant === null) return 'its consent is not stored'
  if (grant.is_granted && !has('confirmed')) return 'its consent is granted, but not in the ledger'
  if (!grant.is_of_its_call) return 'its consent is for another call than its own'
  const until = result?.['usable_until']
  if (until !== undefined && !endsAsTold(grant, Date.parse(String(until)), suspensions))
    return 'the end of its consent does not match the ledger'
  const timeOf = (wanted: string) => Date.parse(entries.find((entry) => entry.kind === wanted)?.at ?? '')
  if (grant.granted_at !== null) {
    const at = msOf(grant.granted_at)
    if (at < timeOf('confirmed') || at > timeOf('executed'))
      return 'the time of its consent does not match the ledger'
  }
  const used = entries.find((entry) => entry.kind === 'grant_used')
  const isUsedThen = (used === undefined) === (grant.spent_at === null)
  const isSoon = !used || !grant.spent_at || Math.abs(msOf(grant.spent_at) - Date.parse(used.at)) <= soonMs
  return isUsedThen && isSoon ? null : 'the use of its consent does not match the ledger'
}

/** A suspension of the account ends a grant that was not used; every other one ends when its execution said. */
function endsAsTold(
  { granted_at: granted, expires_at: expires, spent_at: spent }: NonNullable<VerificationRow['grant']>,
  until: number,
  suspensions: readonly number[],
): boolean {
  if (granted === null || expires === null) return true
  const isOpenAt = (at: number) => at >= msOf(granted) && at < until && (spent === null || msOf(spent) > at)
  const endedAt = suspensions.find(isOpenAt)
  return endedAt === undefined ? msOf(expires) === until : Math.abs(msOf(expires) - endedAt) <= soonMs
}

/** A row is written in the statement before its entry. */
const soonMs = 10_000

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0)
const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
const part = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
