/** @typedef {import('../index.js').Attack} Attack @typedef {import('../index.js').Trial} Trial */

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const resourcePath = '/.well-known/oauth-protected-resource/mcp'
const redirect = 'https://attack.invalid/callback'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeGt1JQ0bRA8oYh0KbXE'

/** Skips a gate that apps cannot be connected to. @param {Trial} t @returns {Promise<string>} the audience of its tokens */
async function resourceOf(t) {
  const answer = await t.gate.raw({ method: 'GET', path: resourcePath, key: null })
  if (answer.outcome !== 'done') return t.skip('apps cannot be connected here')
  return String(JSON.parse(answer.text).resource)
}

/** @param {Trial} t @param {Record<string, string>} fields */
const token = (t, fields) =>
  t.gate.raw({
    path: '/oauth/token',
    key: null,
    headers: form,
    body: new URLSearchParams({ client_id: 'https://attack.invalid/client.json', ...fields }).toString(),
  })

/** Opens the page that an app sends a person to. @param {Trial} t @param {Record<string, string>} changed */
async function opened(t, changed) {
  const asked = {
    response_type: 'code',
    client_id: 'https://attack.invalid/client.json',
    redirect_uri: redirect,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...changed,
  }
  const path = `/oauth/authorize?${new URLSearchParams(asked)}`
  const answer = await t.gate.raw({ method: 'GET', path, key: null })
  t.refused(answer, ['invalid', 'not_found'], `${JSON.stringify(changed)} was taken`)
  t.holds(answer.headers['location'] === undefined, `${JSON.stringify(changed)} is sent on`)
}

/** @param {Trial} t @param {unknown} body */
const register = (t, body) => t.gate.raw({ path: '/oauth/register', key: null, body: JSON.stringify(body) })

/** A registered app. @param {Trial} t @returns {Promise<string>} its id */
async function registered(t) {
  const answer = await register(t, { redirect_uris: [redirect], client_name: `Attack test ${t.nonce()}` })
  if (answer.outcome !== 'done') return t.skip('no app can be registered now')
  return String(JSON.parse(answer.text).client_id)
}

