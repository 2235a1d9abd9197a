import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { GateError, httpStatusOf } from '../../errors.ts'
import { limits } from '../../limits.ts'
import {
  appAddresses,
  issuerMetadata,
  registerPath,
  resourceMetadata,
  revokePath,
  tokenPath,
} from '../../operations/apps/addresses.ts'
import { type TokenClient, issueTokens, revokeToken } from '../../operations/apps/issue-tokens.ts'
import { OAuthRefusal } from '../../operations/apps/oauth-refusal.ts'
import { registerClient } from '../../operations/apps/register-client.ts'
import { internalErrorSentence, toGateError } from '../../web/answer-errors.ts'
import { perHour, perMinute } from '../../web/rate-limit.ts'
import { depsOf } from '../../web/request-deps.ts'
import { noteError } from '../../web/request-log.ts'
import { fieldsOf, takeForms } from '../../web/take-forms.ts'
import { refuseOtherMethods } from '../rest.ts'

/** Where clients look for an issuer with a path. @source RFC 8414, section 3.1; OpenID Connect Discovery 1.0, section 4 */
const issuerMetadataPaths = [
  '/.well-known/oauth-authorization-server/oauth',
  '/.well-known/openid-configuration/oauth',
  '/oauth/.well-known/openid-configuration',
]
const resourceMetadataPath = '/.well-known/oauth-protected-resource/mcp'

/**
 * What programs need so that a person can connect them: metadata, registration, tokens and their revocation. Only on the host of
 * OAUTH_URL.
 */
export async function oauthRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      requireAppHost(deps, request)
      reply.header('cache-control', 'no-store')
    })
    for (const url of issuerMetadataPaths) serveMetadata(scope, url, () => issuerMetadata(deps))
    serveMetadata(scope, resourceMetadataPath, () => resourceMetadata(deps))
    await scope.register(async (programs) => {
      programs.setErrorHandler(sendOAuthError)
      const spend = perHour(
        programs,
        limits.appRegistrationsPerHour,
        'Too many apps register from this address.',
      )
      programs.post(registerPath, async (request, reply) => {
        await spend(request)
        return reply.code(201).send(await registerClient(depsOf(deps, request), request.body))
      })
      refuseOtherMethods(programs, registerPath, ['POST'])
    })
    await scope.register(async (programs) => {
      takeForms(programs, limits.connectFormBytesMax)
      programs.setErrorHandler(sendOAuthError)
      const spend = perMinute(programs, limits.appTokensPerMinute, 'Too many requests for tokens.')
      programs.addHook('onRequest', async (request) => spend(request))
      programs.post(tokenPath, async (request) => {
        const fields = fieldsOf(request)
        return issueTokens(depsOf(deps, request), clientOf(request, fields), fields)
      })
      programs.post(revokePath, async (request) => {
        const fields = fieldsOf(request)
        await revokeToken(depsOf(deps, request), clientOf(request, fields), fields['token'])
        return {}
      })
      for (const url of [tokenPath, revokePath]) refuseOtherMethods(programs, url, ['POST'])
    })
  })
}

/** @throws GateError `not_found` on any other host than that of OAUTH_URL */
export function requireAppHost(deps: Deps, { host }: FastifyRequest): void {
  if (host.toLowerCase() !== appAddresses(deps).host)
    throw new GateError('not_found', 'Not found. See /llms.txt for the available paths.')
}

/** Adds to a 401 where to sign in. @source RFC 9728, section 5.1; RFC 6750, section 3 */
export function challenge(deps: Deps, { headers }: FastifyRequest, reply: FastifyReply): void {
  if (reply.statusCode !== 401) return
  const error = headers.authorization === undefined ? '' : 'error="invalid_token", '
  const { resourceMetadata: at } = appAddresses(deps)
  reply.header('www-authenticate', `Bearer ${error}resource_metadata="${at}", scope="read propose"`)
}

function serveMetadata(scope: FastifyInstance, url: string, read: () => object): void {
  scope.get(url, (_request, reply) => reply.header('access-control-allow-origin', '*').send(read()))
  refuseOtherMethods(scope, url, ['GET'])
}

/** The client and its secret: in the form, or in the header. @source RFC 6749, section 2.3.1 @throws OAuthRefusal */
function clientOf({ headers }: FastifyRequest, fields: Partial<Record<string, string>>): TokenClient {
  const { client_id: id, client_secret: secret } = fields
  const basic = /^Basic ([\w+/]{1,2000}={0,2})$/i.exec(headers.authorization ?? '')?.[1]
  if (headers.authorization === undefined) {
    if (id === undefined || id === '') throw new OAuthRefusal('invalid_request', 'client_id is missing.')
    return { id, secret }
  }
  const [named, password, ...rest] = basic === undefined ? [] : decoded(basic)
  if (named === undefined || password === undefined || rest.length > 0)
    throw new OAuthRefusal(
      'invalid_client',
      'The header Authorization must be Basic, with client_id and client_secret.',
    )
  if ((id !== undefined && id !== named) || secret !== undefined)
    throw new OAuthRefusal(
      'invalid_request',
      'The client is named twice. Name it in the header or in the form.',
    )
  return { id: named, secret: password }
}

function decoded(basic: string): string[] {
  try {
    const pair = Buffer.from(basic, 'base64').toString('utf8')
    return pair.split(':').map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
  } catch {
    return []
  }
}

/** Answers an error as OAuth says. @source RFC 6749, section 5.2 */
function sendOAuthError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toGateError(error, request.routeOptions.bodyLimit)
  noteError(request, known ?? error)
  if (known?.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  const description = known?.message ?? internalErrorSentence(false)
  if (!(known instanceof OAuthRefusal)) {
    const status = known ? httpStatusOf[known.code] : 500
    const code = status >= 500 || status === 429 ? 'temporarily_unavailable' : 'invalid_request'
    return reply.code(status === 422 ? 400 : status).send({ error: code, error_description: description })
  }
  if (known.oauthCode === 'invalid_client') reply.header('www-authenticate', 'Basic realm="apps"')
  return reply
    .code(known.oauthCode === 'invalid_client' ? 401 : 400)
    .send({ error: known.oauthCode, error_description: description })
}
