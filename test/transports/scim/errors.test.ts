import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type RunningApi, startApi } from '../../../src/api.ts'
import type { Config } from '../../../src/config.ts'
import { type Deps, makeDeps } from '../../../src/deps.ts'
import { freePort } from '../../../dev/embedded/free-port.ts'
import { useGate } from '../../support/use-gate.ts'
import { directoryOf, scimUser } from './client.ts'

const gate = useGate({ workers: false })
const apis: { deps: Deps; api: RunningApi }[] = []
let token = ''
let key = ''
let urls: Record<'whole' | 'limited' | 'faulty' | 'lonely', string>

/** Another API, with some of its configuration changed. */
async function apiWith(changes: Partial<Config>, spoil: (deps: Deps) => void = () => undefined) {
  const deps = makeDeps({ ...gate.config, ...changes }, { sandboxUrl: gate.sandbox.url, log: gate.deps.log })
  spoil(deps)
  const api = await startApi(deps)
  apis.push({ deps, api })
  return api.url
}

beforeAll(async () => {
  const account = await gate.account()
  const directory = await directoryOf(gate, account.account)
  ;({ token } = directory)
  ;({ key } = account)
  await directory.post('/Users', scimUser('taken'))
  urls = {
    whole: gate.api.url,
    limited: await apiWith({ RATE_LIMIT_PER_MINUTE: 1 }),
    faulty: await apiWith({}, (deps) => {
      deps.db.read = () => Promise.reject(new Error('a secret of the inside'))
    }),
    lonely: await apiWith({ DATABASE_URL: `postgres://gate:x@127.0.0.1:${await freePort(0)}/gate` }),
  }
  // Its minute is used up.
  await fetch(`${urls.limited}/scim/v2/Users`, { headers: { authorization: `Bearer ${token}` } })
})
afterAll(async () => {
  for (const { api, deps } of apis) {
    await api.stop()
    await deps.close()
  }
})

interface Sent {
  path: string
  method?: string
  body?: unknown
  type?: string
  as?: 'directory' | 'agent' | 'nobody' | 'stranger'
  at?: keyof typeof urls
}

const large = { ...scimUser('large'), title: 'x'.repeat(1_100_000) }
const patch = (Operations: unknown) => ({ method: 'PATCH', body: { Operations } })

/** What goes wrong, as which status, and `scimType` where RFC 7644 has one for it. */
const errors: [status: number, scimType: string | undefined, sent: Sent][] = [
  [400, 'invalidSyntax', { path: '/Users', method: 'POST', body: '{"userName":' }],
  [400, 'invalidSyntax', { path: '/Users/%zz' }],
  [400, 'invalidFilter', { path: '/Users?filter=userName%20co%20%22a%22' }],
  [400, 'invalidValue', { path: '/Users', method: 'POST', body: { displayName: 'Ada' } }],
  [
    400,
    'invalidValue',
    { path: '/Users', method: 'POST', body: '{"userName":"a@b.example","userName":"c@b.example"}' },
  ],
  [400, 'invalidValue', { path: '/Users/mem_0123456789abcdef', ...patch([{ op: 'move' }]) }],
  [401, undefined, { path: '/Users', as: 'nobody' }],
  [401, undefined, { path: '/Users', as: 'stranger', method: 'POST', body: large }],
  [401, undefined, { path: '/Bulk', as: 'nobody' }],
  [401, undefined, { path: '/Users/%zz', as: 'stranger' }],
  [403, undefined, { path: '/Groups', as: 'agent' }],
  [404, undefined, { path: '/Users/mem_0123456789abcdef' }],
  [404, undefined, { path: '/Users/mem_0123456789abcdef', method: 'DELETE' }],
  [404, undefined, { path: '/Schemas/none' }],
  [404, undefined, { path: '/Me' }],
  [404, undefined, { path: '/Bulk', method: 'POST', body: { Operations: [] } }],
  [404, undefined, { path: '/Users/.search/none', method: 'POST', body: {} }],
  [405, undefined, { path: '/Users', method: 'PUT', body: {} }],
  [405, undefined, { path: '/ServiceProviderConfig', method: 'DELETE' }],
  [409, 'uniqueness', { path: '/Users', method: 'POST', body: scimUser('taken', { externalId: 'other' }) }],
  [413, undefined, { path: '/Users', method: 'POST', body: large }],
  [415, undefined, { path: '/Users', method: 'POST', body: '<user/>', type: 'application/xml' }],
  [429, undefined, { path: '/Users', at: 'limited' }],
  [429, undefined, { path: '/Nothing', at: 'limited' }],
  [500, undefined, { path: '/Users', at: 'faulty' }],
  [500, undefined, { path: '/Groups', at: 'faulty', method: 'POST', body: { displayName: 'Leads' } }],
  [503, undefined, { path: '/Users', at: 'lonely' }],
  [503, undefined, { path: '/Nothing', at: 'lonely' }],
]

async function answered({ path, method = 'GET', body, type, as = 'directory', at = 'whole' }: Sent) {
  const credential = { directory: token, agent: key, nobody: undefined, stranger: `qgk_${'x'.repeat(38)}` }[
    as
  ]
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(`${urls[at]}/scim/v2${path}`, {
    method,
    headers: {
      // A person's browser gets no page here either.
      accept: 'text/html, application/scim+json',
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...(body === undefined ? {} : { 'content-type': type ?? 'application/scim+json' }),
    },
    ...(body === undefined ? {} : { body: text }),
  })
}

test('every error on the path of SCIM is in the form of SCIM', async () => {
  for (const [status, scimType, sent] of errors) {
    const answer = await answered(sent)
    const body = (await answer.json()) as Record<string, unknown>
    expect([sent.path, answer.status, answer.headers.get('content-type'), body]).toEqual([
      sent.path,
      status,
      'application/scim+json; charset=utf-8',
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: String(status),
        detail: expect.stringMatching(/^[A-Za-z][^]{10,}$/),
        ...(scimType === undefined ? {} : { scimType }),
      },
    ])
    expect(body['detail']).not.toContain('secret')
    const { headers } = answer
    expect([status === 401, headers.has('www-authenticate')]).toEqual([status === 401, status === 401])
    expect([status, [429, 503].includes(status)]).toEqual([status, headers.has('retry-after')])
    expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
  }
})
