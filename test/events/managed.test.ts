import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { adminPowers } from '../../src/keys/admin-powers.ts'
import { limits } from '../../src/limits.ts'
import { readEndpoint } from '../../src/operations/events/endpoints.ts'
import { mintKey } from '../../src/operations/keys/mint-key.ts'
import { rewrapSecrets } from '../../src/operations/maintenance/rewrap-secrets.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { gateOn } from '../cli/gate-command.ts'
import { apiClient } from '../support/api-client.ts'
import { signedInAdmin } from '../support/console.ts'
import { ringOf } from '../support/connect.ts'
import { type EventScene, eventScene, pass, taken } from './scene.ts'

let scene: EventScene
let logged = ''
/** What names resolve to. */
const names = new Map<string, string[]>()
beforeAll(async () => {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk)
      done()
    },
  })
  scene = await eventScene({
    env: { TRUST_PROXY: 'true' },
    log: pino({ level: 'trace' }, stream),
    network: {
      allowed: ['127.0.0.1'],
      resolve: async (host) => (names.get(host) ?? []).map((address) => ({ address, family: 4 })),
    },
  })
}, 60_000)
afterAll(() => scene.stop())

type Account = Awaited<ReturnType<EventScene['account']>>
const programOf = async (account: Account, powers = adminPowers) => {
  const { apiKey } = await mintKey(scene.context(account), {
    name: 'program',
    expiresAt: null,
    actors: [],
    rights: { powers },
  })
  return { apiKey, client: apiClient(scene.gate.api.url, apiKey) }
}
const path = '/api/v1/admin/endpoints'

test('a program and the command line add, change, test, replay and remove endpoints', async () => {
  const account = await scene.account()
  const { apiKey, client } = await programOf(account)
  const receiver = await scene.receiver(account)
  const post = async (rest: string, body: object) => client.request('POST', `${path}${rest}`, { body })
  const added = await post('', {
    url: receiver.server.url,
    description: 'Program',
    types: ['policy.changed'],
  })
  expect(added).toMatchObject({
    status: 200,
    body: { secret: expect.stringMatching(/^whsec_/), public_key: expect.stringMatching(/^whpk_/) },
  })
  const id = added.body.endpoint
  expect((await post(`/${id}`, { full: true })).body).toMatchObject({ types: ['policy.changed'], full: true })
  expect((await post(`/${id}`, { all_types: true })).body).toMatchObject({ types: 'all', full: true })
  expect((await post(`/${id}/test`, {})).body.event).toMatch(/^evt_/)
  await scene.deliver()
  const listed = await client.request('GET', `${path}/${id}/deliveries?limit=1`)
  expect(listed.body.deliveries).toMatchObject([
    { type: 'test', state: 'delivered', attempts: 1, last_attempt: { status: 204 } },
  ])
  const { event } = listed.body.deliveries[0]
  expect((await post(`/${id}/replay`, { event })).body).toEqual({ queued: 1 })
  for (const wrong of [{}, { event, since: new Date().toISOString() }])
    expect((await post(`/${id}/replay`, wrong)).status).toBe(422)
  expect((await post(`/${id}/off`, {})).body).toMatchObject({ state: 'off', off_reason: 'admin' })
  const local = gateOn({
    DATABASE_URL: scene.gate.database.serviceUrl,
    SECRETS_KEYS: ringOf('k1'),
    EXECUTOR_ALLOW: '127.0.0.1',
  })
  const remote = gateOn({ GATE_KEY: apiKey, DATABASE_URL: 'postgres://127.0.0.1:9/none' })
  const near = (...argv: string[]) => local('endpoint', ...argv, '--account', account.account)
  const far = (...argv: string[]) => remote('--url', scene.gate.api.url, 'endpoint', ...argv)
  for (const form of [[], ['--json']]) {
    const [a, b] = [await near('list', ...form), await far('list', ...form)]
    expect([b.code, b.stdout]).toEqual([0, a.stdout])
    expect(a.stdout).toContain('Program')
    expect(a.stdout).not.toContain('whsec_')
  }
  for (const at of [near, far]) {
    const made = (
      await at(
        'add',
        '--url',
        receiver.server.url,
        '--description',
        'Shell',
        '--type',
        'key.minted',
        '--json',
      )
    ).json
    const one = ['--endpoint', made.endpoint]
    expect((await at('change', ...one, '--all-types', '--full', '--json')).json).toMatchObject({
      types: 'all',
      full: true,
    })
    expect((await at('rotate', ...one, '--json')).json.secret).not.toBe(made.secret)
    expect((await at('off', ...one)).code).toBe(0)
    expect((await at('test', ...one)).stderr).toContain('is off')
    expect((await at('on', ...one)).code).toBe(0)
    expect((await at('test', ...one)).code).toBe(0)
    await scene.deliver()
    expect((await near('deliveries', ...one)).stdout).toContain('delivered')
    expect(
      (await at('replay', ...one, '--since', new Date(Date.now() - 60_000).toISOString(), '--json')).json
        .queued,
    ).toBeGreaterThan(0)
    expect((await at('remove', ...one)).code).toBe(0)
    expect((await at('remove', ...one)).code).not.toBe(0)
  }
  expect((await post(`/${id}/remove`, {})).body).toEqual({ endpoint: id, removed: true })
})

