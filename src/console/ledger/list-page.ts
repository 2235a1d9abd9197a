import { z } from 'zod'
import { statuses } from '../../gate/lifecycle.ts'
import { limits } from '../../limits.ts'
import {
  type LedgerFilter,
  type LedgerHead,
  type LedgerPage,
  type ListedRow,
  browseLedger,
} from '../../operations/audit/browse-ledger.ts'
import { statusWordOf } from '../../operations/actions/action-view.ts'
import { text } from '../../operations/schemas.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { addDays, defaultTimeZone, startOfDay } from '../../web/times.ts'
import { auditPath } from '../audit/audit-path.ts'
import { dateField, day } from '../date-field.ts'
import { optionally } from '../forms.ts'
import { definePage } from '../page.ts'
import { ago, choice, csvLink, empty, facts, field, moment, nextPage, table } from '../parts.ts'
import { closedWords } from '../proposals/consent-words.ts'
import { kindName } from '../proposals/list-page.ts'
import { amountWords } from './entry-words.ts'
import { checkPath } from './check-page.ts'
import { ledgerPath } from './ledger-path.ts'
import { sealPart } from './seal-part.ts'

const ledgerSearchCharsMax = 100

/** `expired` is how some of the cancelled ones ended, and what the list calls them. */
const shownStatuses = [...statuses, 'expired'] as const

export const ledgerQuery = z.strictObject({
  kind: optionally(text(limits.kindCharsMax)),
  status: optionally(z.enum(shownStatuses, `must be one of: ${shownStatuses.join(', ')}`)),
  member: optionally(text(limits.identityCharsMax)),
  text: optionally(text(ledgerSearchCharsMax)),
  from: optionally(day),
  to: optionally(day),
  checks: optionally(z.literal('on', 'must be on')),
  after: optionally(z.string().regex(/^\d{1,15}$/, 'must be an action number')),
})
type Query = z.output<typeof ledgerQuery>

/** The actions of the account, newest first, a line each. */
export const ledgerPage = definePage({
  path: ledgerPath,
  role: 'admin',
  query: ledgerQuery,
  async show({ deps, session }, query) {
    const page = await browseLedger(
      deps,
      session.account,
      filterOf(query, session.timeZone ?? defaultTimeZone),
    )
    const { rows, next, searched, head } = page
    return {
      title: 'Ledger',
      body: html`${filterForm(query, page)} ${rows.length === 0 ? emptyList(query, page) : rowsTable(rows)}
      ${searched === undefined ? '' : html`<p class="hint">Searched ${searched} actions. Older ones are on the next page.</p>`}
      ${nextPage(next === undefined ? undefined : addressOf(ledgerPath, { ...query, after: String(next) }))}
      ${rows.length === 0 ? '' : csvLink(addressOf(`${ledgerPath}.csv`, { ...query, after: undefined }))}
      ${headPart(head, await sealPart({ deps, session }))}`,
    }
  },
})

export const filterOf = (
  { kind, status, member, text: wanted, from, to, checks, after }: Query,
  zone: string,
): LedgerFilter => ({
  kind: kind ?? null,
  status: status === 'expired' ? 'cancelled' : (status ?? null),
  isExpired: status === 'expired',
  member: member ?? null,
  text: wanted ?? null,
  from: from === undefined ? null : startOfDay(from, zone),
  // The day itself is included.
  to: to === undefined ? null : startOfDay(addDays(to, 1), zone),
  hasChecks: checks === 'on',
  after: after === undefined ? null : Number(after),
})

function filterForm(
  { kind, status, member, text: wanted, from, to, checks }: Query,
  { kinds }: LedgerPage,
): Html {
  const isListed = kind === undefined || kinds.some((one) => one.kind === kind)
  const listed = isListed ? kinds : [{ kind, title: kindName(kind) }, ...kinds]
  return html`<form method="get" action="${ledgerPath}" class="filter wide" aria-label="Filter actions">
    ${choice({
      name: 'kind',
      label: 'Kind',
      value: kind ?? '',
      values: [['', 'any'], ...listed.map((one) => [one.kind, toldApart(one, listed)] as const)],
    })}
    ${choice({
      name: 'status',
      label: 'Status',
      value: status ?? '',
      values: [['', 'any'], ...shownStatuses.map((one) => [one, one] as const)],
    })}
    ${field({
      name: 'member',
      label: 'Member',
      value: member ?? '',
      isRequired: false,
      isMarked: false,
      charsMax: limits.identityCharsMax,
      placeholder: 'E-mail or id',
    })}
    ${field({
      name: 'text',
      label: 'Text',
      value: wanted ?? '',
      isRequired: false,
      isMarked: false,
      charsMax: ledgerSearchCharsMax,
      placeholder: 'In kind, payload or outcome',
    })}
    ${dateField('from', 'From', from)} ${dateField('to', 'To', to)}
    <div class="last">
      <label class="check">
        <input type="checkbox" name="checks" value="on" ${checks === 'on' ? html`checked` : ''} />
        Show checks
      </label>
      <button type="submit">Filter actions</button>
    </div>
  </form>`
}

