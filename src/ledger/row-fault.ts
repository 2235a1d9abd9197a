import { type AccountedRow } from '../db/queries/ledger.ts'
import { canonical } from '../gate/canonical.ts'
import { type Replayed } from '../gate/lifecycle.ts'
import { type ParsedEntry, parseEntry } from './checker.ts'
import { actionDigest, payloadDigest } from './digest.ts'

/**
 * What of a row its entries do not bear out; null where it is as they tell. Pure.
 * @param told  the row as its entries leave it; null where there are none
 */
export function rowFault(account: string, row: AccountedRow, told: Replayed | null): string | null {
  const birth = row.birth === null ? undefined : parseEntry(row.birth)
  if (!told || !birth) return 'it has no entries'
  if (row.status !== told.status) return `its row says ${row.status}, its entries say ${told.status}`
  if (row.status === 'proposed' && (row.decision === 'confirm') !== told.isConfirmed) {
    return `its row says ${row.decision ?? 'undecided'}, its entries say ${told.isConfirmed ? 'confirmed' : 'undecided'}`
  }
  return (
    birthFault(row, birth) ??
    payloadFault(account, row, birth) ??
    consentFault(row) ??
    resultFault(row, birth)
  )
}

function birthFault(row: AccountedRow, { kind, actor, data = {} }: ParsedEntry): string | null {
  // What an administrator did about somebody else's preview names that member beside them.
  const member = typeof actor === 'string' && isAdmin(actor) ? data['member'] : actor
  if (row.member_id !== member) return 'its member is not the one of its first entry'
  if (row.tier_at_request !== data['tier']) return 'its tier is not the one of its first entry'
  const asked = kind === 'checked' ? 'capability_check' : data['kind']
  if (row.kind !== asked) return `it is a ${row.kind}, and was made as a ${String(asked)}`
  return row.recipients === (data['recipients'] ?? null)
    ? null
    : 'its recipients are not those that were frozen'
}

const isAdmin = (actor: string): boolean => actor === 'admin' || actor.startsWith('admin:')

function payloadFault(account: string, row: AccountedRow, birth: ParsedEntry): string | null {
  if (typeof birth.payload_digest !== 'string') return null
  // An erased payload leaves its salted digest behind, which tells nothing.
  const isErased = row.salt === null && Object.keys(row.payload).length === 0
  if (isErased) return null
  if (!row.salt || payloadDigest(row.salt, row.payload) !== birth.payload_digest) {
    return 'its payload is not the one that was proposed'
  }
  const { id, kind, member, payload, recipients } = row
  const digest =
    birth.kind === 'proposed' ? actionDigest({ account, id, kind, member, payload, recipients }) : null
  return row.digest === digest ? null : 'its digest is not that of its content'
}

/** How strong a consent was, and what was shown to who gave it, stands in the entry of the decision. */
function consentFault(row: AccountedRow): string | null {
  const decided = row.decided === null ? undefined : parseEntry(row.decided)
  const { card = null, strength } = decided?.data ?? {}
  if (row.card !== card) return 'its card is not the one that was decided on'
  // A denial takes a confirm's consent off the row, and a cancel through the interface does not repeat its own.
  const isTold = decided?.kind === 'confirmed' && row.status !== 'denied'
  return isTold && row.consent_strength !== strength
    ? 'its consent is not of the strength that was written down'
    : null
}

function resultFault(row: AccountedRow, birth: ParsedEntry): string | null {
  const written = resultWritten(row, birth)
  if (written === undefined || canonical(row.result) === canonical(written)) return null
  return 'its result is not the one that was written down'
}

/** Where the entry that executed the row is the one that made it, its result stands beside what else was asked. */
function resultWritten(
  row: AccountedRow,
  { kind, data = {} }: ParsedEntry,
): AccountedRow['result'] | undefined {
  if (kind === 'preview_started' || kind === 'preview_stopped')
    return (data['result'] ?? null) as AccountedRow['result']
  return row.executed === null
    ? undefined
    : ((parseEntry(row.executed)?.data ?? null) as AccountedRow['result'])
}
