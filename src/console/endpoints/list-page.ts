import { limits } from '../../limits.ts'
import { type EndpointRow, addEndpoint, listEndpoints } from '../../operations/events/endpoints.ts'
import { type Part, html } from '../../web/html.ts'
import { accountOf, asAdmin, definePage } from '../page.ts'
import { address, empty, formProblem, nameOf, table } from '../parts.ts'
import {
  endpointFieldsPart,
  endpointForm,
  endpointLabels,
  secretsView,
  serviceOf,
  settingsIn,
} from './endpoint-form.ts'
import { endpointPath, endpointsPath } from './paths.ts'

/** The addresses that are told of events. */
export const endpointsPage = definePage({
  path: endpointsPath,
  role: 'admin',
  async show(context) {
    const endpoints = await listEndpoints(accountOf(context))
    return {
      title: 'Endpoints',
      body: html`<p>
          Addresses of yours that are told what happens in this account: proposals, decisions, changes of
          keys, members and policy. Each request is signed.
        </p>
        <p><a class="button primary" href="${endpointsPath}/new">Add endpoint</a></p>
        ${
          endpoints.length === 0
            ? empty(html`No endpoints yet. <a href="${endpointsPath}/new">Add an endpoint</a>.`)
            : table(
                'Endpoints',
                ['Description', 'State', 'Address', 'Types', 'Waiting'],
                endpoints.map(rowOf),
              )
        }`,
    }
  },
})

const rowOf = (one: EndpointRow): Part[] => [
  html`<a href="${endpointPath(one.endpoint_id)}">${nameOf(one.description)}</a>`,
  stateBadge(one),
  html`<code>${address(one.url)}</code>`,
  one.types === null ? 'all' : html`<span class="number">${one.types.length}</span>`,
  html`<span class="number">${one.waiting}</span>`,
]

export const stateBadge = ({ off_reason: off, failing_since: since }: EndpointRow): Part => {
  if (off !== null) return html`<span class="badge over">off</span>`
  return since === null ? html`<span class="badge">on</span>` : html`<span class="badge over">failing</span>`
}

/** Adds an endpoint. The answer is the only page that ever shows its secret. */
export const newEndpointPage = definePage({
  path: `${endpointsPath}/new`,
  role: 'admin',
  form: endpointForm,
  labels: endpointLabels,
  async show(_context, _query, rejected) {
    return {
      title: 'Add endpoint',
      body: html`${formProblem(rejected)}
        <p>An account has at most ${limits.endpointsMax} endpoints.</p>
        <form method="post">
          ${endpointFieldsPart(rejected)}
          <button type="submit">Add endpoint</button>
          <a class="button" href="${endpointsPath}">Go back</a>
        </form>`,
    }
  },
  send: async (context, form) =>
    secretsView(await addEndpoint(asAdmin(context), serviceOf(context), settingsIn(form))),
})
