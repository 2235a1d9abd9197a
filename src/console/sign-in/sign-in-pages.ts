import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { email } from '../../operations/entered-fields.ts'
import { policyFacts } from '../../operations/policy/policy-in-force.ts'
import { parseInput } from '../../operations/parse.ts'
import { requestSignInLink } from '../../operations/sign-in/request-sign-in-link.ts'
import { mailsPerHour } from '../../operations/sign-in/mail-budget.ts'
import { currentSession, isAdmin } from '../../operations/sign-in/session.ts'
import { siteOrNone } from '../../operations/passkeys/site.ts'
import { readSignInLink, signIn } from '../../operations/sign-in/sign-in.ts'
import { type Part, html } from '../../web/html.ts'
import { networkOf } from '../../network/network-of.ts'
import { perMinute } from '../../web/rate-limit.ts'
import { fieldsOf } from '../../web/take-forms.ts'
import { tokenOf } from '../../web/routing.ts'
import { refuseOtherMethods } from '../../transports/rest.ts'
import {
  afterSignInPath,
  isReturningToConnect,
  isReturningToPage,
  sessionToken,
  setSession,
} from '../cookies.ts'
import { sendConsolePage } from '../layout.ts'
import type { RejectedForm, View } from '../page.ts'
import { companySignInRoutes } from './company-pages.ts'
import { passkeySignInRoutes } from './passkey-pages.ts'
import { presetPath } from '../policies/form-schema.ts'
import { field, formProblem } from '../parts.ts'

/** Mails requested by one network that has never signed in with the mailbox. */
const signInMailsPerHourOfStrangerMax = 100

/** Sign-in mails of a process per hour: enough for a company's morning, and below a provider's quota. */
const signInMailsPerHourMax = 300

const sentPath = '/console/sign-in/sent'
const signInForm = z.strictObject({ email })

/**
 * Signing in: request a link, open it, press its button. The answer to a request is the same for every address. Opening
 * a link changes nothing, because mail scanners open links too.
 */
export function signInRoutes(scope: FastifyInstance, deps: Deps): void {
  const spend = perMinute(scope, limits.signInsPerMinute, 'Too many sign-in requests.')
  const budget = mailsPerHour({
    max: signInMailsPerHourMax,
    ofStrangersMax: limits.signInMailsPerHourOfStrangersMax,
    ofStrangerMax: signInMailsPerHourOfStrangerMax,
  })
  const send = (request: FastifyRequest, reply: FastifyReply, view: View) =>
    sendConsolePage(reply, view, { path: request.url, isSandbox: deps.isSandbox })

  scope.route({
    method: ['GET', 'HEAD'],
    url: '/sign-in',
    async handler(request, reply) {
      if (await currentSession(deps, sessionToken(deps, request)))
        return reply.header('cache-control', 'no-store').redirect(afterSignInPath(deps, request, reply), 303)
      return send(request, reply, formPage(deps, undefined, noticeOf(deps, request)))
    },
  })
  scope.post('/sign-in', async (request, reply) => {
    await spend(request)
    const { ownEmail: channel } = deps
    if (!channel) return send(request, reply, formPage(deps))
    const fields = fieldsOf(request)
    try {
      const { email } = parseInput(signInForm, fields)
      requestSignInLink(deps, { channel, budget }, { email, network: networkOf(request.ip) })
    } catch (error) {
      if (!(error instanceof GateError) || error.code !== 'invalid') throw error
      return send(
        request,
        reply,
        formPage(deps, { problem: error.message, values: fields, field: error.param }),
      )
    }
    return reply.header('cache-control', 'no-store').redirect(sentPath, 303)
  })
  refuseOtherMethods(scope, '/sign-in', ['GET', 'HEAD', 'POST'])

  scope.route({
    method: ['GET', 'HEAD'],
    url: '/sign-in/sent',
    handler: (request, reply) => send(request, reply, sentPage(deps)),
  })
  refuseOtherMethods(scope, '/sign-in/sent', ['GET', 'HEAD'])

  passkeySignInRoutes(scope, deps, spend, firstPage)
  companySignInRoutes(scope, deps, spend)

  const url = '/sign-in/:token'
  scope.route({
    method: ['GET', 'HEAD'],
    url,
    handler: async (request, reply) => send(request, reply, await linkPage(deps, tokenOf(request))),
  })
  scope.post(url, async (request, reply) => {
    const session = await signIn(deps, tokenOf(request), {
      former: sessionToken(deps, request),
      asker: networkOf(request.ip),
      browser: request.headers['user-agent'],
      address: request.ip,
    })
    setSession(deps, reply, session)
    const asked = afterSignInPath(deps, request, reply)
    const path = asked === '/console' ? await firstPage(deps, session) : asked
    return reply.header('cache-control', 'no-store').redirect(path, 303)
  })
  refuseOtherMethods(scope, url, ['GET', 'HEAD', 'POST'])
}