test('a key without the power, of another account, or a wrong field changes nothing; there are at most 20', async () => {
  const [account, other] = [await scene.account(), await scene.account()]
  const { endpoint, server } = await scene.receiver(account)
  const reader = (await programOf(account, ['admin:endpoints.read'])).client
  const stranger = (await programOf(other)).client
  const writer = (await programOf(account)).client
  const body = { url: server.url, description: 'Evil' }
  expect((await reader.request('POST', path, { body })).status).toBe(403)
  expect((await account.client.request('GET', path)).status).toBe(403)
  for (const rest of ['', '/test', '/rotate', '/off', '/remove'])
    expect((await stranger.request('POST', `${path}/${endpoint}${rest}`, { body: {} })).status).toBe(404)
  expect((await stranger.request('GET', `${path}/${endpoint}/deliveries`)).status).toBe(404)
  for (const wrong of [
    { types: ['action.nothing'] },
    { types: [] },
    { types: ['test'] },
    { secret: 'x' },
    { types: ['key.minted'], all_types: true },
  ])
    expect([wrong, (await writer.request('POST', `${path}/${endpoint}`, { body: wrong })).status]).toEqual([
      wrong,
      422,
    ])
  for (let n = 1; n < limits.endpointsMax; n++)
    expect((await writer.request('POST', path, { body })).status).toBe(200)
  expect((await writer.request('POST', path, { body })).status).toBe(409)
  await writer.request('POST', `${path}/${endpoint}/off`, { body: {} })
})

test('an administrator with a grudge reaches no private address: by number, by name, by a name that changes, or by a redirect', async () => {
  const account = await scene.account()
  const { client } = await programOf(account)
  const add = (url: string) => client.request('POST', path, { body: { url, description: 'Grudge' } })
  for (const url of [
    'https://169.254.169.254/latest/meta-data/',
    'http://169.254.169.254/latest/meta-data/',
    'https://[::ffff:169.254.169.254]/',
    'https://0xa9fea9fe/',
    'https://10.0.0.1/',
    'https://[fd00:ec2::254]/',
    'https://user:hush-password@example.com/',
    'http://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'https://example.com/#fragment',
    `https://example.com/${'x'.repeat(2_000)}`,
  ]) {
    const answer = await add(url)
    expect([url, answer.status, answer.body.param]).toEqual([url, 422, 'url'])
  }
  names.set('rebinding.example', ['93.184.216.34'])
  const { endpoint } = (await add('https://rebinding.example/')).body
  const refused = async (id: string) => {
    await client.request('POST', `${path}/${id}/test`, { body: {} })
    await scene.deliver()
    const { deliveries } = (await client.request('GET', `${path}/${id}/deliveries?limit=1`)).body
    expect(deliveries[0].last_attempt).toMatchObject({ error: 'address_refused' })
    expect(deliveries[0].last_attempt).not.toHaveProperty('status')
  }
  // The name is one of ours by the time that it is called.
  for (const addresses of [['169.254.169.254'], ['93.184.216.34', '10.0.0.1'], ['127.0.0.2']]) {
    names.set('rebinding.example', addresses)
    await refused(endpoint)
  }
  // The operator allowed the address when it was added, and does so no longer: a number is not looked up.
  const listening = await scene.receiver(account)
  for (const host of ['127.0.0.2', '[::1]']) {
    await scene.gate.database.asSuperuser(
      `update gate.endpoint set url = 'http://${host}:${listening.server.port}/' where endpoint_id = '${listening.endpoint}'`,
    )
    await refused(listening.endpoint)
  }
})

