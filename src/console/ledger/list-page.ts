import { escapeInvisible } from '../../text/escape-invisible.ts'
import { z } from 'zod'
import { statuses } from '../../gate/lifecycle.ts'
import { limits } from '../../limits.ts'
import {
  type LedgerFilter,
  type LedgerHead,
  type ListedRow,
  browseLedger,
} from '../../operations/admin/browse-ledger.ts'
import { text } from '../../operations/schemas.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { definePage } from '../page.ts'
import { closedWords } from '../proposals/consent-words.ts'
import { ledgerPath } from './ledger-path.ts'
import { choice, empty, facts, moment, nameOf, nextPage, table } from '../parts.ts'

/** The actions of the ledger, with the filters of the API, newest first or in the API's order. */
export const ledgerPage = definePage({
  path: ledgerPath,
  role: 'admin',
  query: z.strictObject({
    kind: optionally(text(limits.kindCharsMax)),
    status: optionally(z.enum(statuses, `must be one of: ${statuses.join(', ')}`)),
    order: optionally(z.enum(['newest', 'oldest'], 'must be newest or oldest')),
    after: optionally(z.string().regex(/^\d{1,15}$/, 'must be an action number')),
  }),
  async show({ deps, session }, query) {
    const filter: LedgerFilter = {
      kind: query.kind ?? null,
      status: query.status ?? null,
      order: query.order ?? 'newest',
      after: query.after === undefined ? null : Number(query.after),
    }
    const { rows, next, head } = await browseLedger(deps, session.account, filter)
    const kinds = [...deps.kinds.keys(), 'capability_check', 'runner_tool'].toSorted()
    return {
      title: 'Ledger',
      body: html`${filterForm(filter, kinds)} ${rows.length === 0 ? emptyList(filter) : rowsTable(rows)}
      ${nextPage(next === undefined ? undefined : addressOf({ ...filter, after: next }))} ${headPart(head)}`,
    }
  },
})

function filterForm({ kind, status, order }: LedgerFilter, kinds: string[]): Html {
  return html`<form method="get" action="${ledgerPath}" class="filter">
    <div class="field">
      <label for="kind">Kind</label>
      <input
        id="kind"
        name="kind"
        type="text"
        list="kinds"
        value="${kind ?? ''}"
        placeholder="any"
        autocomplete="off"
        maxlength="${limits.kindCharsMax}"
      />
      <datalist id="kinds">${kinds.map((name) => html`<option value="${name}"></option>`)}</datalist>
    </div>
    ${choice({
      name: 'status',
      label: 'Status',
      value: status ?? '',
      values: [['', 'any'], ...statuses.map((one) => [one, one] as const)],
    })}
    ${choice({
      name: 'order',
      label: 'Order',
      value: order,
      values: [
        ['newest', 'newest first'],
        ['oldest', 'oldest first (API order)'],
      ],
    })}
    <button type="submit">Filter actions</button>
  </form>`
}

function rowsTable(rows: ListedRow[]): Html {
  return table(
    'Actions',
    ['Action', 'Created', 'Kind', 'Summary', 'Member', 'Status'],
    rows.map((row) => [
      html`<a class="nowrap" href="${ledgerPath}/${row.id}">${row.id}</a>`,
      moment(row.created_at),
      html`<span class="nowrap">${row.kind}</span>`,
      row.about === '' ? html`<span class="none">–</span>` : html`<bdi>${escapeInvisible(row.about)}</bdi>`,
      nameOf(row.member),
      statusBadge(row),
    ]),
  )
}

/** The status of an action; `running` while a confirmed one is executed. */
export function statusBadge(row: Pick<ListedRow, 'status' | 'consent' | 'closed_reason'>): Part {
  const isRunning = row.status === 'proposed' && row.consent !== undefined
  return html`<span class="badge ${isRunning ? 'running' : row.status}"
      >${isRunning ? 'running' : row.status}</span
    >
    ${row.closed_reason === undefined ? '' : html`<span class="hint">${closedWords(row) ?? ''}</span>`}`
}

function emptyList({ kind, status, after }: LedgerFilter): Html {
  if (after !== null) return empty('No more actions.')
  return kind === null && status === null
    ? empty(
        html`No actions yet. Give an agent a key (<a href="/console/keys">API keys</a>). Each capability check
          and each proposal appears here.`,
      )
    : empty(html`No matching actions. <a href="${ledgerPath}">Show all actions</a>`)
}

function headPart(head: LedgerHead): Html {
  return html`<h2>Chain head</h2>
    <p>
      Each entry contains the hash of the previous entry. Store this hash elsewhere: a rewritten ledger would
      have a different hash.
    </p>
    ${facts([
      ['Entries', html`<span class="number">${head.seq}</span>`],
      ['Hash', html`<code>${head.hash}</code>`],
      ['Last entry', moment(head.seq === 0 ? null : head.at)],
    ])}
    <p class="actions">
      <a class="button" href="${ledgerPath}/verify">Verify ledger</a>
      <a class="button" href="${ledgerPath}/export">Download proof (JSON Lines)</a>
    </p>`
}

function addressOf({ kind, status, order, after }: LedgerFilter): string {
  const query = new URLSearchParams({
    ...(kind === null ? {} : { kind }),
    ...(status === null ? {} : { status }),
    order,
    after: String(after),
  })
  return `${ledgerPath}?${query}`
}
