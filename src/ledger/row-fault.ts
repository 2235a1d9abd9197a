import type { AccountedRow } from '../db/queries/ledger/ledger.ts'
import { type Json, canonical } from '../gate/canonical.ts'
import type { Replayed } from '../gate/lifecycle.ts'
import { actionDigest, payloadDigest, sha256 } from './digest.ts'
import { aftermathFault } from './aftermath-fault.ts'
import { type TimedEntry, type ToldColumn, isFull, timed, toldColumns, toldRow } from './told-row.ts'

/**
 * What of a row its entries do not bear out; null where it is as they tell. Pure.
 * @param told  the row's status as its entries leave it; null where there are none
 */
export function rowFault(account: string, row: AccountedRow, told: Replayed | null): string | null {
  const entries = timed(row.entries)
  const birth = entries[0]
  if (!told || !birth) return 'it has no entries'
  if (row.status !== told.status) return `its row says ${row.status}, its entries say ${told.status}`
  if (row.status === 'proposed' && (row.decision === 'confirm') !== told.isConfirmed) {
    return `its row says ${row.decision ?? 'undecided'}, its entries say ${told.isConfirmed ? 'confirmed' : 'undecided'}`
  }
  return (
    columnFault(row, entries) ??
    memberFault(row, birth) ??
    keyNameFault(row, birth) ??
    payloadFault(account, row, entries) ??
    aftermathFault(row, entries)
  )
}

function columnFault(row: AccountedRow, entries: TimedEntry[]): string | null {
  const told = toldRow(entries, row.member)
  for (const [column, name] of Object.entries(toldColumns) as [ToldColumn, string][]) {
    const expected = told[column]
    if (expected === undefined || isSame(row[column], expected)) continue
    return `its ${name} is not the one that was written down`
  }
  return null
}

const isSame = (a: Json, b: Json): boolean => a === b || canonical(a) === canonical(b)

/** The label of the member may be an address: an entry has its digest. */
function memberFault(row: AccountedRow, birth: TimedEntry): string | null {
  if (!isFull(birth)) return null
  const digest = sha256(`${row.uuid} ${row.member}`).toString('hex')
  return digest === birth.data['member_digest']
    ? null
    : "its member's label is not the one that was written down"
}

/** A key keeps its name, which its own entry has a digest of. A key that is missing is found as a key. */
function keyNameFault(row: AccountedRow, birth: TimedEntry): string | null {
  const isKeyMissing = row.proposed_key !== null && row.key_name === null
  if (!isFull(birth) || isKeyMissing || row.requested_by === row.key_name) return null
  return 'it names another API key than it was made with'
}

function payloadFault(account: string, row: AccountedRow, entries: TimedEntry[]): string | null {
  const birth = entries[0]!
  const isEmpty = Object.keys(row.payload).length === 0
  const isErasureTold = entries.some((entry) => entry.kind === 'payload_erased')
  if (isErasureTold) return isEmpty && row.salt === null ? null : 'its payload was erased, and there is one'
  if (typeof birth.payload_digest !== 'string') {
    return isEmpty && row.salt === null ? null : 'it has a payload, and was made without one'
  }
  if (isEmpty && row.salt === null) return 'its payload is gone, and no entry tells that it was erased'
  if (!row.salt || payloadDigest(row.salt, row.payload) !== birth.payload_digest) {
    return 'its payload is not the one that was proposed'
  }
  const { id, kind, member, payload, recipients } = row
  const digest =
    birth.kind === 'proposed' ? actionDigest({ account, id, kind, member, payload, recipients }) : null
  return row.digest === digest ? null : 'its digest is not that of its content'
}
