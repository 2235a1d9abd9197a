import { z } from 'zod'
import { limits } from '../../limits.ts'
import { instant } from '../../operations/entered-fields.ts'
import { type DeliveryRow, listDeliveries, replayEvents } from '../../operations/events/deliveries.ts'
import { type EndpointRow, publicKeyOf } from '../../operations/events/endpoints.ts'
import { offWords } from '../../operations/events/turned-off.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { accountOf, asAdmin, definePage } from '../page.ts'
import {
  address,
  breakable,
  empty,
  facts,
  field,
  formProblem,
  moment,
  nextPage,
  rowLink,
  table,
} from '../parts.ts'
import { endpointIdIn, endpointIn } from './endpoint-form.ts'
import { stateBadge } from './list-page.ts'
import { endpointPath, endpointsPath } from './paths.ts'

/** One endpoint: what it is told, and how it answered; and a form that sends again what it missed. */
export const endpointPage = definePage({
  path: endpointPath(':endpoint'),
  role: 'admin',
  query: z.strictObject({ before: optionally(wholeNumber(1, Number.MAX_SAFE_INTEGER)) }),
  form: z.strictObject({ since: instant }),
  labels: { since: 'Since' },
  async show(context, { before }, rejected) {
    const endpoint = await endpointIn(context)
    const { endpoint_id: endpointId, description } = endpoint
    const path = endpointPath(endpointId)
    const page = { endpointId, before: before ?? null, limitRows: limits.consoleRowsPerPage + 1 }
    const found = await listDeliveries(accountOf(context), page)
    const rows = found.slice(0, limits.consoleRowsPerPage)
    const next = found.length > rows.length ? rows.at(-1)!.n : undefined
    return {
      title: description,
      body: html`${formProblem(rejected)}
        <p class="line">${stateBadge(endpoint)} <code>${address(endpoint.url)}</code></p>
        ${troublePart(endpoint)} ${facts(factsOf(endpoint))} ${actionsPart(path, endpoint)}
        <h2>Deliveries</h2>
        ${
          rows.length === 0
            ? empty('No deliveries in the last 30 days.')
            : table(
                'Deliveries',
                ['Event', 'Happened', 'State', 'Answer', 'Actions'],
                rows.map((row) => rowOf(path, row)),
              )
        }
        ${nextPage(next === undefined ? undefined : `${path}?before=${next}`)}
        <h2>Replay</h2>
        <p>
          Sends all events since a time again, under their ids: also those that this endpoint missed while it
          was off. At most ${limits.eventsReplayedMax.toLocaleString('en')} at once.
        </p>
        <form method="post">
          ${field({
            name: 'since',
            label: 'Since',
            hint: 'A day or a time in the last 30 days, such as 2030-01-31 or 2030-01-31T12:00:00Z.',
            rejected,
          })}
          <button type="submit">Replay events</button>
        </form>
        <p class="pager"><a href="${endpointsPath}">All endpoints</a></p>`,
    }
  },
  async send(context, { since }) {
    const id = endpointIdIn(context)
    const { queued } = await replayEvents(asAdmin(context), id, { since })
    return { to: endpointPath(id), flash: queued === 0 ? 'nothing_to_replay' : 'events_queued' }
  },
})

const troublePart = ({ off_reason: off, failing_since: since }: EndpointRow): Part => {
  if (off === 'gone' || off === 'failing')
    return html`<p class="problem" role="alert">
      Turned off: ${offWords[off]}. Turn it on, then replay what it missed.
    </p>`
  if (off === null && since !== null)
    return html`<p class="problem" role="alert">
      No delivery succeeds since ${moment(since)}. It is turned off after 5 days.
    </p>`
  return ''
}

const factsOf = (endpoint: EndpointRow): [string, Part][] => [
  ['Endpoint ID', html`<code>${endpoint.endpoint_id}</code>`],
  ['Types', endpoint.types === null ? 'all' : endpoint.types.join(', ')],
  ['What is sent', endpoint.is_full ? 'the object' : 'ids alone'],
  ['Public key', html`<code>${publicKeyOf(endpoint)}</code>`],
  ...(endpoint.rotates_until === null
    ? []
    : ([['Former secrets', html`sign until ${moment(endpoint.rotates_until)}`]] satisfies [string, Part][])),
  ...(endpoint.paused_until === null
    ? []
    : ([['Asked for time', html`until ${moment(endpoint.paused_until)}`]] satisfies [string, Part][])),
  ['Added', moment(endpoint.created_at)],
]

const actionsPart = (path: string, { off_reason: off }: EndpointRow): Html =>
  html`<p class="actions">
    ${off === null ? html`<a class="button" href="${path}/test">Send test</a>` : ''}
    <a class="button" href="${path}/change">Change endpoint</a>
    <a class="button" href="${path}/rotate">Rotate secrets</a>
    <a class="button" href="${path}/turn">${off === null ? 'Turn off' : 'Turn on'}</a>
    <a class="button" href="${path}/remove">Remove endpoint</a>
  </p>`

const rowOf = (path: string, row: DeliveryRow): Part[] => [
  html`${breakable(row.type)}
    ${row.action_id === null ? '' : html`<a href="/console/ledger/${row.action_id}">#${row.action_id}</a>`}
    <code class="hint">${breakable(row.event_id)}</code>`,
  moment(row.at),
  stateOf(row),
  answerOf(row),
  row.state === 'waiting' ? '' : rowLink(`${path}/events/${row.event_id}/replay`, 'Replay', row.event_id),
]

const stateOf = ({ state, attempts, due_at: due }: DeliveryRow): Part => {
  if (state === 'delivered') return attempts > 1 ? `delivered, attempt ${attempts}` : 'delivered'
  if (state === 'given_up') return `given up after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
  return attempts === 0 ? 'waiting' : html`attempt ${attempts + 1} ${moment(due)}`
}

/** What the receiver answered is somebody else's text. */
const answerOf = ({ attempted_at: at, status, code, ms, answer }: DeliveryRow): Part =>
  at === null
    ? html`<span class="none">none</span>`
    : html`<code>${status ?? code ?? ''}</code> <span class="hint">${ms ?? 0} ms</span> ${
          answer === null
            ? ''
            : html`<details>
                <summary>Answer</summary>
                <code>${escapeInvisible(answer)}</code>
              </details>`
        }`
