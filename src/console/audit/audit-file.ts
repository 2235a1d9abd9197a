import { type AuditEntry, allEntries, readArchivedTo } from '../../operations/audit/audit-log.ts'
import { csvRow } from '../../operations/csv.ts'
import { type Names, idOf } from '../../operations/names-of-ids.ts'
import { defaultTimeZone } from '../../web/times.ts'
import { type Columns, begun, csvFile, csvLines } from '../files.ts'
import { definePage } from '../page.ts'
import { auditPath } from './audit-path.ts'
import { auditQuery, filterOf, wordsOf } from './audit-page.ts'

/** The audit log as a file: all of its pages. */
export const entriesDownload = definePage({
  path: `${auditPath}.csv`,
  role: 'admin',
  query: auditQuery.omit({ before: true }),
  async show({ deps, session }, query) {
    const filter = filterOf(query, session.timeZone ?? defaultTimeZone)
    const rows = await begun(allEntries(deps.db, session.account, filter))
    const archivedTo = await readArchivedTo(deps.db, session.account)
    return csvFile(`ledger-${session.account}`, withArchived(csvLines(columns, rows), archivedTo))
  },
})

/** Archived entries are in files of the operator, which the console cannot read: a last line says so. */
async function* withArchived(lines: AsyncIterable<string>, archivedTo: number): AsyncGenerator<string> {
  yield* lines
  if (archivedTo === 0) return
  const what = `Entries 1 to ${archivedTo} are archived and not in this file: see gate ledger export --archive FOLDER`
  yield csvRow(Object.keys(columns).map((name) => (name === 'what' ? what : '')))
}

type Row = { entry: AuditEntry; names: Names }

/** Times are UTC. `by` is the current name of the `actor`. */
const columns: Columns<Row> = {
  seq: ({ entry }) => entry.seq,
  at: ({ entry }) => new Date(entry.at).toISOString(),
  kind: ({ entry }) => entry.kind,
  what: ({ entry, names }) => wordsOf(entry, names).replaceAll('`', ''),
  action_id: ({ entry }) => entry.action_id ?? undefined,
  actor: ({ entry }) => textOf(entry.content.actor),
  by: ({ entry, names }) => names.get(idOf(textOf(entry.content.actor))),
  key: ({ entry }) => textOf(entry.content.key),
  hash: ({ entry }) => entry.hash,
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