/** Two kinds may have one title. */
function toldApart({ kind, title }: LedgerPage['kinds'][number], all: LedgerPage['kinds']): string {
  const isShared = all.some((one) => one.kind !== kind && one.title.toLowerCase() === title.toLowerCase())
  return isShared ? `${title} (${kind})` : title
}

const rowsTable = (rows: ListedRow[]): Html =>
  html`<div class="lines of-actions">
    ${table(
      'Actions',
      ['Action', 'Time', 'Kind', 'Summary', 'Member', 'Status', 'Amount'],
      rows.map((row): Part[] => [
        html`<a href="${ledgerPath}/${row.id}">#${row.id}</a>`,
        ago(row.created_at),
        html`<span title="${row.title}">${row.title}</span>`,
        html`<bdi title="${escapeInvisible(row.line)}">${escapeInvisible(row.line)}</bdi>`,
        html`<bdi title="${row.member}">${row.member}</bdi>`,
        statusWord(row),
        row.amount === null ? '' : html`<span class="number">${amountWords(row.amount)}</span>`,
      ]),
    )}
  </div>`

type WithStatus = Pick<ListedRow, 'status' | 'consent' | 'closed_reason'>

/** The status of an action as a badge. */
export function statusWord(row: WithStatus): Html {
  const word = statusWordOf(row)
  return html`<span class="badge ${word}">${word}</span>`
}

/** The same, and who or what closed it. */
export const statusBadge = (row: WithStatus): Part =>
  html`${statusWord(row)}
  ${
    row.closed_reason === undefined || row.closed_reason === 'expired'
      ? ''
      : html`<span class="hint">${closedWords(row) ?? ''}</span>`
  }`

function emptyList(query: Query, { isMemberUnknown, head, searched }: LedgerPage): Html {
  if (searched !== undefined) return empty('No matching actions here.')
  if (query.after !== undefined) return empty('No more actions.')
  const all = html`<a href="${ledgerPath}">Show all actions</a>`
  if (isMemberUnknown)
    return empty(
      html`No member has this e-mail address, Slack identity (<code>slack:U…</code>) or id. ${all}`,
    )
  const isFiltered = Object.values(query).some((value) => value !== undefined)
  if (isFiltered) return empty(html`No matching actions. ${all}`)
  return head.action_seq > 0
    ? empty(html`Only capability checks so far. <a href="${ledgerPath}?checks=on">Show checks</a>`)
    : empty(
        html`No actions yet. Give an agent a key (<a href="/console/keys">API keys</a>). What it proposes
          appears here.`,
      )
}

const headPart = (head: LedgerHead, seals: Html): Html =>
  html`<h2>Chain head</h2>
    ${seals}
    <p>
      Each entry contains the hash of the previous entry. Store this hash elsewhere: a rewritten ledger would
      have a different hash. The <a href="${auditPath}">audit log</a> lists the entries.
    </p>
    ${facts([
      [
        'Entries',
        head.seq === 0 ? '0' : html`<a class="number" href="${auditPath}/${head.seq}">${head.seq}</a>`,
      ],
      ['Hash', html`<code>${head.hash}</code>`],
      ['Last entry', moment(head.seq === 0 ? null : head.at)],
    ])}
    <p class="actions">
      <a class="button" href="${ledgerPath}/verify">Verify ledger</a>
      <a class="button" href="${ledgerPath}/export">Download sealed export</a>
      <a class="button" href="${ledgerPath}/policy">Download trust policy</a>
      <a class="button" href="${checkPath}">Check a file</a>
    </p>`

const addressOf = (path: string, query: Query): string =>
  `${path}?${new URLSearchParams(Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined))}`
