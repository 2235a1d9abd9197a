import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { email } from '../../operations/admin/fields.ts'
import { parseInput } from '../../operations/parse.ts'
import { requestSignInLink } from '../../operations/sign-in/request-sign-in-link.ts'
import { mailsPerHour } from '../../operations/sign-in/mail-budget.ts'
import { currentSession } from '../../operations/sign-in/session.ts'
import { readSignInLink, signIn } from '../../operations/sign-in/sign-in.ts'
import { html } from '../../web/html.ts'
import { networkOf } from '../../web/network-of.ts'
import { perMinute } from '../../web/rate-limit.ts'
import { refuseOtherMethods } from '../../transports/rest.ts'
import { afterSignInPath, isReturningToConnect, sessionToken, setSession } from '../cookies.ts'
import { fieldsOf } from '../forms.ts'
import { sendConsolePage } from '../layout.ts'
import type { RejectedForm, View } from '../page.ts'
import { field, formProblem } from '../parts.ts'

const sentPath = '/console/sign-in/sent'
const signInForm = z.strictObject({ email })

/**
 * Signing in: ask for a link, open it, press its button. Asking is answered alike for every address. Opening a link
 * changes nothing, since those who scan mails open links too.
 */
export function signInRoutes(scope: FastifyInstance, deps: Deps): void {
  const spend = perMinute(scope, limits.signInsPerMinute, 'Too many links were asked for.')
  const budget = mailsPerHour({
    max: limits.signInMailsPerHourMax,
    ofStrangersMax: limits.signInMailsPerHourOfStrangersMax,
    ofStrangerMax: limits.signInMailsPerHourOfStrangerMax,
  })
  const send = (request: FastifyRequest, reply: FastifyReply, view: View) =>
    sendConsolePage(reply, view, { path: request.url, isSandbox: deps.isSandbox })

  scope.route({
    method: ['GET', 'HEAD'],
    url: '/sign-in',
    async handler(request, reply) {
      if (await currentSession(deps, sessionToken(deps, request)))
        return reply.header('cache-control', 'no-store').redirect(afterSignInPath(deps, request, reply), 303)
      return send(request, reply, formPage(deps, undefined, isReturningToConnect(deps, request)))
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
      return send(request, reply, formPage(deps, { problem: error.message, values: fields }))
    }
    return reply.header('cache-control', 'no-store').redirect(sentPath, 303)
  })
  refuseOtherMethods(scope, '/sign-in', ['GET', 'HEAD', 'POST'])

  scope.route({
    method: ['GET', 'HEAD'],
    url: '/sign-in/sent',
    handler: (request, reply) => send(request, reply, sentPage),
  })
  refuseOtherMethods(scope, '/sign-in/sent', ['GET', 'HEAD'])

  const url = '/sign-in/:token'
  scope.route({
    method: ['GET', 'HEAD'],
    url,
    handler: async (request, reply) => send(request, reply, await linkPage(deps, tokenOf(request))),
  })
  scope.post(url, async (request, reply) => {
    const browser = { former: sessionToken(deps, request), asker: networkOf(request.ip) }
    const session = await signIn(deps, tokenOf(request), browser)
    setSession(deps, reply, session)
    return reply.header('cache-control', 'no-store').redirect(afterSignInPath(deps, request, reply), 303)
  })
  refuseOtherMethods(scope, url, ['GET', 'HEAD', 'POST'])
}

const minutes = limits.signInLinkMs / 60_000
const standingMinutes = limits.signInStandingMs / 60_000

const formPage = (deps: Deps, rejected?: RejectedForm, isToConnect = false): View => ({
  status: rejected ? 422 : 200,
  title: 'Sign in',
  body: deps.ownEmail
    ? html`${formProblem(rejected)} ${isToConnect ? connectNotice : ''}
        <p>There is no password: we send a link to your mailbox, and its button signs you in.</p>
        <form method="post" action="/console/sign-in">
          ${field({
            name: 'email',
            label: 'Your e-mail address',
            type: 'email',
            autocomplete: 'email',
            charsMax: limits.emailCharsMax,
            rejected,
          })}
          <button type="submit">Send me a link</button>
        </form>`
    : html`${isToConnect ? connectNotice : ''} ${cannotMail}`,
})

const connectNotice = html`<p class="notice">
  Connecting a provider needs a member or an administrator who is signed in. Sign in with this browser: you
  come back to the page that connects it.
</p>`

const cannotMail = html`<p class="notice">
  Nobody can be sent a link: this service has no e-mail of its own (<code>RESEND_API_KEY</code>). An
  administrator can be invited by <code>gate admin invite</code>, which prints one.
</p>`

const sentPage: View = {
  title: 'Look into your mailbox',
  body: html`<p>
      If that address belongs to an administrator or a member, a link to sign in is on its way. It works once,
      for ${minutes} minutes.
    </p>
    <p>
      Nothing came? Look among the spam, see whether the address is the one that your account knows, or
      <a href="/console/sign-in">ask again</a>. An administrator can also be invited by
      <code>gate admin invite</code>, which prints a link.
    </p>
    <p>
      Several mails came? Each link works. After many requests no new mail is sent for up to
      ${standingMinutes} minutes: the newest link in your inbox still works then.
    </p>`,
}

async function linkPage(deps: Deps, token: string): Promise<View> {
  const link = await readSignInLink(deps, token)
  const whoAs = [
    ...(link.is_admin ? ['an administrator'] : []),
    ...(link.is_member ? [link.is_admin ? 'the member you are' : 'a member'] : []),
  ].join(' and ')
  return {
    title: `Sign in to ${link.account_name}`,
    body: html`<p>
        You sign in as ${whoAs}. Go on only if you asked for this, on the device on which you want to be
        signed in.
      </p>
      <form method="post"><button type="submit">Sign in</button></form>
      <p class="hint">This link works once.</p>`,
  }
}

const tokenOf = (request: FastifyRequest): string => (request.params as { token: string }).token