test('the console shows a secret once, what each delivery was answered, and sends a test', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, {
    answer: (_request, response) => void response.end('<b>\u202ethanks'),
  })
  const admin = await signedInAdmin(scene.gate, account.account)
  const made = await admin.send('/console/endpoints/new', {
    url: receiver.server.url,
    description: 'From the console',
    body: 'full',
    type_key_minted: 'on',
  })
  const secret = /whsec_[\w+/=]+/.exec(made.text)![0]
  const list = await admin.open('/console/endpoints')
  const id = /\/console\/endpoints\/(end_\w{16})">\s*<bdi class="name">From the console/.exec(list.html)![1]!
  expect(await readEndpoint(scene.context(account), id)).toMatchObject({
    types: ['key.minted'],
    is_full: true,
  })
  await admin.send(`/console/endpoints/${id}/test`, {})
  await scene.deliver()
  const page = await admin.open(`/console/endpoints/${id}`)
  expect(page.html).toContain('&lt;b&gt;⟨U+202E⟩thanks')
  expect(page.html).not.toContain(secret)
  expect(page.text).toContain('delivered')
  await admin.send(`/console/endpoints/${id}/turn`, {})
  expect(await readEndpoint(scene.context(account), id)).toMatchObject({ off_reason: 'admin' })
  await admin.send(`/console/endpoints/${id}/turn`, {})
  expect(await readEndpoint(scene.context(account), id)).toMatchObject({ off_reason: null })
  await admin.send(`/console/endpoints/${id}/remove`, {})
  expect((await admin.open('/console/endpoints')).text).not.toContain('From the console')
})

test('a secret is wrapped under the first key, signs as before, and stands in no log and no entry', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { path: '/hook?token=hush-address' })
  const both = parseKeyRing(`${ringOf('k2')},${ringOf('k1')}`)
  for await (const page of rewrapSecrets(scene.gate.database.db, both)) expect(page.failures).toEqual([])
  const kids = await scene.gate.database.asSuperuser('select distinct kid from gate.endpoint_secret')
  expect(kids).toEqual([{ kid: 'k2' }])
  const { secretsKeys } = scene.gate.deps
  await account.client.propose(account.actor, 'One')
  // A process that does not have the key yet signs nothing, and tries again.
  await scene.deliver()
  expect(receiver.server.received).toEqual([])
  scene.gate.deps.secretsKeys = both
  await pass(scene.gate, 6_000)
  receiver.answers(taken)
  await scene.deliver()
  expect(receiver.told()).toMatchObject([{ type: 'action.proposed' }])
  scene.gate.deps.secretsKeys = secretsKeys
  const entries = JSON.stringify(await scene.gate.database.asSuperuser('select entry from gate.ledger'))
  expect(logged.length).toBeGreaterThan(100)
  for (const text of [logged, entries]) expect(/whsec_|whsk_|hush-/.exec(text)?.[0]).toBeUndefined()
})
