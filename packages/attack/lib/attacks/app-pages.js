import { authorization, notOpened, redirect, registered, resourceOf } from './app-requests.js'

/** @typedef {import('../index.js').Attack} Attack @typedef {import('../index.js').Answer} Answer */

const issuerPath = '/.well-known/oauth-authorization-server/oauth'
const grantPath = '/console/apps/connect'

/** Where programs find out about apps and connect. @type {{ method: string, path: string, body?: string }[]} */
const pathsOfApps = [
  { method: 'GET', path: '/.well-known/oauth-protected-resource/mcp' },
  { method: 'GET', path: issuerPath },
  { method: 'GET', path: '/.well-known/openid-configuration/oauth' },
  { method: 'POST', path: '/oauth/register', body: JSON.stringify({ redirect_uris: [redirect] }) },
  { method: 'POST', path: '/mcp', body: '{}' },
]

/** Names that look like another one, or hide a part: bidirectional, invisible, control, Cyrillic and full-width characters. */
const falseNames = ['Chat\u202Etpg', 'A\u200BB', 'Chat\u0007', 'Ch\u0430tGPT', 'Ch\uFF41t']

/** Whether a browser shows the answer inside a page of another site. @param {Answer} answer */
function isFramed({ status, headers }) {
  if (status >= 300 && status < 400) return false
  const policy = headers['content-security-policy'] ?? ''
  const isRefused = /(?:^|;)\s*frame-ancestors\s+'(?:none|self)'\s*(?:;|$)/.test(policy)
  return !isRefused && !/^(?:deny|sameorigin)$/i.test(headers['x-frame-options'] ?? '')
}

/** Attacks on the person who connects an app, and on what they are shown. @type {Attack[]} */
export const appPages = [
  {
    id: 'app-discovery',
    topic: 'apps',
    title: 'Draw a client that has a key into signing in',
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
    },
  },
  {
    id: 'app-issuer',
    topic: 'apps',
    title: 'Have another host answer as the issuer, or be named as it; mix up issuers',
    requirements: ['GATE-apps', 'AISVS-10.2.1'],
    needs: [],
    transports: ['rest'],
    async run(t) {
      const { origin } = new URL(await resourceOf(t))
      for (const host of ['attack.invalid', '127.0.0.1:1'])
        for (const path of pathsOfApps)
          t.refused(
            await t.gate.raw({
              method: path.method,
              path: path.path,
              key: null,
              headers: { host },
              body: path.body,
            }),
            ['not_found', 'invalid', 'unauthenticated'],
            `the host ${host} answers ${path.path}`,
          )
      const forwarded = { 'x-forwarded-host': 'attack.invalid', forwarded: 'host=attack.invalid' }
      const answer = await t.gate.raw({ method: 'GET', path: issuerPath, key: null, headers: forwarded })
      t.done(answer, 'the issuer has no metadata')
      t.holds(!answer.text.includes('attack.invalid'), 'a header of the caller names the issuer')
      const told = JSON.parse(answer.text)
      t.holds(told.issuer === `${origin}/oauth`, 'the issuer is not that of the resource')
      t.holds(
        told.authorization_response_iss_parameter_supported === true,
        'answers do not say whose they are: issuers can be mixed up',
      )
      t.holds(String(told.code_challenge_methods_supported) === 'S256', 'a weaker challenge is offered')
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
      const { client_id } = await registered(t)
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
        await notOpened(t, { client_id, ...changed })
    },
  },
  {
    id: 'app-frame',
    topic: 'apps',
    title: 'Show the page that connects an app inside a page of another site',
    requirements: ['GATE-apps', 'AISVS-9.1.2'],
    needs: [],
    transports: ['rest'],
    async run(t) {
      await resourceOf(t)
      const asked = authorization({ client_id: (await registered(t)).client_id })
      for (const path of ['/oauth/authorize', grantPath]) {
        const answer = await t.gate.raw({ method: 'GET', path: `${path}?${asked}`, key: null })
        t.holds(answer.status !== 0 && answer.status < 500, `${path} does not answer`)
        t.holds(!isFramed(answer), `${path} can be framed`)
      }
    },
  },
  {
    id: 'app-answer',
    topic: 'apps',
    title: 'Connect an app by a link, by a form of another site, or with a session that somebody made up',
    requirements: ['GATE-apps', 'AISVS-9.1.2'],
    needs: [],
    transports: ['rest'],
    async run(t) {
      await resourceOf(t)
      const asked = authorization({ client_id: (await registered(t)).client_id })
      for (const more of ['answer=connect', 'prompt=none', 'form_of=x&answer=connect'])
        for (const path of ['/oauth/authorize', grantPath]) {
          const answer = await t.gate.raw({ method: 'GET', path: `${path}?${asked}&${more}`, key: null })
          t.holds(!leadsToApp(answer), `opening ${path} with ${more} answers the app`)
        }
      for (const headers of [
        { 'sec-fetch-site': 'cross-site', origin: 'https://attack.invalid' },
        { cookie: `session=${'A'.repeat(43)}; __Host-session=${'A'.repeat(43)}` },
        {},
      ]) {
        const answer = await t.gate.raw({
          path: grantPath,
          key: null,
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
          body: `${asked}&answer=connect`,
        })
        t.holds(answer.outcome !== 'done', `the form was taken with ${JSON.stringify(headers)}`)
        t.holds(!leadsToApp(answer), `the form answers the app with ${JSON.stringify(headers)}`)
      }
    },
  },
  {
    id: 'app-name',
    topic: 'apps',
    title: 'Take a name with characters that are invisible, turn the text or look like others',
    requirements: ['GATE-apps', 'GATE-text', 'AISVS-9.1.2'],
    needs: [],
    transports: ['rest'],
    async run(t) {
      await resourceOf(t)
      for (const name of falseNames) {
        const { client_name: shown } = await registered(t, name)
        t.holds(shown !== name, `the name ${JSON.stringify(name)} is shown`)
        t.holds(!shown || /^[\x20-\x7e]*$/.test(shown), `the name ${JSON.stringify(name)} is shown in part`)
      }
    },
  },
]

/** Whether an answer sends the browser to the app. @param {Answer} answer */
const leadsToApp = ({ headers }) =>
  [headers['location'], headers['refresh']].some((to) =>
    /^(?:\d+;\s*url=)?https:\/\/attack\.invalid/i.test(to ?? ''),
  )
