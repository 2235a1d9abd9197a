/** @typedef {import('../index.js').Trial} Trial */

const resourcePath = '/.well-known/oauth-protected-resource/mcp'
export const redirect = 'https://attack.invalid/callback'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeGt1JQ0bRA8oYh0KbXE'

/** What gates of apps say of themselves. @param {Trial} t @param {Record<string, string>} [headers] */
export const readResource = (t, headers = {}) =>
  t.gate.raw({ method: 'GET', path: resourcePath, key: null, headers })

/** Skips a gate that apps cannot be connected to. @param {Trial} t @returns {Promise<string>} the audience of its tokens */
export async function resourceOf(t) {
  const answer = await readResource(t)
  if (answer.outcome !== 'done') return t.skip('apps cannot be connected here')
  return String(JSON.parse(answer.text).resource)
}

/** The page that an app sends a person to. @param {Record<string, string>} changed */
export function authorization(changed) {
  const asked = {
    response_type: 'code',
    client_id: 'https://attack.invalid/client.json',
    redirect_uri: redirect,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...changed,
  }
  return new URLSearchParams(asked).toString()
}

/** @param {Trial} t @param {Record<string, string>} changed */
export async function notOpened(t, changed) {
  const answer = await t.gate.raw({
    method: 'GET',
    path: `/oauth/authorize?${authorization(changed)}`,
    key: null,
  })
  t.refused(answer, ['invalid', 'not_found'], `${JSON.stringify(changed)} was taken`)
  t.holds(answer.headers['location'] === undefined, `${JSON.stringify(changed)} is sent on`)
}

/** @param {Trial} t @param {unknown} body */
export const register = (t, body) =>
  t.gate.raw({ path: '/oauth/register', key: null, body: JSON.stringify(body) })

/** A registered app. @param {Trial} t @param {string} [name] @returns {Promise<{ client_id: string, client_name?: string }>} */
export async function registered(t, name = `Attack test ${t.nonce()}`) {
  const answer = await register(t, { redirect_uris: [redirect], client_name: name })
  if (answer.outcome !== 'done') return t.skip('no app can be registered now')
  return JSON.parse(answer.text)
}
