import type { Db } from '../db/connect.ts'
import { type RecordedPart, listArchived } from '../db/queries/ledger/archive.ts'
import { type AuthorityPart, pageAuthority } from '../db/queries/ledger/authority.ts'
import { pageVerificationRows } from '../db/queries/ledger/verification-rows.ts'
import {
  type LedgerHead,
  type RecipientSetRow,
  pageEntries,
  pageRecipientSets,
  readHead,
} from '../db/queries/ledger/ledger.ts'
import type { Recipient } from '../gate/reach.ts'
import type { Anchor } from './anchor.ts'
import { archiveOf } from './archive/archive-manifest.ts'
import {
  type ArchiveRecords,
  archiveRecords,
  followArchive,
  manifestFinding,
} from './archive/archive-reading.ts'
import { type ArchivedEntries, archivedEntries } from './archive/archived-entries.ts'
import type { Link } from './chain.ts'
import { ledgerAuthority } from './authority.ts'
import type { Authority } from './recorded-authority.ts'
import { authorityMismatch, recordedIds } from './authority-mismatch.ts'
import { type Checker, type Finding, ledgerChecker } from './checker.ts'
import { recipientsHash } from './digest.ts'
import { refuseArchivedMeanwhile, requireArchive } from './export.ts'
import { followTo } from './follow.ts'
import { actionMismatch } from './action-mismatch.ts'
import type { AboutRows } from './consents/member-ends.ts'
import { limits } from '../limits.ts'

const verifyRecipientSetsPerPage = 20

const verifyAuthorityRowsPerPage = 500

/** The result of a verification: the verified head, or the first inconsistency. */
export type Verdict = { account: string; seq: number; hash: string } &
  // `sealed`: whether the last seal of an export has all of its entries; absent where there is no seal.
  (
    | { ok: true; sealed?: boolean }
    // `unreadable`: nothing is said of what a file holds. `sealed`: no seal of the file has what comes at the place.
    | ({ ok: false; unreadable?: true; sealed?: false } & Finding)
  )

/**
 * Verifies an account's ledger in its database: every hash, the states of every action, and that actions, members, keys,
 * administrators and policies match their entries. The account can be in use: each page of rows is compared with the ledger
 * head of its own snapshot.
 * @returns undefined if the account does not exist
 * @throws GateError `conflict` if entries are archived and no folder is given, or were archived meanwhile
 * @source docs/cli.md#verify-the-ledger
 */
export async function verifyLedger(
  db: Db,
  account: string,
  { anchors = [], archive, witnessing }: VerifyOptions = {},
): Promise<Verdict | undefined> {
  const head = await readHead(db, account)
  if (!head) return withoutHead(db, account)
  const parts = await listArchived(db, account)
  requireArchive(account, parts, archive)
  const entries = archivedEntries()
  const found = await firstFinding(db, account, {
    anchors,
    head,
    parts,
    folder: archiveOf(archive ?? '', account),
    entries,
    witnessing,
  }).finally(entries.close)
  // Entries that were archived during the verification would be missing for no fault.
  if (found) await refuseArchivedMeanwhile(db, account, parts)
  const verdict = { account, seq: head.seq, hash: head.hash }
  return found ? { ...verdict, ok: false, ...found } : { ...verdict, ok: true }
}

/** What else a ledger is compared with. */
export interface VerifyOptions {
  /** Heads of the chain that were stored elsewhere. */
  anchors?: Anchor[]
  /** The folder with the entries that were archived. */
  archive?: string | undefined
  witnessing?: Witnessing
}

/** What else is held against the entries of a ledger, such as its seals. */
export interface Witnessing {
  /** Called for each valid entry, in order. */
  take(link: Link): void
  /** Called once all entries up to a head were taken. */
  finding(): Promise<Finding | null>
}

async function firstFinding(
  db: Db,
  account: string,
  given: {
    anchors: Anchor[]
    head: LedgerHead
    parts: RecordedPart[]
    folder: string
    entries: ArchivedEntries
    witnessing: Witnessing | undefined
  },
): Promise<Finding | null> {
  const { anchors, head, parts, folder, entries, witnessing } = given
  const authority = ledgerAuthority()
  const records = archiveRecords(account, parts)
  const checker = ledgerChecker(account, {
    anchors,
    onEntry: (link, entry) => {
      authority.take(link, entry)
      records.take(link, entry)
      witnessing?.take(link)
    },
  })
  const manifest = parts.length === 0 ? null : manifestFinding(folder, account, parts)
  return (
    manifest ??
    (await followArchive(folder, parts, checker, entries.put)) ??
    (await followTo(db, account, checker, head)) ??
    recordsFinding(records, parts) ??
    (await witnessing?.finding()) ??
    (await checkRows(db, aboutRows(account, authority), checker, entries)) ??
    (await checkRecipients(db, account)) ??
    (await checkAuthority(db, account, checker, authority))
  )
}

