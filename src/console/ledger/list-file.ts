import { statusWordOf } from '../../operations/actions/action-view.ts'
import { type ListedRow, allActions } from '../../operations/audit/browse-ledger.ts'
import { defaultTimeZone } from '../../web/times.ts'
import { type Columns, begun, csvFile, csvLines } from '../files.ts'
import { definePage } from '../page.ts'
import { ledgerPath } from './ledger-path.ts'
import { filterOf, ledgerQuery } from './list-page.ts'

/** The list of actions as a file: all of its pages. */
export const actionsDownload = definePage({
  path: `${ledgerPath}.csv`,
  role: 'admin',
  query: ledgerQuery.omit({ after: true }),
  async show({ deps, session }, query) {
    const filter = filterOf(query, session.timeZone ?? defaultTimeZone)
    const rows = await begun(allActions(deps, session.account, filter))
    return csvFile(`actions-${session.account}`, csvLines(columns, rows))
  },
})

/** Named as over REST. Times are UTC. */
const columns: Columns<ListedRow> = {
  id: ({ id }) => id,
  created_at: (row) => row.created_at,
  kind: ({ kind }) => kind,
  summary: ({ line }) => line,
  member: ({ member }) => member,
  status: statusWordOf,
  amount: ({ amount }) => (amount === null ? undefined : (amount.amountCents / 100).toFixed(2)),
  currency: ({ amount }) => amount?.currency.toUpperCase(),
  requested_by: (row) => row.requested_by,
  requested_host: (row) => row.requested_host,
  consent_strength: ({ consent }) => consent?.strength,
  consent_by: ({ consent }) => consent?.by,
  consent_at: ({ consent }) => consent?.at,
  executed_at: (row) => row.executed_at,
  denial_code: (row) => row.denial_code,
  denial_reason: (row) => row.denial_reason,
  closed_reason: (row) => row.closed_reason,
}
