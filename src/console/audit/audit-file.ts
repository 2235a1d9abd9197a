import { type AuditEntry, allEntries } from '../../operations/audit/audit-log.ts'
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
    return csvFile(`ledger-${session.account}`, csvLines(columns, rows))
  },
})

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
