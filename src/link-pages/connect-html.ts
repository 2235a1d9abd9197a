import { type IntegrationProvider, providerName } from '../gate/integration-provider.ts'
import type { ConnectionResult } from '../operations/integrations/connection-result.ts'
import type { AccountChange } from '../operations/integrations/connect-draft.ts'
import type { OpenLink } from '../operations/integrations/connect-link.ts'
import { noOwnEmailSentence } from '../operations/integrations/connect-person.ts'
import { guardSentence } from '../operations/integrations/notify-admins.ts'
import { type RejectedForm, formProblem } from '../web/fields.ts'
import { type Html, type Page, html } from '../web/html.ts'
import { prose } from '../web/prose.ts'
import { credentialFields } from './connect-fields.ts'

/** What a page of a connect link shows besides the link. */
export interface ConnectPageContext {
  isSandbox: boolean
  /** The address of the signed-in user. */
  signedInAs: string
  /** The origin of Slack's own pages, on a page that leads there. */
  slackOrigin?: string
  /** The last attempt, which was refused, and the status to answer. */
  rejected?: RejectedForm & { status: number }
}

/** The page of a link without a session: what the link is for, and where to sign in. */
export function signInFirstPage(link: OpenLink, canMail: boolean): Page {
  const name = providerName[link.provider]
  return {
    status: 200,
    title: `Sign in to connect ${name}`,
    body: html`${
        link.admin_id === null
          ? html`<p>
              <strong>${link.member_name}</strong> wants to connect ${name} to
              <strong>${link.account_name}</strong>. Only this member or an administrator of the account can
              connect it.
            </p>`
          : html`<p>
              An administrator of <strong>${link.account_name}</strong> started to connect ${name} in the
              console. Only this administrator can continue.
            </p>`
      }
      <p>
        ${
          canMail
            ? 'Sign in with a link sent by e-mail. You then see what changes before you confirm.'
            : noOwnEmailSentence
        }
      </p>
      <p><a class="button" href="/console/sign-in">Sign in</a></p>
      <p><small>If you are already signed in, the button brings you straight back here.</small></p>`,
  }
}

/** The page of a link: who requested it, what is in use now, and the form. */
export function connectPage(
  link: OpenLink,
  from: string,
  { isSandbox, signedInAs, slackOrigin, rejected }: ConnectPageContext,
): Page {
  const name = providerName[link.provider]
  return {
    status: rejected?.status ?? 200,
    title: `Connect ${name}`,
    ...(slackOrigin === undefined ? {} : { formsTo: formTargets(slackOrigin) }),
    body: html`${isSandbox ? sandboxNotice : ''} ${formProblem(rejected)} ${requesterPart(link)}
      ${facts([
        ['Currently in use', from],
        ['Signed in as', signedInAs],
      ])}
      <p>
        ${effects[link.provider]} This replaces what is currently in use. You can review the change before it
        is made.
      </p>
      <p>The credential is stored encrypted and never shown again.</p>
      <form method="post" autocomplete="off">
        ${credentialFields(link.provider, rejected)}
        <button type="submit">${actions[link.provider]}</button>
      </form>
      ${expiry(link)}`,
  }
}

/** The review of a credential: what connecting it changes, and the button that connects it. */
export function reviewPage(
  link: OpenLink,
  { from, to, isSame }: AccountChange,
  { isSandbox, signedInAs, rejected }: ConnectPageContext,
): Page {
  const name = providerName[link.provider]
  return {
    status: rejected?.status ?? 200,
    title: `Review ${name} change`,
    body: html`${isSandbox ? sandboxNotice : ''} ${formProblem(rejected)} ${requesterPart(link)}
      ${facts([
        ['From', from],
        ['To', to],
        ['Signed in as', signedInAs],
      ])}
      <p>
        ${
          isSame
            ? 'This credential is already in use. The connected account does not change.'
            : `${link.provider === 'teams' ? 'The URL was not called: a wrong one fails at the first broadcast.' : `${name} accepted the credential.`} Nothing changes until you connect it.`
        }
      </p>
      ${link.provider === 'stripe' && !isSame ? html`<p class="notice">${guardSentence}</p>` : ''}
      <form method="post">
        <input type="hidden" name="draft" value="${link.draft!.id}" />
        <input type="hidden" name="replaces" value="${link.in_use?.id ?? ''}" />
        <button type="submit">Connect ${name}</button>
      </form>
      <p>
        <a href="?again">${again[link.provider]}</a>
      </p>
      ${expiry(link)}`,
  }
}

