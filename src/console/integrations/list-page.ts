import { z } from 'zod'
import { GateError } from '../../errors.ts'
import {
  type IntegrationProvider,
  integrationProviders,
  providerName,
  useOf,
} from '../../gate/integration-provider.ts'
import { type IntegrationView, listConnected } from '../../operations/integrations/list-connections.ts'
import {
  type RecentChange,
  changedByWords,
  recentChanges,
} from '../../operations/integrations/recent-changes.ts'
import { environmentProviders } from '../../operations/integrations/environment-providers.ts'
import { disconnect, revokeAtProviderSentence } from '../../operations/integrations/disconnect.ts'
import { connectObstacle } from '../../operations/integrations/connect-prerequisites.ts'
import { notifyOfDisconnection } from '../../operations/integrations/notify-admins.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { prose } from '../../web/prose.ts'
import { type PageContext, asAdmin, definePage, idIn } from '../page.ts'
import { botOf } from '../../operations/maintenance/teams-bots.ts'
import { botFacts } from './bot-part.ts'
import { ago, confirmation, facts, moment, formProblem, table } from '../parts.ts'

export const integrationsPath = '/console/integrations'
export const provider = z.enum(integrationProviders)

/** The providers that the account has connected, and what is used instead of the others. */
export const integrationsPage = definePage({
  path: integrationsPath,
  role: 'admin',
  async show({ deps, session }) {
    const connections = await listConnected(deps, session.account)
    const fromEnvironment = await environmentProviders(deps, session.account)
    const earlier = connections.filter(({ state }) => state !== 'connected')
    const bot = await botOf(deps.db, session.account)
    return {
      title: 'Integrations',
      body: html`<p>
          Slack, and Resend or a mail server, deliver broadcasts to members; Microsoft Teams posts them in a
          room, and the bot there asks members for consent. Stripe moves money. A provider that the account
          connects replaces the one the service provides. A member can also ask their agent to call
          <code>connect_integration</code>, which returns a link to the same pages.
        </p>
        ${changesPart(await recentChanges(deps.db, session.account, connections))}
        ${integrationProviders.map((name) =>
          section(
            name,
            connections.find((one) => one.provider === name && one.state === 'connected'),
            { standIn: fromEnvironment[name], beside: besideOf(name, connections) },
            {
              isSandbox: deps.isSandbox,
              obstacle: connectObstacle(deps, name),
              more: name === 'teams_bot' && bot ? botFacts(bot) : [],
            },
          ),
        )}
        ${earlier.length === 0 ? '' : historyPart(earlier)}`,
    }
  },
})

/** Confirms before a provider is disconnected. */
export const disconnectPage = definePage({
  path: `${integrationsPath}/:provider/disconnect`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { deps, session } = context
    const name = idIn(context, 'provider', provider)
    const found = (await listConnected(deps, session.account)).find(
      (one) => one.provider === name && one.state === 'connected',
    )
    if (!found) throw new GateError('not_found', `${providerName[name]} is not connected to this account.`)
    const standIn = (await environmentProviders(deps, session.account))[name]
    return {
      title: `Disconnect ${providerName[name]}?`,
      body: html`${formProblem(rejected)} ${facts(connectionFacts(found))}
        <p>
          ${
            standIn === null
              ? name === 'teams'
                ? 'Broadcasts are no longer posted in this room. Those that wait for a decision and would be posted there go to members alone.'
                : name === 'teams_bot'
                  ? 'Members are no longer asked in Microsoft Teams, and the buttons there no longer decide. They are asked in Slack or by e-mail.'
                  : `There is no replacement: actions that need ${providerName[name]} fail until it is connected again.`
              : `After that, the account uses ${standInWords(name, standIn)}.`
          }
        </p>
        <p class="notice">The credential is deleted here. ${revokeAtProviderSentence(name)}</p>
        ${confirmation({ button: `Disconnect ${providerName[name]}`, back: integrationsPath })}`,
    }
  },
  async send(context: PageContext) {
    const { provider: name } = await disconnect(asAdmin(context), idIn(context, 'provider', provider))
    await notifyOfDisconnection(context.deps, context.session, name)
    return { to: integrationsPath, flash: 'integration_disconnected' }
  },
})

/** A notice for the latest change of each provider within the last day. */
export const changesPart = (changes: RecentChange[]): Html[] =>
  changes.map(
    ({ provider: name, how, at, by, guardedUntil }) =>
      html`<p class="notice">
        ${providerName[name]} was ${how}
        ${ago(at)}${by === null ? '' : html` by <bdi>${changedByWords(by)}</bdi>`}.
        ${
          guardedUntil === null
            ? ''
            : html`Until ${moment(guardedUntil)}, every refund, payout, checkout and cancellation requires the
              member’s own consent on a page.`
        }
      </p>`,
  )

/** What is used where a provider is not connected. `beside`: another one that the account connected for the same use. */
interface Instead {
  standIn: 'environment' | 'sandbox' | null
  beside: IntegrationProvider | undefined
}

