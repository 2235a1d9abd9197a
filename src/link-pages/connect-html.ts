import type { ConnectForm } from '../integrations/credential.ts'
import { type IntegrationProvider, providerName } from '../gate/integration-provider.ts'
import type { ConnectionResult } from '../operations/integrations/connection-result.ts'
import type { AccountChange } from '../operations/integrations/connect-draft.ts'
import type { OpenLink } from '../operations/integrations/connect-link.ts'
import { noOwnEmailSentence } from '../operations/integrations/connect-person.ts'
import { guardSentence } from '../operations/integrations/notify-admins.ts'
import { type Html, type Page, html } from '../web/html.ts'

type Filled = Omit<ConnectForm, 'key'>

/** What a link's page shows beside the link. */
export interface ConnectPageContext {
  isSandbox: boolean
  /** Whose session it is: the mailbox. */
  signedInAs: string
  /** Where Slack's own pages are, on a page that leads there. */
  slackOrigin?: string
  /** What was wrong with the last try, and what it filled in beside the key. */
  problem?: { status: number; sentence: string; filled: Filled }
}

/** The page of a link for somebody of whom nobody knows who it is: what it is for, and where to sign in. */
export function signInFirstPage(link: OpenLink, canMail: boolean): Page {
  const name = providerName[link.provider]
  return {
    status: 200,
    title: `Sign in to connect ${name}`,
    body: html`<p>
        <strong>${link.member_name}</strong> asks to connect ${name} to <strong>${link.account_name}</strong>.
        Only that member or an administrator of the account can do it.
      </p>
      <p>
        ${
          canMail
            ? 'Sign in by a link in your mailbox. Then you see which account is replaced, before anything changes.'
            : noOwnEmailSentence
        }
      </p>
      <p><a class="button" href="/console/sign-in">Sign in</a></p>
      <p><small>If you are signed in already, the button leads straight back here.</small></p>`,
  }
}

/** The page of a link: who asks for what, what is in use now, and the form. */
export function connectPage(
  link: OpenLink,
  from: string,
  { isSandbox, signedInAs, slackOrigin, problem }: ConnectPageContext,
): Page {
  const name = providerName[link.provider]
  return {
    status: problem?.status ?? 200,
    title: `Connect ${name}`,
    ...(slackOrigin === undefined ? {} : { formsTo: formTargets(slackOrigin) }),
    body: html`${isSandbox ? sandboxNotice : ''} ${problem ? problemBox(problem.sentence) : ''}
      ${requesterPart(link)}
      ${facts([
        ['In use now', from],
        ['Signed in as', signedInAs],
      ])}
      <p>${effects[link.provider]} It replaces what is in use now. You see the change before it is made.</p>
      <p>The credential is kept encrypted and never shown again.</p>
      <form method="post" autocomplete="off">
        ${fieldsOf(link.provider, problem?.filled ?? { sender: '', returnUrl: '' })}<button type="submit">
          ${actions[link.provider]}
        </button>
      </form>
      ${expiry(link)}`,
  }
}

/** What putting a credential that was brought into use changes, and the button that does it. */
export function reviewPage(
  link: OpenLink,
  { from, to, isSame }: AccountChange,
  { isSandbox, signedInAs, problem }: ConnectPageContext,
): Page {
  const name = providerName[link.provider]
  return {
    status: problem?.status ?? 200,
    title: `Review the ${name} change`,
    body: html`${isSandbox ? sandboxNotice : ''} ${problem ? problemBox(problem.sentence) : ''}
      ${requesterPart(link)}
      ${facts([
        ['From', from],
        ['To', to],
        ['Signed in as', signedInAs],
      ])}
      <p>
        ${
          isSame
            ? 'This is the credential that is in use now: the account stays the same.'
            : `${name} accepted the credential. Nothing is changed until you confirm.`
        }
      </p>
      ${link.provider === 'stripe' && !isSame ? html`<p class="notice">${guardSentence}</p>` : ''}
      <form method="post">
        <input type="hidden" name="draft" value="${link.draft!.id}" />
        <input type="hidden" name="replaces" value="${link.in_use?.id ?? ''}" />
        <button type="submit">Connect ${name}</button>
      </form>
      <p>
        <a href="?again">${link.provider === 'slack' ? 'Choose another workspace' : 'Enter another key'}</a>
      </p>
      ${expiry(link)}`,
  }
}

