import type { VerificationRow } from '../db/queries/ledger/verification-rows.ts'
import { type Json, canonical } from '../gate/canonical.ts'
import { changesBetween } from '../gate/edits/changes.ts'
import type { Replayed } from '../gate/lifecycle.ts'
import { actionDigest, erased, payloadDigest, sha256 } from './digest.ts'
import { type AboutRows, lapsedAfter } from './consents/member-ends.ts'
import { relatedRowsMismatch } from './related-rows-mismatch.ts'
import {
  type TimedEntry,
  type RecordedColumn,
  timed,
  columnNames,
  recordedColumns,
} from './recorded-columns.ts'

/**
 * Where the row of an action differs from its ledger entries; null if they agree. Pure.
 * @param told  the state that the entries lead to; null if there are none
 */
export function actionMismatch(about: AboutRows, row: VerificationRow, told: Replayed | null): string | null {
  const entries = timed(row.entries)
  const birth = entries[0]
  if (!told || !birth) return 'it has no ledger entries'
  if (row.status !== told.status) return `its status is ${row.status}, but ${told.status} in the ledger`
  if (row.status === 'proposed' && (row.decision === 'confirm') !== told.isConfirmed) {
    return `its decision is ${row.decision ?? 'open'}, but ${told.isConfirmed ? 'confirm' : 'open'} in the ledger`
  }
  return (
    columnMismatch(row, entries, about.lapses) ??
    memberMismatch(row, birth, about.isErased(row.member_id ?? '')) ??
    keyNameMismatch(row) ??
    payloadMismatch(about.account, row, entries) ??
    (row.is_derived ? null : 'its subject, customer or amount does not match its payload') ??
    textMismatch(row, entries) ??
    relatedRowsMismatch(row, entries, about)
  )
}

function columnMismatch(
  row: VerificationRow,
  entries: TimedEntry[],
  lapses: AboutRows['lapses'],
): string | null {
  const told = recordedColumns(entries, row.member)
  const { consented_at: at } = told
  if (at && lapsedAfter(lapses, row, { member: row.member_id!, at: Date.parse(at) })) told.consented_at = null
  for (const [column, name] of Object.entries(columnNames) as [RecordedColumn, string][]) {
    const expected = told[column]
    if (expected === undefined || isSame(row[column], expected)) continue
    if (isOlderThanReceipts(row) && columnsOfReceipts.includes(column)) continue
    return `its ${name} does not match the ledger`
  }
  return null
}

const columnsOfReceipts: RecordedColumn[] = ['consent_tier', 'consent_policy_version']

/** Both are empty where the consent is older than they are. Such a row has no receipt. */
const isOlderThanReceipts = (row: VerificationRow): boolean =>
  columnsOfReceipts.every((column) => row[column] === null)

const isSame = (a: Json, b: Json): boolean => a === b || canonical(a) === canonical(b)

/** The member's label may be an address, so entries contain its digest. */
function memberMismatch(row: VerificationRow, birth: TimedEntry, isErased: boolean): string | null {
  if (isErased) return row.member === erased ? null : 'its member is erased in the ledger, but still named'
  const digest = sha256(`${row.uuid} ${row.member}`).toString('hex')
  return digest === birth.data['member_digest'] ? null : "its member's label does not match the ledger"
}

/** The name of a key does not change; the entry of the key has its digest. A missing key is reported with the keys. */
function keyNameMismatch(row: VerificationRow): string | null {
  const isKeyMissing = row.proposed_key !== null && row.key_name === null
  if (isKeyMissing || row.requested_by === row.key_name) return null
  return 'the name of its API key does not match the ledger'
}

