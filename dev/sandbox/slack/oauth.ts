import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { escapeHtml } from '../../../src/text/escape.ts'
import { sandboxApp } from '../../../src/providers/sandbox-app.ts'
import { sandboxPage, sendPage } from '../sandbox-page.ts'
import { limits } from '../../../src/limits.ts'

type Form = Record<string, string>
type Answer = { ok: boolean } & Record<string, unknown>

/** What a code was issued for. A code works once. */
interface Grant {
  redirectUri: string
  scope: string
}

const app = { id: 'ASANDBOX', ...sandboxApp }

/**
 * The installation of a Slack app, at `/slack/oauth/v2/authorize`: a page with a button that redirects back with a
 * code.
 * @returns the method `oauth.v2.access`, which exchanges the code
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
    if (grants.size > limits.sandboxSlackCodesMax) grants.delete(grants.keys().next().value!)
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
  if (clientId !== app.clientId) return 'Unknown client_id.'
  const isAddress = URL.canParse(redirectUri) && /^https?:$/.test(new URL(redirectUri).protocol)
  return isAddress ? undefined : 'redirect_uri must be an http or https URL.'
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
    `<p>Qualification Gate wants to be installed in the workspace <strong>${escapeHtml(teamName)}</strong> with these permissions:</p>
<ul>${scopes.join('')}</ul>
<form method="post">${hidden.join('')}
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Cancel</button></form>`,
  )
}