function recordsFinding(records: ArchiveRecords, parts: RecordedPart[]): Finding | null {
  const untold = parts[records.count]
  return (
    records.finding() ??
    (untold
      ? { place: 'archive', problem: `no ledger entry records that seq ${untold.first_seq} was archived` }
      : null)
  )
}

/** Without a head and without entries, the account does not exist. */
async function withoutHead(db: Db, account: string): Promise<Verdict | undefined> {
  const [entry] = await pageEntries(db, account, { after: 0, upTo: Number.MAX_SAFE_INTEGER, limitRows: 1 })
  if (!entry) return undefined
  return {
    account,
    seq: 0,
    hash: '',
    ok: false,
    place: 'head',
    problem: 'it is missing, but there are entries',
  }
}

/** @param about.suspensions  grows while the entries of the pages are read */
const aboutRows = (
  account: string,
  { suspensions, members, lapses, endedMandates }: Authority,
): AboutRows => ({
  account,
  suspensions,
  lapses,
  endedMandates,
  isErased: (memberId: string) => members.get(memberId)?.isErased === true,
})

async function checkRows(
  db: Db,
  about: AboutRows,
  checker: Checker,
  archived: ArchivedEntries,
): Promise<Finding | null> {
  const { account } = about
  for (let after = 0; ;) {
    const { head, rows } = await pageVerificationRows(db, account, {
      after,
      limitRows: limits.verifyActionsPerPage,
      archived: archived.page(after),
    })
    const fault = await followTo(db, account, checker, head)
    if (fault) return fault
    for (const row of rows) {
      if (row.id !== after + 1) return missingRow(after + 1)
      const wrong = actionMismatch(about, row, checker.rowState(row.id))
      if (wrong) return { place: `action ${row.id}`, problem: wrong }
      after = row.id
    }
    if (rows.length < limits.verifyActionsPerPage)
      return after < checker.actionCount ? missingRow(after + 1) : null
  }
}

const missingRow = (id: number): Finding => ({
  place: `action ${id}`,
  problem: 'its row is missing, but ledger entries record it',
})

/** A frozen set is identified by the hash of its content, which is what the member consented to. */
async function checkRecipients(db: Db, account: string): Promise<Finding | null> {
  for (let after = ''; ;) {
    const sets = await pageRecipientSets(db, account, { after, limitRows: verifyRecipientSetsPerPage })
    for (const set of sets) {
      const problem = setProblem(set)
      if (problem !== null) return { place: `recipients ${set.sha256.slice(0, 16)}`, problem }
      after = set.sha256
    }
    if (sets.length < verifyRecipientSetsPerPage) return null
  }
}

function setProblem({ sha256, is_forgotten, is_needed, ...set }: RecipientSetRow): string | null {
  if (is_forgotten) return is_needed ? 'its content is gone, but an action that has not ended needs it' : null
  const recipients = set.members.map((memberId, i): Recipient => ({
    memberId,
    channel: set.channels[i]!,
    address: set.addresses[i]!,
  }))
  const isWhole = [set.channels, set.addresses].every(({ length }) => length === set.members.length)
  const isSame = isWhole && recipientsHash(recipients).toString('hex') === sha256
  return isSame ? null : 'its content does not match its hash'
}

const parts = Object.keys(authorityMismatch) as AuthorityPart[]

async function checkAuthority(
  db: Db,
  account: string,
  checker: Checker,
  authority: Authority,
): Promise<Finding | null> {
  for (const part of parts) {
    const fault = await checkPart(db, account, part, { checker, authority })
    if (fault) return fault
  }
  return null
}

async function checkPart<Part extends AuthorityPart>(
  db: Db,
  account: string,
  part: Part,
  { checker, authority }: { checker: Checker; authority: Authority },
): Promise<Finding | null> {
  const begunAt = checker.seq
  let now = 0
  for (let after = ''; ;) {
    const { head, rows } = await pageAuthority(db, account, part, {
      after,
      limitRows: verifyAuthorityRowsPerPage,
    })
    const fault = await followTo(db, account, checker, head)
    if (fault) return fault
    now = head.now.getTime()
    for (const { id, facts } of rows) {
      const wrong = authorityMismatch[part](facts, authority, id)
      if (wrong) return { place: placeOf(part, id), problem: wrong }
      after = id
    }
    if (rows.length < verifyAuthorityRowsPerPage) break
  }
  // Of these rows only old tokens of apps are ever deleted. A row created during the verification may be on a page that was
  // already read.
  for (const [id, { seq, isSeen, goneAfter = Infinity }] of recordedIds[part](authority)) {
    if (!isSeen && seq > 0 && seq <= begunAt && goneAfter > now) {
      return { place: placeOf(part, String(id)), problem: 'its row is missing, but ledger entries record it' }
    }
  }
  return null
}

const placeOf = (part: AuthorityPart, id: string): string => {
  if (part === 'account') return part
  return `${part} ${part === 'policy' ? Number(id) : id}`
}