/** An administrator is asked how much agents may do alone, until the account has a policy that somebody chose. */
async function firstPage(deps: Deps, token: string): Promise<string> {
  const session = await currentSession(deps, token)
  if (!session || !isAdmin(session)) return '/console'
  return (await policyFacts(deps, session.account)).policy === null ? presetPath : '/console'
}

const minutes = limits.signInLinkMs / 60_000
const standingMinutes = limits.signInStandingMs / 60_000

/** Says to whom was sent here from another page that they return to it. */
function noticeOf(deps: Deps, request: FastifyRequest): Part {
  if (isReturningToConnect(deps, request)) return connectNotice
  return isReturningToPage(deps, request) ? returnNotice : ''
}

const formPage = (deps: Deps, rejected?: RejectedForm, notice: Part = ''): View => ({
  status: rejected ? 422 : 200,
  title: 'Sign in',
  body: deps.ownEmail
    ? html`${formProblem(rejected)} ${notice}
        <p>There is no password. We send you an e-mail with a sign-in link.</p>
        <form method="post" action="/console/sign-in">
          ${field({
            name: 'email',
            label: 'E-mail address',
            type: 'email',
            autocomplete: 'email',
            charsMax: limits.emailCharsMax,
            rejected,
          })}
          <button type="submit">Send sign-in link</button>
        </form>
        ${otherWays(deps)}`
    : html`${notice} ${cannotMail} ${otherWays(deps)}`,
})

/** For members who added a passkey, and for accounts with a provider of their own. */
const otherWays = (deps: Deps): Part =>
  html`<p>
    Or ${siteOrNone(deps) ? html`<a href="/console/sign-in/passkey">sign in with a passkey</a> or ` : ''}<a
      href="/console/sign-in/company"
      >with your company</a
    >.
  </p>`

const connectNotice = html`<p class="notice">
  To connect a provider, sign in as a member or an administrator. After signing in, you return to the page
  that connects it.
</p>`

const returnNotice = html`<p class="notice">
  Sign in to open this page. Open the sign-in link in this browser to return to the page.
</p>`

const cannotMail = html`<p class="notice">
  This service cannot send sign-in links because it has no e-mail of its own (<code>RESEND_API_KEY</code> or
  <code>SMTP_URL</code>). An operator can create a link for an administrator with
  <code>gate admin invite</code>.
</p>`

const sentPage = ({ inboxUrl }: Pick<Deps, 'inboxUrl'>): View => ({
  title: 'Check your inbox',
  body: html`${
      inboxUrl === undefined
        ? ''
        : html`<p><a class="button primary" href="${inboxUrl}">Open the inbox of the sandbox</a></p>`
    }
    <p>
      If that address belongs to an administrator or a member, we sent it a sign-in link. The link works once
      and expires after ${minutes} minutes.
    </p>
    <p>
      No e-mail? Check your spam folder and check that your account uses this address, or
      <a href="/console/sign-in">request another link</a>. An operator can also create a link for an
      administrator with <code>gate admin invite</code>.
    </p>
    <p>
      If you received several e-mails, each link works. After many requests we send no new e-mail for up to
      ${standingMinutes} minutes. The newest link in your inbox still works.
    </p>`,
})

async function linkPage(deps: Deps, token: string): Promise<View> {
  const link = await readSignInLink(deps, token)
  const roles = [
    ...(link.is_admin ? ['an administrator'] : []),
    ...(link.is_member ? ['a member'] : []),
  ].join(' and ')
  return {
    title: `Sign in to ${link.account_name}`,
    body: html`<p>
        You are signing in as ${roles}. Continue only if you requested this link, and on the device you want
        to use.
      </p>
      <form method="post"><button type="submit">Sign in</button></form>
      <p class="hint">This link works once.</p>`,
  }
}