function payloadMismatch(account: string, row: VerificationRow, entries: TimedEntry[]): string | null {
  const birth = entries[0]!
  const edit = entries.find(({ kind }) => kind === 'edited')
  const isEmpty = Object.keys(row.payload).length === 0
  const isFormerKept = edit ? row.former?.digest === edit.data['former_digest'] : row.former === null
  if (!isFormerKept) return otherFormer
  if (entries.some(isErasure)) {
    const isErased =
      isEmpty && row.salt === null && textsOf(row).every(([, text]) => text === null) && !row.former?.payload
    return isErased ? null : 'its payload is erased in the ledger, but still stored'
  }
  if (typeof birth.payload_digest !== 'string') {
    return isEmpty && row.salt === null ? null : 'it has a payload, but not in the ledger'
  }
  if (isEmpty && row.salt === null) return 'its payload is missing, but no ledger entry records an erasure'
  if (!row.salt || payloadDigest(row.salt, row.payload) !== (edit ?? birth).payload_digest) {
    return 'its payload does not match the ledger'
  }
  const { id, kind, member, rationale } = row
  const digestWith = (payload: VerificationRow['payload'], recipients: string | null) =>
    actionDigest({
      account,
      id,
      kind,
      member,
      payload,
      ...(rationale === null ? {} : { rationale }),
      recipients,
    })
  if (row.digest !== (birth.kind === 'proposed' ? digestWith(row.payload, row.recipients) : null))
    return 'its digest does not match its content'
  return formerMismatch(row, birth, edit, digestWith)
}

/** Version 1 of an action that its member changed is what was proposed, and what they changed is as recorded. */
function formerMismatch(
  { former, payload: becomes, salt }: VerificationRow,
  birth: TimedEntry,
  edit: TimedEntry | undefined,
  digestWith: (payload: VerificationRow['payload'], recipients: string | null) => string,
): string | null {
  if (!former || !edit) return null
  const payload = (former.payload ?? {}) as VerificationRow['payload']
  const reachTold = (birth.data['reach'] ?? [0, 0, 0]) as Json[]
  const isAsProposed =
    payloadDigest(salt!, payload) === birth.payload_digest &&
    (former.facts ? payloadDigest(salt!, former.facts) : null) === (birth.data['facts_digest'] ?? null) &&
    former.digest === birth.data['digest'] &&
    former.digest === digestWith(payload, former.recipients ?? null) &&
    isSame([former.reach_slack ?? 0, former.reach_email ?? 0], reachTold.slice(0, 2)) &&
    (former.reach_teams ?? 0) === (reachTold[3] ?? 0) &&
    (former.duplicate_of ?? null) === (birth.data['duplicate_of'] ?? null)
  if (!isAsProposed) return otherFormer
  const changes = changesBetween(payload, becomes).map(({ field, from, to }) => ({
    field,
    ...(from === undefined ? {} : { from: payloadDigest(salt!, from) }),
    ...(to === undefined ? {} : { to: payloadDigest(salt!, to) }),
  }))
  return isSame(changes, edit.data['changes'] ?? [])
    ? null
    : 'what its member changed does not match the ledger'
}

const otherFormer = 'its version before the change does not match the ledger'

/** Entries record the texts beside the payload by their digests. */
function textMismatch(row: VerificationRow, entries: TimedEntry[]): string | null {
  if (entries.some(isErasure)) return null
  for (const [name, value] of textsOf(row)) {
    const recorded = tellerOf(name, entries)?.data[`${name}_digest`]
    const stored = value === null || !row.salt ? value : payloadDigest(row.salt, value)
    if ((recorded ?? null) !== stored) return `its ${name.replaceAll('_', ' ')} does not match the ledger`
  }
  return null
}

/** The entry that has the digest of a text beside the payload. What the provider said was changed with the amount. */
const tellerOf = (name: string, entries: TimedEntry[]): TimedEntry | undefined =>
  (name === 'facts' ? entries.find(({ kind }) => kind === 'edited') : undefined) ??
  entries.find(({ data }) => data[`${name}_digest`] !== undefined)

/** The texts beside the payload, which entries record by their digest. */
const textsOf = ({ rationale, facts, input, decline_reason }: VerificationRow): [string, Json][] => [
  ['rationale', rationale],
  ['facts', facts],
  ['input', input],
  ['decline_reason', decline_reason],
]

const isErasure = ({ kind }: TimedEntry): boolean => kind === 'payload_erased'
