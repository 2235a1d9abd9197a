import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import {
  beginCompanySignIn,
  companyAccount,
  companyAt,
  finishCompanySignIn,
} from '../../operations/company/sign-in.ts'
import { accountId } from '../../operations/ids.ts'
import { parseInput } from '../../operations/parse.ts'
import { companyPath, signInPath } from '../../operations/sign-in/sign-in-path.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { refuseOtherMethods } from '../../transports/rest.ts'
import { html } from '../../web/html.ts'
import { companyCookie, readCompany } from '../../web/page-cookies.ts'
import { sessionToken, setSession } from '../cookies.ts'
import { sendConsolePage } from '../layout.ts'
import type { View } from '../page.ts'
import { facts, field } from '../parts.ts'

const chosen = z.strictObject({ account: accountId.optional() })
const how = z.strictObject({ fresh: z.literal('1').optional() })

/** Signing in with the company: a page, the way to its provider, and the way back. */
export function companySignInRoutes(
  scope: FastifyInstance,
  deps: Deps,
  spend: (request: FastifyRequest) => Promise<void>,
): void {
  const send = (request: FastifyRequest, reply: FastifyReply, view: View) =>
    sendConsolePage(reply, view, { path: request.url, isSandbox: deps.isSandbox })
  const named = ({ params }: FastifyRequest): string => (params as { account: string }).account

  scope.route({
    method: ['GET', 'HEAD'],
    url: '/sign-in/company',
    async handler(request, reply) {
      const { account = await companyAccount(deps) } = parseInput(chosen, request.query)
      if (account === undefined) return send(request, reply, choicePage)
      return reply.header('cache-control', 'no-store').redirect(companyPath(account), 303)
    },
  })
  refuseOtherMethods(scope, '/sign-in/company', ['GET', 'HEAD'])

  scope.route({
    method: ['GET', 'HEAD'],
    url: '/sign-in/company/:account',
    handler: async (request, reply) => send(request, reply, await startPage(deps, named(request))),
  })
  refuseOtherMethods(scope, '/sign-in/company/:account', ['GET', 'HEAD'])

  scope.get('/sign-in/company/:account/start', async (request, reply) => {
    await spend(request)
    const isFresh = parseInput(how, request.query).fresh !== undefined
    const former = sessionToken(deps, request)
    const { url, sealed } = await beginCompanySignIn(deps, named(request), { isFresh, former })
    return reply
      .header('set-cookie', companyCookie(deps, sealed))
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .redirect(url, 303)
  })
  refuseOtherMethods(scope, '/sign-in/company/:account/start', ['GET'])

  scope.get('/sign-in/company/:account/back', async (request, reply) => {
    await spend(request)
    const sealed = readCompany(deps, request.headers.cookie)
    // Whatever comes of it, it was used.
    reply.header('set-cookie', companyCookie(deps, undefined))
    const session = await finishCompanySignIn(
      deps,
      named(request),
      { answered: request.url, sealed },
      { browser: request.headers['user-agent'], address: request.ip },
    )
    setSession(deps, reply, session)
    // The browser came from another site: only a page of ours makes it send the cookie.
    return send(request, reply.header('refresh', `0; url=${signInPath}`), signedInPage)
  })
  refuseOtherMethods(scope, '/sign-in/company/:account/back', ['GET'])
}

const choicePage: View = {
  title: 'Sign in with your company',
  body: html`<p>Open the link that your administrator gave you, or enter the id of your account.</p>
    <form method="get" action="${signInPath}/company">
      ${field({ name: 'account', label: 'Account', hint: 'It begins with acct_.', charsMax: 21 })}
      <button type="submit">Continue</button>
    </form>
    <p><a href="${signInPath}">Sign in by e-mail</a></p>`,
}

async function startPage(deps: Deps, named: string): Promise<View> {
  const { account, account_name: name, issuer } = await companyAt(deps, named)
  return {
    title: 'Sign in with your company',
    body: html`${facts([
        ['Account', html`<bdi>${escapeInvisible(name)}</bdi>`],
        ['Signs you in', html`<strong>${new URL(issuer).host}</strong>`],
      ])}
      <p>
        <a class="button primary" href="${companyPath(account)}/start">Sign in with your company</a>
      </p>`,
  }
}

const signedInPage: View = {
  title: 'Signed in',
  body: html`<p><a class="button primary" href="${signInPath}">Continue to the console</a></p>`,
}