/** @type {Attack[]} */
export const apps = [
  {
    id: 'app-discovery',
    topic: 'apps',
    title: 'Draw a client that has a key into signing in; have another host answer as the issuer',
    requirements: ['GATE-apps', 'AISVS-10.3.3'],
    needs: [],
    transports: ['rest'],
    async run(t) {
      await resourceOf(t)
      for (const path of ['oauth-authorization-server', 'openid-configuration', 'oauth-protected-resource']) {
        const answer = await t.gate.raw({ method: 'GET', path: `/.well-known/${path}`, key: null })
        t.refused(answer, ['not_found'], `${path} is at the root`)
      }
      const ofKeys = await t.gate.raw({ path: '/api/mcp', key: null, body: '{}' })
      t.refused(ofKeys, ['unauthenticated'], 'the tools are open')
      const asks = String(ofKeys.headers['www-authenticate'])
      t.holds(!asks.includes('resource_metadata'), 'a refused key is told where to sign in')
      for (const host of ['attack.invalid', '127.0.0.1:1']) {
        const answer = await t.gate.raw({ method: 'GET', path: resourcePath, key: null, headers: { host } })
        t.refused(answer, ['not_found', 'invalid'], `the host ${host} has metadata`)
      }
    },
  },
  {
    id: 'app-request',
    topic: 'apps',
    title:
      'Have a person asked without PKCE, for another server, or to be sent to an address that looks registered',
    requirements: ['GATE-apps', 'AISVS-10.2.1'],
    needs: [],
    transports: ['rest'],
    async run(t) {
      await resourceOf(t)
      const client_id = await registered(t)
      for (const changed of [
        { code_challenge: '' },
        { code_challenge_method: 'plain' },
        { response_type: 'token' },
        { resource: 'https://attack.invalid/mcp' },
        { redirect_uri: `${redirect}.attack.invalid` },
        { redirect_uri: `${redirect}/more` },
        { redirect_uri: 'https://attack.invalid:8443/callback' },
        { redirect_uri: 'https://ATTACK.invalid/callback' },
        { redirect_uri: 'https://attack.invalid@other.invalid/callback' },
        { redirect_uri: 'https://attack.invalid%2fcallback' },
        { redirect_uri: 'https://attack.invalid/x/../callback' },
        { redirect_uri: `${redirect}#x` },
      ])
        await opened(t, { client_id, ...changed })
    },
  },
  {
    id: 'app-document',
    topic: 'apps',
    title: 'Have the gate read a document about an app inside its own network',
    requirements: ['GATE-apps', 'AISVS-9.3.1'],
    needs: [],
    transports: ['rest'],
    async run(t) {
      await resourceOf(t)
      for (const client_id of [
        'https://169.254.169.254/latest/meta-data',
        'https://10.0.0.1/client.json',
        'https://[::1]/client.json',
        'https://[::ffff:127.0.0.1]/client.json',
        'https://2130706433/client.json',
        'http://attack.invalid/client.json',
        'file:///etc/passwd',
        'https://user@attack.invalid/client.json',
      ])
        await opened(t, { client_id })
    },
  },
  {
    id: 'app-token',
    topic: 'apps',
    title:
      'Get a token for a guessed code or refresh token; use a key as a token, and a token in the address',
    requirements: ['GATE-apps', 'AISVS-10.2.1'],
    needs: ['secondKey'],
    transports: ['rest'],
    async run(t) {
      const resource = await resourceOf(t)
      const code_verifier = 'x'.repeat(43)
      const told = new Set()
      for (const code of ['x', 'A'.repeat(43), `${'A'.repeat(42)}B`, '', '%']) {
        const answer = await token(t, { grant_type: 'authorization_code', code, code_verifier, resource })
        t.refused(answer, ['invalid'], 'a code was guessed')
        told.add(answer.text)
      }
      t.holds(told.size === 1, 'the refusals of unknown codes differ')
      for (const fields of [
        { grant_type: 'refresh_token', refresh_token: 'A'.repeat(43) },
        { grant_type: 'client_credentials' },
        { grant_type: 'password', username: 'a', password: 'b' },
        { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'x' },
      ])
        t.refused(await token(t, fields), ['invalid', 'unauthenticated'], `${fields.grant_type} gave a token`)
      const key = /** @type {string} */ (t.scene.secondKey)
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
      const served = await t.gate.raw({ path: '/mcp', key, body })
      t.refused(served, ['unauthenticated'], 'a key that is no token of an app was taken')
      const inAddress = await t.gate.raw({ path: `/mcp?access_token=${key}`, key: null, body })
      t.refused(inAddress, ['unauthenticated'], 'a token in the address was taken')
    },
  },
  {
    id: 'app-register',
    topic: 'apps',
    title: 'Register an app that sends people into a script or over plain http, or without end',
    requirements: ['GATE-apps', 'AISVS-9.1.2'],
    needs: [],
    transports: ['rest'],
    async run(t) {
      await resourceOf(t)
      for (const uri of [
        'javascript:alert(1)',
        'data:text/html,x',
        'http://attack.invalid/callback',
        'https://user@attack.invalid/callback',
        `${redirect}#x`,
        'https://attack.invalid\\@other.invalid/',
      ])
        t.refused(
          await register(t, { redirect_uris: [uri] }),
          ['invalid', 'too_many'],
          `${uri} was registered`,
        )
      let made = 0
      for (let n = 0; n < 40; n++) {
        const answer = await register(t, { redirect_uris: [redirect], client_name: 'Attack test' })
        if (answer.outcome !== 'done') break
        made++
      }
      t.holds(made < 40, 'apps can be registered without end')
    },
  },
]