const besideOf = (
  name: IntegrationProvider,
  connections: IntegrationView[],
): IntegrationProvider | undefined =>
  connections.find(
    ({ provider, state }) => state === 'connected' && provider !== name && useOf(provider) === useOf(name),
  )?.provider

function insteadWords(name: IntegrationProvider, { standIn, beside }: Instead): string {
  if (beside !== undefined) return `The account's mail goes by ${providerName[beside]}.`
  if (name === 'teams') return 'Broadcasts are posted in no room.'
  if (name === 'teams_bot') return 'Nobody is asked in Microsoft Teams.'
  return standIn === null
    ? 'The service provides none: actions that need it are refused.'
    : `The account uses ${standInWords(name, standIn)}.`
}

function standInWords(name: IntegrationProvider, standIn: 'environment' | 'sandbox'): string {
  if (standIn === 'sandbox') return 'the sandbox'
  // Money is never shared: see src/integrations/environment-money.ts.
  return `the provider of the service, ${name === 'stripe' ? 'for this account alone' : 'shared by all accounts'}`
}

function section(
  name: IntegrationProvider,
  connected: IntegrationView | undefined,
  { standIn, beside }: Instead,
  { isSandbox, obstacle, more }: { isSandbox: boolean; obstacle: string | undefined; more: [string, Part][] },
): Html {
  const isUsed = connected !== undefined && connected.sandbox === isSandbox
  return html`<section aria-labelledby="${name}">
    <h2 id="${name}">
      ${providerName[name]} ${stateBadge(connected, isUsed, beside === undefined ? standIn : null)}
    </h2>
    ${
      connected
        ? html`${facts([...connectionFacts(connected), ...more])}
            ${
              isUsed
                ? ''
                : html`<p class="notice">
                    ${
                      connected.sandbox
                        ? 'Connected in the sandbox. This service does not run in the sandbox, so the connection is not used.'
                        : 'Connected outside the sandbox. This service runs in the sandbox, so the connection is not used.'
                    }
                  </p>`
            }
            <div class="beside">
              ${connectPart(name, obstacle, `Replace ${providerName[name]} connection`)}
              <p>
                <a class="button" href="${integrationsPath}/${name}/disconnect"
                  >Disconnect ${providerName[name]}</a
                >
              </p>
            </div>`
        : html`<p>Not connected. ${insteadWords(name, { standIn, beside })}</p>
            ${connectPart(name, obstacle, `Connect ${providerName[name]}`)}`
    }
  </section>`
}

/** The button that begins a connection, or what is missing for one. */
const connectPart = (name: IntegrationProvider, obstacle: string | undefined, button: string): Html =>
  obstacle === undefined
    ? html`<form method="post" action="${integrationsPath}/${name}/connect">
        <button type="submit" class="plain">${button}</button>
      </form>`
    : html`<p class="hint">${prose(obstacle)}</p>`

function stateBadge(connected: IntegrationView | undefined, isUsed: boolean, standIn: string | null): Part {
  if (connected && isUsed) return html`<span class="badge good">connected</span>`
  if (connected) return html`<span class="badge over">not used here</span>`
  return standIn === null
    ? html`<span class="badge over">not connected</span>`
    : html`<span class="badge">${standIn}</span>`
}

function connectionFacts(one: IntegrationView): [string, Part][] {
  const given: [string, Part | null][] = [
    ['Workspace', one.team === null ? null : html`<bdi>${one.team}</bdi>`],
    ['Key', one.last4 === null ? null : html`ends in <code>${one.last4}</code>`],
    ['Room', one.room === null ? null : html`<bdi>${one.room}</bdi>`],
    ['Server', one.server === null ? null : html`<bdi>${one.server}</bdi>`],
    ['Tenant ID', one.tenant === null ? null : html`<code>${one.tenant}</code>`],
    ['App ID', one.app_id === null ? null : html`<code>${one.app_id}</code>`],
    ['Sender', one.sender === null ? null : html`<bdi>${one.sender}</bdi>`],
    ['Connected', moment(one.connected_at)],
    ['Connected by', html`<bdi>${changedByWords(one.by)}</bdi>`],
  ]
  return given.filter((fact): fact is [string, Part] => fact[1] !== null)
}

const historyPart = (earlier: IntegrationView[]): Html =>
  html`<h2>Earlier connections</h2>
    ${table(
      'Earlier connections',
      ['Provider', 'Account', 'Connected by', 'Connected', 'Disconnected'],
      earlier.map((one) => [
        providerName[one.provider],
        html`<bdi
          >${one.team ?? one.room ?? one.server ?? one.app_id ?? (one.last4 === null ? '–' : `key …${one.last4}`)}</bdi
        >`,
        html`<bdi>${changedByWords(one.by)}</bdi>`,
        moment(one.connected_at),
        one.state === 'pending' ? 'not in use yet' : moment(one.disconnected_at),
      ]),
    )}`
