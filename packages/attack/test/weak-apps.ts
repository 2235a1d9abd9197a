import type { IncomingMessage } from 'node:http'

interface Asked {
  request: IncomingMessage
  url: string
  has: (flaw: string) => boolean
  sent: string
  /** How many apps have registered. */
  registered: { count: number }
}

type Answer = [status: number, body: unknown, headers?: Record<string, string>]

const refused: Answer = [404, { error: 'not found' }]
const invalid = (error = 'invalid_request'): Answer => [400, { error }]

/** What the weak gate answers to connected apps; undefined for other paths. */
export function answerApp({ request, url, has, sent, registered }: Asked): Answer | undefined {
  const { pathname, searchParams: query } = new URL(request.url!, url)
  const isOurs = `http://${request.headers.host}` === url || has('any-app-host')
  const isOfApps = /^\/(?:oauth\/|mcp$|console\/|\.well-known\/oauth-protected-resource\/mcp$)/.test(pathname)
  if (!isOurs && (isOfApps || metadataPaths.includes(pathname))) return refused
  if (metadataPaths.includes(pathname)) return [200, metadataOf(url)]
  switch (pathname) {
    case '/.well-known/oauth-protected-resource/mcp':
      return [200, { resource: `${url}/mcp` }]
    case '/.well-known/oauth-authorization-server':
      return has('apps-at-root') ? [200, metadataOf(url)] : refused
    case '/oauth/authorize':
    case '/console/apps/connect':
      return withFrame(pageOf(request.method, query, has), has('framed'))
    case '/oauth/token':
      return has('any-code') ? [200, { access_token: 'x' }] : invalid('invalid_grant')
    case '/oauth/register':
      return register(JSON.parse(sent), has, registered)
    case '/mcp':
      return has('any-token') ? [200, {}] : [401, { error: 'sign in' }]
    default:
      return undefined
  }
}

const metadataPaths = [
  '/.well-known/oauth-authorization-server/oauth',
  '/.well-known/openid-configuration/oauth',
]
const unframed = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" }

const withFrame = ([status, body, headers]: Answer, isFramed: boolean): Answer => [
  status,
  body,
  { ...headers, ...(isFramed ? {} : unframed) },
]

const metadataOf = (url: string) => ({
  issuer: `${url}/oauth`,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
})

/** The page that asks, and its form: nobody has signed in. */
function pageOf(method: string | undefined, query: URLSearchParams, has: Asked['has']): Answer {
  if (method === 'POST') return [403, { error: 'sign in' }]
  const isAnswered = query.has('answer') && has('answers-by-link')
  return isAnswered ? [200, {}, { refresh: `0; url=${own}?code=x` }] : authorize(query, has)
}

const own = 'https://attack.invalid/callback'

function authorize(query: URLSearchParams, has: Asked['has']): Answer {
  const redirect = query.get('redirect_uri') ?? ''
  const client = query.get('client_id') ?? ''
  const isKnown = client === 'client_1' || (has('any-document') && /^https:\/\/(\[|\d)/.test(client))
  const isRegistered = redirect === own || (has('redirect-by-prefix') && redirect.startsWith(own))
  const isWhole =
    query.get('code_challenge') !== '' &&
    query.get('code_challenge_method') === 'S256' &&
    query.get('response_type') === 'code' &&
    query.get('resource') === null
  return isKnown && isRegistered && isWhole ? [200, {}] : invalid()
}

function register(
  body: { redirect_uris: string[]; client_name?: string },
  has: Asked['has'],
  registered: Asked['registered'],
): Answer {
  const isGood = body.redirect_uris.every((uri) => uri === own)
  if (!isGood) return invalid('invalid_redirect_uri')
  if (registered.count >= 10 && !has('any-number-of-apps')) return [429, { error: 'too many' }]
  registered.count += 1
  const { client_name: name = '' } = body
  const isPlain = /^[\w ]*$/.test(name) || has('any-app-name')
  return [201, { client_id: 'client_1', client_name: isPlain ? name : 'attack.invalid' }]
}
