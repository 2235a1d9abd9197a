import { notOpened, redirect, register, resourceOf } from './app-requests.js'

/** @typedef {import('../index.js').Attack} Attack @typedef {import('../index.js').Trial} Trial */

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** @param {Trial} t @param {Record<string, string>} fields */
const token = (t, fields) =>
  t.gate.raw({
    path: '/oauth/token',
    key: null,
    headers: form,
    body: new URLSearchParams({ client_id: 'https://attack.invalid/client.json', ...fields }).toString(),
  })

/** Attacks by programs. */
/** @type {Attack[]} */
export const apps = [
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
        await notOpened(t, { client_id })
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
