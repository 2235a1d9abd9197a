import { z } from 'zod'
import { GateError } from '../../errors.ts'
import {
  type IntegrationProvider,
  integrationProviders,
  providerName,
} from '../../gate/integration-provider.ts'
import {
  type IntegrationView,
  disconnect,
  environmentProviders,
  listConnected,
  type RecentChange,
  recentChanges,
  revokeAtProviderSentence,
} from '../../operations/admin/integrations.ts'
import { notifyOfDisconnection } from '../../operations/integrations/notify-admins.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { type PageContext, asAdmin, definePage, idIn } from '../page.ts'
import { confirmation, distance, facts, moment, formProblem, table } from '../parts.ts'

const path = '/console/integrations'
const provider = z.enum(integrationProviders)

/** What the account has connected, and what is used where it has not. */
export const integrationsPage = definePage({
  path,
  role: 'admin',
  async show({ deps, session }) {
    const connections = await listConnected(deps, session.account)
    const fromEnvironment = environmentProviders(deps.config, deps.isSandbox)
    const over = connections.filter(({ state }) => state !== 'connected')
    return {
      title: 'Integrations',
      body: html`<p>
          Slack and Resend carry broadcasts to members, Stripe moves money. A member connects one by asking
          their agent: <code>connect_integration</code> answers a link. They open it and sign in, or an
          administrator does. What an account connects takes the place of what the service brings.
        </p>
        ${changesPart(await recentChanges(deps.db, session.account, connections))}
        ${integrationProviders.map((name) =>
          section(
            name,
            connections.find((one) => one.provider === name && one.state === 'connected'),
            fromEnvironment[name],
            deps.isSandbox,
          ),
        )}
        ${over.length === 0 ? '' : historyPart(over)}`,
    }
  },
})

/** Asks before a connection is taken away. */
export const disconnectPage = definePage({
  path: `${path}/:provider/disconnect`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { deps, session } = context
    const name = idIn(context, 'provider', provider)
    const found = (await listConnected(deps, session.account)).find(
      (one) => one.provider === name && one.state === 'connected',
    )
    if (!found) throw new GateError('not_found', `This account has not connected ${providerName[name]}.`)
    const standIn = environmentProviders(deps.config, deps.isSandbox)[name]
    return {
      title: `Disconnect ${providerName[name]}?`,
      body: html`${formProblem(rejected)} ${facts(connectionFacts(found))}
        <p>
          ${
            standIn === null
              ? `Nothing takes its place: what needs ${providerName[name]} does not work until it is connected again.`
              : `From then on ${standInWords[standIn]} is used.`
          }
        </p>
        <p class="notice">Here the credential is deleted. ${revokeAtProviderSentence(name)}</p>
        ${confirmation({ button: `Disconnect ${providerName[name]}`, back: path })}`,
    }
  },
  async send(context: PageContext) {
    const { provider: name } = await disconnect(asAdmin(context), idIn(context, 'provider', provider))
    notifyOfDisconnection(context.deps, context.session, name)
    return { to: path, flash: 'integration_disconnected' }
  },
})

/** The changes of the last day, the newest of each provider: nothing where nothing was changed. */
export const changesPart = (changes: RecentChange[], now: Date = new Date()): Html[] =>
  changes.map(
    ({ provider: name, how, at, by, guardedUntil }) =>
      html`<p class="notice">
        ${providerName[name]} was ${how} ${distance(at, now)}${by === null ? '' : html` by <bdi>${by}</bdi>`}.
        ${
          guardedUntil === null
            ? ''
            : html`Until ${moment(guardedUntil, now)} each refund, payout, checkout and cancellation needs the
              member’s own consent on a page.`
        }
      </p>`,
  )

const standInWords = {
  environment: 'what the service brings for every account',
  sandbox: 'the sandbox’s stand-in',
}

function section(
  name: IntegrationProvider,
  connected: IntegrationView | undefined,
  standIn: 'environment' | 'sandbox' | null,
  isSandbox: boolean,
): Html {
  const isUsed = connected !== undefined && connected.sandbox === isSandbox
  return html`<section aria-labelledby="${name}">
    <h2 id="${name}">${providerName[name]} ${stateBadge(connected, isUsed, standIn)}</h2>
    ${
      connected
        ? html`${facts(connectionFacts(connected))}
            ${
              isUsed
                ? ''
                : html`<p class="notice">
                    ${
                      connected.sandbox
                        ? 'It was connected in the sandbox, which this service is not: it is not used here.'
                        : 'It was connected outside of the sandbox, in which this service runs: it is not used here.'
                    }
                  </p>`
            }
            <p><a class="button" href="${path}/${name}/disconnect">Disconnect ${providerName[name]}</a></p>`
        : html`<p>
            ${
              standIn === null
                ? 'Not connected, and the service brings none: what needs it is refused.'
                : `Not connected: ${standInWords[standIn]} is used.`
            }
          </p>`
    }
  </section>`
}

function stateBadge(connected: IntegrationView | undefined, isUsed: boolean, standIn: string | null): Part {
  if (connected && isUsed) return html`<span class="badge good">connected</span>`
  if (connected) return html`<span class="badge over">not used here</span>`
  return standIn === null
    ? html`<span class="badge over">missing</span>`
    : html`<span class="badge">${standIn}</span>`
}

function connectionFacts(one: IntegrationView): [string, Part][] {
  const given: [string, Part | null][] = [
    ['Workspace', one.team === null ? null : html`<bdi>${one.team}</bdi>`],
    ['Key', one.last4 === null ? null : html`ends in <code>${one.last4}</code>`],
    ['Sender', one.sender === null ? null : html`<bdi>${one.sender}</bdi>`],
    ['Since', moment(one.connected_at)],
    ['Connected by', html`<bdi>${one.by}</bdi>`],
  ]
  return given.filter((fact): fact is [string, Part] => fact[1] !== null)
}

const historyPart = (over: IntegrationView[]): Html =>
  html`<h2>Before</h2>
    ${table(
      'Connections that are over',
      ['Provider', 'What', 'By', 'From', 'Until'],
      over.map((one) => [
        providerName[one.provider],
        html`<bdi>${one.team ?? (one.last4 === null ? '–' : `key …${one.last4}`)}</bdi>`,
        html`<bdi>${one.by}</bdi>`,
        moment(one.connected_at),
        one.state === 'pending' ? 'not in use yet' : moment(one.disconnected_at),
      ]),
    )}`
