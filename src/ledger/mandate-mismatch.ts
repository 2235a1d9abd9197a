import type { VerificationRow } from '../db/queries/ledger/verification-rows.ts'
import { canonical } from '../gate/canonical.ts'
import { mandateScope } from './digest.ts'
import { type TimedEntry, msOf } from './recorded-columns.ts'

/**
 * Where a mandate differs from its entries; null if they agree. It is granted by a confirm, each use and its end are recorded, and after
 * its end, or while it is frozen, it has no use. Pure.
 * @param endedAt  when it ended with the rights of its member; undefined: it did not
 */
export function mandateMismatch(
  row: VerificationRow,
  entries: TimedEntry[],
  endedAt: string | undefined,
): string | null {
  const { kind, requires_confirmation: asks, mandate, payload, salt, result } = row
  if ((kind !== 'runner_mandate' && kind !== 'mandate') || !asks) return null
  if (mandate === null) return row.status === 'denied' ? null : 'its mandate is not stored'
  if (salt !== null && !isItsOwn(row, mandate)) return 'its mandate is for other calls than its own'
  if (
    mandate.member_id !== row.member_id ||
    (kind === 'runner_mandate' && mandate.key_id !== row.proposed_key)
  )
    return 'its mandate is of another member or key'
  if (kind === 'mandate' && salt !== null && mandate.key_id !== payload['agent'])
    return 'its mandate is of another member or key'
  const until = result?.['in_force_until']
  if (until !== undefined && msOf(mandate.expires_at ?? '') !== Date.parse(String(until)))
    return 'the end of its mandate does not match the ledger'
  const kinds = entries.map((entry) => entry.kind)
  if (mandate.is_granted && !kinds.includes('confirmed'))
    return 'its mandate is granted, but not in the ledger'
  if (endedAt === undefined) return useMismatch(mandate, entries)
  const end: TimedEntry = { kind: 'mandate_ended', at: endedAt, by: null, data: {} }
  return useMismatch(
    mandate,
    [...entries, end].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
  )
}

function isItsOwn(row: VerificationRow, mandate: NonNullable<VerificationRow['mandate']>): boolean {
  if (row.kind === 'mandate') return mandate.scope === null
  const { runner = null, tool = null, cwd = null } = row.payload
  const holder = { memberId: row.member_id, keyId: row.proposed_key }
  return mandateScope({ runner, tool, cwd }, holder).toString('hex') === mandate.scope
}

function useMismatch(mandate: NonNullable<VerificationRow['mandate']>, entries: TimedEntry[]): string | null {
  const used = entries.filter(({ kind }) => kind === 'mandate_used')
  if (mandate.uses !== used.length) return 'the uses of its mandate do not match the ledger'
  const told = used.map(({ data }) => [
    data['n'] ?? null,
    data['used_for'] ?? null,
    data['cents'] ?? null,
    data['currency'] ?? null,
  ])
  if (mandate.scope === null && canonical(told) !== canonical(mandate.debits))
    return 'the uses of its mandate do not match the ledger'
  let state: 'open' | 'frozen' | 'ended' = 'open'
  for (const { kind } of entries) {
    if (kind === 'mandate_used' && state !== 'open')
      return state === 'ended'
        ? 'its mandate was used after its end'
        : 'its mandate was used while it was frozen'
    if (kind === 'mandate_ended') state = 'ended'
    if (state === 'ended') continue
    if (kind === 'mandate_frozen') state = 'frozen'
    if (kind === 'mandate_resumed') state = 'open'
  }
  if (mandate.is_ended !== (state === 'ended')) return 'the end of its mandate does not match the ledger'
  return state !== 'ended' && mandate.is_frozen !== (state === 'frozen')
    ? 'whether its mandate is frozen does not match the ledger'
    : null
}

/** An action that a mandate consented to has one use of it, and every other action none. Pure. */
export const debitMismatch = ({ mandate_id: id, debited }: VerificationRow): string | null =>
  canonical(debited) === canonical(id === null ? [] : [id])
    ? null
    : 'the use of a mandate for it does not match the ledger'