/** After Slack's own page. What comes from another site brings no session, so the review is a page further. */
export function installedPage({ provider }: OpenLink): Page {
  const name = providerName[provider]
  return {
    status: 200,
    title: `${name} allowed it`,
    body: html`<p>Nothing is connected yet. Review what changes, then confirm it.</p>
      <p><a class="button" href="/console/sign-in">Review the change</a></p>`,
  }
}

const requesterPart = (link: OpenLink): Html =>
  html`<p>
    <strong>${link.member_name}</strong> (${link.member}) asks to connect ${providerName[link.provider]} to
    <strong>${link.account_name}</strong>. Continue only if you know why.
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

/** The last page: it is connected, or in a moment. */
export function connectedPage({ provider, accountName, isInUse, isRefused }: ConnectionResult): Page {
  const name = providerName[provider]
  if (isRefused) return problemPage(409, 'Nothing was connected. Ask the agent for a new link.')
  return {
    status: isInUse ? 200 : 202,
    title: isInUse ? `${name} is connected` : `${name} is being connected`,
    body: isInUse
      ? html`<p>${accountName} uses it from now on. You can close this page.</p>`
      : html`<p>It is confirmed, and ${accountName} uses it in a moment. You can close this page.</p>`,
  }
}

/** A page that says why there is no form, and what to do. */
export function problemPage(status: number, sentence: string, isLost = false): Page {
  const title = isLost ? 'Outcome unknown' : (titleOf[status] ?? 'Nothing was connected')
  return { status, title, body: problemBox(sentence) }
}

const titleOf: Partial<Record<number, string>> = { 404: 'No such link', 410: 'This link is over' }

const sandboxNotice = html`<p class="notice">
  Sandbox: this connects a stand-in on this machine. Do not paste a real key.
</p>`
const problemBox = (sentence: string): Html => html`<p class="problem" role="alert">${sentence}</p>`

const effects: Record<IntegrationProvider, string> = {
  slack:
    'Broadcasts go to members as direct messages of a bot in your workspace. Slack shows you what it may do, and you choose the workspace.',
  resend: 'E-mails of broadcasts are sent with your key, from the sender you name.',
  stripe:
    'Checkouts, refunds, payouts and cancellations run on your Stripe account, each only after its member has consented.',
}

function keyField(label: string, hint: Html): Html {
  return html`<label for="key">${label}</label>
    <input
      id="key"
      name="key"
      type="password"
      required
      autocomplete="off"
      spellcheck="false"
      aria-describedby="key-hint"
    />
    <small id="key-hint">${hint}</small>`
}

// A key is never shown again; the rest is, where it was sent with a wrong key.
const fieldsOf = (provider: IntegrationProvider, { sender, returnUrl }: Filled): Html =>
  ({
    slack: html``,
    resend: html`${resendKey}${senderField(sender)}`,
    stripe: html`${stripeKey}${returnField(returnUrl)}`,
  })[provider]

const resendKey = keyField(
  'Resend API key',
  html`It begins with <code>re_</code>. One that may only send is enough.`,
)
const stripeKey = keyField(
  'Stripe key',
  html`Best a restricted key (<code>rk_…</code>) that may read the balance, payments and subscriptions and
  write what you want done; a secret key (<code>sk_…</code>) works too.`,
)
const senderField = (value: string): Html =>
  html`<label for="sender">Sender</label>
    <input
      id="sender"
      name="sender"
      type="text"
      required
      value="${value}"
      placeholder="Acme &lt;gate@example.com&gt;"
      aria-describedby="sender-hint"
    />
    <small id="sender-hint">An address of a domain that Resend has verified for you.</small>`

const returnField = (value: string): Html =>
  html`<label for="return_url">Page for customers (optional)</label>
    <input
      id="return_url"
      name="return_url"
      type="url"
      value="${value}"
      placeholder="https://shop.example/thanks"
      aria-describedby="return-hint"
    />
    <small id="return-hint"
      >Where a customer comes back to from a checkout. Empty: a plain page of ours.</small
    >`

const actions: Record<IntegrationProvider, string> = {
  slack: 'Continue to Slack',
  resend: 'Check key',
  stripe: 'Check key',
}

const timeOf = (at: Date): string => at.toISOString().slice(0, 16).replace('T', ' ')

// A browser holds the whole way of a sent form to the policy: Slack leads on to the workspace's own host.
function formTargets(origin: string): string[] {
  const { protocol, host } = new URL(origin)
  return protocol === 'https:' ? [origin, `https://*.${host}`] : [origin]
}