/** The page after Slack's own page. A request from another site carries no session, so the review is on the next page. */
export function installedPage({ provider }: OpenLink): Page {
  const name = providerName[provider]
  return {
    status: 200,
    title: `${name} installation allowed`,
    body: html`<p>Nothing is connected yet. Review the change, then connect it.</p>
      <p><a class="button" href="/console/sign-in">Review change</a></p>`,
  }
}

const requesterPart = (link: OpenLink): Html =>
  link.admin_id === null
    ? html`<p>
        <strong>${link.member_name}</strong> (${link.member}) wants to connect ${providerName[link.provider]}
        to <strong>${link.account_name}</strong>. Continue only if you expected this.
      </p>`
    : html`<p>
        You connect ${providerName[link.provider]} to <strong>${link.account_name}</strong> as its
        administrator. Other administrators get an e-mail about the change.
      </p>`

const facts = (pairs: [string, string][]): Html =>
  html`<dl class="change">
    ${pairs.map(
      ([label, value]) =>
        html`<dt>${label}</dt>
          <dd><bdi>${value}</bdi></dd>`,
    )}
  </dl>`

const expiry = (link: OpenLink): Html =>
  html`<p><small>This link works once, until ${timeOf(link.expires_at)} UTC.</small></p>`

/** The last page: the provider is connected, or will be in a moment. */
export function connectedPage(
  { provider, accountName, isInUse, isRefused }: ConnectionResult,
  isAdmin: boolean,
): Page {
  const name = providerName[provider]
  if (isRefused) return problemPage(409, 'Nothing was connected. Ask the agent for a new link.')
  const next = isAdmin
    ? html`<p><a href="/console/integrations">Back to integrations</a></p>`
    : html`<p><a href="/console">Open the console</a></p>`
  return {
    status: isInUse ? 200 : 202,
    title: isInUse ? `${name} connected` : `Connecting ${name}`,
    body: isInUse
      ? html`<p>${accountName} now uses this connection. You can close this page.</p>
          ${next}`
      : html`<p>
            The connection is confirmed. ${accountName} will use it in a moment. You can close this page.
          </p>
          ${next}`,
  }
}

/** A page that says why there is no form and what to do. */
export function problemPage(status: number, sentence: string, title?: string): Page {
  return {
    status,
    title: title ?? (status === 404 ? 'Link not found' : 'Nothing was connected'),
    body: html`<p class="problem" role="alert">${prose(sentence)}</p>
      <p><a href="/console">Open the console</a></p>`,
  }
}

const sandboxNotice = html`<p class="notice">
  Sandbox: this connects a simulated provider on this machine. Do not enter a real key.
</p>`

const effects: Record<IntegrationProvider, string> = {
  slack:
    'A bot in your Slack workspace sends broadcasts to members as direct messages. Slack shows the permissions, and you choose the workspace.',
  resend: 'Broadcast e-mails are sent with your key, from the sender you enter.',
  smtp: 'Broadcast e-mails are sent by your mail server, from the sender you enter. The gate signs in once to check it, and sends nothing.',
  teams:
    'Each broadcast is also posted in the room of this workflow, where everyone reads it. Nothing is posted now.',
  teams_bot:
    'Members who have a Teams identity are asked by this bot in Microsoft Teams, and decide there. Nobody is written to now.',
  stripe:
    'Checkouts, refunds, payouts and cancellations run on your Stripe account, each only after the member has given consent.',
}

const actions: Record<IntegrationProvider, string> = {
  slack: 'Continue to Slack',
  resend: 'Check key',
  smtp: 'Check login',
  teams: 'Continue',
  teams_bot: 'Check bot',
  stripe: 'Check key',
}

const again: Record<IntegrationProvider, string> = {
  slack: 'Choose another workspace',
  resend: 'Enter another key',
  smtp: 'Enter another login',
  teams: 'Enter another URL',
  teams_bot: 'Enter another bot',
  stripe: 'Enter another key',
}

const timeOf = (at: Date): string => at.toISOString().slice(0, 16).replace('T', ' ')

// Browsers apply the form policy to every redirect of a form: Slack redirects to the workspace's own host.
function formTargets(origin: string): string[] {
  const { protocol, host } = new URL(origin)
  return protocol === 'https:' ? [origin, `https://*.${host}`] : [origin]
}
