import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { escapeHtml } from '../../text/escape.ts'
import { sandboxApp } from '../../providers/sandbox-app.ts'
import { sandboxPage, sendPage } from '../sandbox-page.ts'

type Form = Record<string, string>
type Answer = { ok: boolean } & Record<string, unknown>

/** What a code was given for. A code is good once. */
interface Grant {
  redirectUri: string
  scope: string
}

const codesMax = 1_000
const app = { id: 'ASANDBOX', ...sandboxApp }

/**
 * Slack's installation of an app, at `/slack/oauth/v2/authorize`: a page with a button, which leads back with a code.
 * @returns the method `oauth.v2.access`, which exchanges it
 */
export function slackOauth(server: FastifyInstance, team: { id: string; name: string; botUserId: string }) {
  const grants = new Map<string, Grant>()

  server.get<{ Querystring: Form }>('/slack/oauth/v2/authorize', (request, reply) => {
    const problem = requestProblem(request.query)
    void reply.code(problem ? 400 : 200)
    sendPage(
      reply,
      problem ? sandboxPage('Slack', `<p>${escapeHtml(problem)}</p>`) : consentPage(request.query, team.name),
    )
  })

  server.post<{ Body: Form }>('/slack/oauth/v2/authorize', (request, reply) => {
    const { redirect_uri: redirectUri = '', scope = '', state = '', decision } = request.body
    if (requestProblem(request.body))
      return void reply.code(400).send({ ok: false, error: 'bad_redirect_uri' })
    const back = new URL(redirectUri)
    back.searchParams.set('state', state)
    if (decision === 'allow') back.searchParams.set('code', grant({ redirectUri, scope }))
    else back.searchParams.set('error', 'access_denied')
    void reply.redirect(back.href, 303)
  })

  function grant(given: Grant): string {
    const code = `${randomBytes(6).toString('hex')}.${randomBytes(16).toString('hex')}`
    grants.set(code, given)
    if (grants.size > codesMax) grants.delete(grants.keys().next().value!)
    return code
  }

  return (form: Form): Answer => {
    const { client_id: clientId, client_secret: clientSecret, code = '', redirect_uri: redirectUri } = form
    if (clientId !== app.clientId) return { ok: false, error: 'invalid_client_id' }
    if (clientSecret !== app.clientSecret) return { ok: false, error: 'bad_client_secret' }
    const given = grants.get(code)
    grants.delete(code)
    if (!given) return { ok: false, error: 'invalid_code' }
    if (given.redirectUri !== redirectUri) return { ok: false, error: 'bad_redirect_uri' }
    return {
      ok: true,
      app_id: app.id,
      token_type: 'bot',
      access_token: `xoxb-sandbox-${randomBytes(12).toString('hex')}`,
      scope: given.scope,
      bot_user_id: team.botUserId,
      team: { id: team.id, name: team.name },
      enterprise: null,
      is_enterprise_install: false,
      authed_user: { id: 'UINSTALLER' },
    }
  }
}

function requestProblem({ client_id: clientId, redirect_uri: redirectUri = '' }: Form): string | undefined {
  if (clientId !== app.clientId) return 'No app has this client_id.'
  const isAddress = URL.canParse(redirectUri) && /^https?:$/.test(new URL(redirectUri).protocol)
  return isAddress ? undefined : 'redirect_uri is no address.'
}

function consentPage(asked: Form, teamName: string): string {
  const hidden = ['client_id', 'redirect_uri', 'scope', 'state'].map(
    (name) => `<input type="hidden" name="${name}" value="${escapeHtml(asked[name] ?? '')}">`,
  )
  const scopes = (asked['scope'] ?? '')
    .split(',')
    .map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`)
  return sandboxPage(
    'Slack',
    `<p>Qualification Gate asks to be installed in the workspace <strong>${escapeHtml(teamName)}</strong>, to use:</p>
<ul>${scopes.join('')}</ul>
<form method="post">${hidden.join('')}
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Cancel</button></form>`,
  )
}
