import {
  type AuditRange,
  type AuditRow,
  firstEntryFrom,
  pageAll,
  pageOfKinds,
} from '../../db/queries/ledger/audit.ts'
import type { KindOfRow } from '../../actions/account-kinds.ts'
import { readArchivedTo } from '../../db/queries/ledger/archive.ts'
import type { Db } from '../../db/connect.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type EntryGroup, entryGroups, kindsWithoutChecks } from '../../gate/entry-groups.ts'
import { type ParsedEntry, parseEntry } from '../../ledger/checker.ts'
import { limits } from '../../limits.ts'
import { type Names, idsIn, namesOf } from '../names-of-ids.ts'
import { requireHead } from '../require-account.ts'

export type { KindOfRow }
export { readArchivedTo }

/** A ledger entry with its parsed content. */
export interface AuditEntry extends AuditRow {
  content: ParsedEntry
}

export interface AuditFilter {
  /** `all`: every entry. Null: every entry but checks, which are most of a ledger. */
  group: EntryGroup | 'all' | null
  /** Who caused the entry, as entries name them: `admin:adm_…`, `admin` (command line), `system`, `mem_…`. */
  actor: string | null
  from: Date | null
  to: Date | null
  /** Continues with the entries before this one. */
  before: number | null
}

export interface AuditPage {
  entries: AuditEntry[]
  /** Names of the ids in the entries, and of the actor of the filter. */
  names: Names
  /** The `before` of the next page, if there is one. */
  next: number | undefined
}

/**
 * A page of an account's ledger entries, newest first. Each filter is answered from an index; with an actor, checks are left
 * out.
 * @param rowsMax  of the page
 * @throws GateError `not_found`
 */
export async function browseAudit(
  db: Db,
  account: string,
  filter: AuditFilter,
  rowsMax: number = limits.pageRowsDefault,
): Promise<AuditPage> {
  const range = { ...(await rangeOf(db, account, filter)), limitRows: rowsMax + 1 }
  const { group, actor } = filter
  const rows =
    group === 'all' && actor === null
      ? await pageAll(db, account, range)
      : await pageOfKinds(db, account, {
          ...range,
          actor,
          kinds: group === null || group === 'all' ? kindsWithoutChecks : entryGroups[group],
        })
  const entries = rows.slice(0, rowsMax).map(parsed)
  return {
    entries,
    names: await namesOf(db, account, [actor, ...entries.flatMap(idsIn)]),
    next: rows.length > entries.length ? entries.at(-1)!.seq : undefined,
  }
}

/** All entries that a filter matches, newest first, each with its names. @param limit  of one read @throws GateError `not_found` */
export async function* allEntries(
  db: Db,
  account: string,
  filter: AuditFilter,
  limit: number = limits.rowsPerRead,
): AsyncGenerator<{ entry: AuditEntry; names: Names }> {
  for (let before: number | null | undefined = filter.before; before !== undefined;) {
    const page = await browseAudit(db, account, { ...filter, before }, limit)
    for (const entry of page.entries) yield { entry, names: page.names }
    before = page.next
  }
}

async function rangeOf(
  db: Db,
  account: string,
  { from, to, before }: AuditFilter,
): Promise<Omit<AuditRange, 'limitRows'>> {
  const [head, fromSeq, toSeq] = await Promise.all([
    requireHead(db, account),
    from === null ? 1 : firstEntryFrom(db, account, from),
    to === null ? Infinity : firstEntryFrom(db, account, to),
  ])
  return {
    fromSeq,
    beforeSeq: Math.min(head.seq + 1, toSeq, before ?? Infinity),
  }
}

/** One entry, and the last of the chain. @throws GateError `not_found` */
export async function readEntry(
  db: Db,
  account: string,
  seq: number,
): Promise<{ entry: AuditEntry; names: Names; lastSeq: number }> {
  const [head, rows] = await Promise.all([
    requireHead(db, account),
    pageAll(db, account, { fromSeq: seq, beforeSeq: seq + 1, limitRows: 1 }),
  ])
  if (!rows[0]) throw new GateError('not_found', await missingSentence(db, account, seq))
  const entry = parsed(rows[0])
  return { entry, names: await namesOf(db, account, idsIn(entry)), lastSeq: head.seq }
}

/** The kinds of the actions that entries of one account are about. */
export const kindsOfEntries = (
  { kinds }: Pick<Deps, 'kinds'>,
  account: string,
  entries: AuditEntry[],
): Promise<KindOfRow> =>
  kinds.ofRows(
    account,
    entries.flatMap(({ action_kind: kind, action_kind_version }) =>
      kind === null ? [] : [{ kind, kind_version: action_kind_version }],
    ),
  )

const missingSentence = async (db: Db, account: string, seq: number): Promise<string> =>
  seq >= 1 && seq <= (await readArchivedTo(db, account))
    ? `Entry ${seq} is archived: see \`gate ledger export\`.`
    : `Entry ${seq} was not found in this account.`

const parsed = (row: AuditRow): AuditEntry => ({ ...row, content: parseEntry(row.entry) ?? {} })
