import type { IncomingMessage } from 'node:http'

interface Asked {
  request: IncomingMessage
  url: string
  has: (flaw: string) => boolean
  sent: string
  /** How many apps have registered. */
  registered: { count: number }
}

type Answer = [status: number, body: unknown]

const refused: Answer = [404, { error: 'not found' }]
const invalid = (error = 'invalid_request'): Answer => [400, { error }]

/** What the weak gate answers to connected apps; undefined for other paths. */
export function answerApp({ request, url, has, sent, registered }: Asked): Answer | undefined {
  const { pathname, searchParams: query } = new URL(request.url!, url)
  const isOurs = `http://${request.headers.host}` === url || has('any-app-host')
  switch (pathname) {
    case '/.well-known/oauth-protected-resource/mcp':
      return isOurs ? [200, { resource: `${url}/mcp` }] : refused
    case '/oauth/authorize':
      return authorize(query, has)
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
  body: { redirect_uris: string[] },
  has: Asked['has'],
  registered: Asked['registered'],
): Answer {
  const isGood = body.redirect_uris.every((uri) => uri === own)
  if (!isGood) return invalid('invalid_redirect_uri')
  if (registered.count >= 10 && !has('any-number-of-apps')) return [429, { error: 'too many' }]
  registered.count += 1
  return [201, { client_id: 'client_1' }]
}
