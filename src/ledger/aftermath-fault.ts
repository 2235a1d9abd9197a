import type { AccountedRow } from '../db/queries/ledger/ledger.ts'
import type { TimedEntry } from './told-row.ts'

/**
 * What of a row's consent requests, deliveries and provider call its entries do not bear out; null where they agree. Pure.
 */
export function aftermathFault(row: AccountedRow, entries: TimedEntry[]): string | null {
  return requestFault(row) ?? deliveryFault(row) ?? broadcastFault(row) ?? callFault(row, entries)
}

function requestFault({ requests, asked_at, asked_required, asked_via }: AccountedRow): string | null {
  if (requests.made !== requests.told) {
    return `it has ${requests.made} consent requests, its entries record ${requests.told}`
  }
  if (requests.untold > 0) return 'a consent request of it is not the one that was written down'
  if (asked_at === null && asked_via === null && asked_required === null) return null
  return requests.is_asked_told
    ? null
    : `no entry tells that ${asked_required ?? 'a'} consent was asked for by ${asked_via ?? 'any way'} at that time`
}

const settledStates = ['ok', 'failed', 'unknown', 'unreachable']

/** What a step had settled when it was noted stays. What was still under way then may have been recorded later. */
function deliveryFault({ steps }: AccountedRow): string | null {
  for (const { step, told, made } of steps) {
    const isWhole = sum(told) === sum(made)
    const isKept = settledStates.every((state) => (made[state] ?? 0) >= (told[state] ?? 0))
    if (!isWhole || !isKept) return `its deliveries of step ${step} are not those that were written down`
  }
  return null
}

/** Every delivery that a result counts is there. */
function broadcastFault({ kind, status, result, deliveries }: AccountedRow): string | null {
  if (kind !== 'broadcast' || status !== 'executed') return null
  for (const channel of ['slack', 'email'] as const) {
    const made = deliveries[channel] ?? {}
    const isThere = (made['ok'] ?? 0) >= countOf(result?.[channel])
    const isWhole =
      sum(made) >=
      countOf(result?.[channel]) +
        countOf(part(result?.['failed'], channel)) +
        countOf(part(result?.['unknown'], channel))
    if (!isThere || !isWhole) return `its deliveries by ${channel} are fewer than its result says`
  }
  return null
}

/** What a provider answered is what the result says. */
function callFault({ status, result, call }: AccountedRow, entries: TimedEntry[]): string | null {
  const isEnded =
    entries.some(({ kind }) => kind === 'executed') || (status === 'cancelled' && result !== null)
  if (!isEnded || result === null) return null
  const providerId = result['provider_id']
  if (call === null) {
    return providerId === undefined ? null : 'its result names a call to a provider, and there is none'
  }
  const isAsTold =
    providerId === undefined
      ? call.state === (result['outcome'] === 'unknown' ? 'unknown' : 'not_done') &&
        call.code === (result['code'] ?? null)
      : call.state === 'ok' && call.id === providerId
  return isAsTold ? null : 'the call to its provider did not end as its result says'
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0)
const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
const part = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
