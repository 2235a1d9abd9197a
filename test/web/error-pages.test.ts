import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import Fastify from 'fastify'
import { pages } from '../../src/console/pages.ts'
import { GateError } from '../../src/errors.ts'
import { sendError } from '../../src/web/answer-errors.ts'
import type { ApiClient } from '../support/api-client.ts'
import { type Visitor, signedInAdmin, signedInByMail } from '../support/console.ts'
import { ringOf } from '../support/connect.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { testRows } from '../support/rows.ts'
import { shorten } from '../support/shorten.ts'

let gate: TestGate
let client: ApiClient
let restore: () => void
beforeAll(async () => {
  restore = shorten({ connectPagesPerMinute: 60 })
  // Without keys for secrets no device can be added.
  gate = await startGate({ workers: false, env: { SECRETS_KEYS: ringOf('k1') } })
  client = (await gate.account()).client
}, 60_000)
afterAll(async () => {
  await gate.stop()
  restore()
})

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const program = { accept: '*/*' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const token = 'x'.repeat(43)
const large = `a=${'x'.repeat(2_000_000)}`

async function open(method: string, path: string, headers: Record<string, string>, body?: string) {
  const answer = await fetch(gate.api.url + path, {
    method,
    redirect: 'manual',
    headers,
    ...(body === undefined ? {} : { body }),
  })
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() }
}

/** Whoever asks: these are paths of pages. */
const ofPages: [string, string, number, string?][] = [
  ['GET', '/decide', 404],
  ['GET', '/decide/', 404],
  ['GET', `/decide/${token}`, 404],
  ['GET', `/decide/${token}/`, 404],
  ['POST', `/decide/${token}/`, 404, 'does=confirm'],
  ['GET', `/decide/${token}/x`, 404],
  ['GET', '/decide/%zz', 400],
  ['PUT', `/decide/${token}/`, 405],
  ['POST', `/decide/${token}`, 413, large],
  ['GET', `/integrations/connect/${token}/`, 404],
  ['GET', '/integrations/connect/a/b/c', 404],
  ['DELETE', `/integrations/connect/${token}`, 405],
  ['GET', '/console/nothing/', 404],
  ['GET', '/console/%ff', 400],
  ['PUT', '/console/sign-in/', 405],
  ['POST', '/console/sign-in/', 413, large],
  ['GET', `/console/sign-in/${token}/`, 404],
  ['GET', '/integrations/slack/callback/', 409],
  ['PUT', '/integrations/slack/callback', 405],
  ['POST', '/checkout/done/', 405],
  ['GET', '/checkout', 404],
]
/** A browser gets a page at any path but those of programs. */
const inBrowser: [string, string, number, string?][] = [
  ['GET', '/nothing', 404],
  ['GET', '/favicon.ico/', 404],
  ['GET', '/%zz', 400],
  ['POST', '/', 405],
  ['GET', '/integrations/slack/interactions', 405],
  ['PUT', '/healthz/', 405],
  ['GET', '/api', 404],
]

testRows([
  ...ofPages.map((row) => [row, browser] as const),
  ...ofPages.map((row) => [row, program] as const),
  ...inBrowser.map((row) => [row, browser] as const),
])('a person gets a page for every error: %s', async ([method, path, status, body], headers) => {
  const answer = await open(method, path, { ...headers, ...(body ? form : {}) }, body)
  expect([answer.status, answer.type]).toEqual([status, 'text/html; charset=utf-8'])
  expect(answer.text).toMatch(/<h1>[^<]+<\/h1>/)
  expect(answer.text).not.toMatch(/"error":|llms\.txt|JSON|undefined/)
})

testRows<[string, string, number, Record<string, string>]>([
  ['GET', '/nothing', 404, program],
  ['GET', '/api/nothing', 401, browser],
  ['GET', '/api/v1/actions/x', 401, browser],
  ['PUT', '/healthz', 405, program],
])('a program gets JSON: %s %s', async (method, path, status, headers) => {
  const answer = await open(method, path, headers)
  expect([answer.status, answer.type]).toEqual([status, 'application/json; charset=utf-8'])
  expect(JSON.parse(answer.text)).toMatchObject({ error: expect.any(String), code: expect.any(String) })
})

test('too many requests, and an error of the service, are pages too', async () => {
  let last = await open('GET', `/decide/${token}/`, browser)
  for (let n = 0; n < 60 && last.status !== 429; n++) last = await open('GET', `/decide/${token}/`, browser)
  expect([last.status, last.type]).toEqual([429, 'text/html; charset=utf-8'])
  const app = Fastify()
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.decorateRequest('noted', null)
  app.get('/broken', () => Promise.reject(new Error('secret detail')))
  app.get('/down', () => Promise.reject(new GateError('unavailable', 'Come back.', { retryAfterSeconds: 5 })))
  for (const [url, status] of [
    ['/broken', 500],
    ['/down', 503],
  ] as const) {
    const answer = await app.inject({ url, headers: browser })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8'])
    expect(answer.body).not.toContain('secret')
  }
  await app.close()
})

test('a browser whose cookies do not fit gets a page, a program JSON', async () => {
  const { port } = new URL(gate.api.url)
  const ask = (head: string) =>
    new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(head))
      socket.on('data', (part) => (text += String(part)))
      socket.on('close', () => resolve(text))
      socket.on('error', reject)
    })
  const cookies = `cookie: a=${'x'.repeat(20_000)}\r\n\r\n`
  const page = await ask(`GET /console HTTP/1.1\r\nhost: x\r\naccept: text/html\r\n${cookies}`)
  expect(page).toMatch(/^HTTP\/1\.1 431 [^]*content-type: text\/html[^]*Delete the cookies/)
  const json = await ask(`GET /api/v1/actions HTTP/1.1\r\nhost: x\r\naccept: text/html\r\n${cookies}`)
  expect(json).toMatch(/^HTTP\/1\.1 431 [^]*content-type: application\/json/)
})

test('a slash at the end of an address changes nothing: every path of the API, and of the console', async () => {
  const { body: described } = await client.request('GET', '/api/openapi.json')
  const wrong: unknown[] = []
  for (const [template, methods] of Object.entries<object>(described.paths))
    for (const method of Object.keys(methods).filter((name) =>
      ['get', 'post', 'put', 'delete'].includes(name),
    )) {
      const path = template.replaceAll(/\{\w+\}/g, '7')
      const ask = (url: string) =>
        client.request(method.toUpperCase(), url, method === 'post' ? { body: {} } : {})
      const [plain, slashed] = [await ask(path), await ask(`${path}/`)]
      const same = plain.status === slashed.status && plain.body.error === slashed.body.error
      if (!same) wrong.push([method, path, plain.status, slashed.status, slashed.body])
    }
  expect(wrong).toEqual([])
  expect(Object.keys(described.paths).length).toBeGreaterThan(15)
  // Some pages are for administrators, some for members.
  const account = await gate.account()
  const { email } = await account.addMember({ email: 'both@example.com' })
  await signedInAdmin(gate, account.account, email!)
  const admin: Visitor = await signedInByMail(gate, email!)
  const missing: string[] = []
  for (const { path } of pages.filter((page) => !page.path.includes(':'))) {
    const [plain, slashed] = [await admin.open(path), await admin.open(`${path}/`)]
    expect([path, slashed.status]).toEqual([path, plain.status])
    if (plain.status !== 200) missing.push(path)
  }
  // There is no provider.
  expect(missing).toEqual(['/console/company/remove', '/console/company/people'])
}, 60_000)

test('the sandbox too answers a person with a page', async () => {
  for (const path of ['/nothing', '/messages/x', '/%zz']) {
    const answer = await fetch(new URL(path, gate.sandbox.url), { headers: browser })
    expect([path, answer.headers.get('content-type')]).toEqual([path, 'text/html; charset=utf-8'])
  }
  expect((await fetch(new URL('/nothing', gate.sandbox.url))).headers.get('content-type')).toContain('json')
})

test('the API takes a slash at the end: propose, read and decide', async () => {
  const account = await gate.account()
  await account.addMember({ name: 'Ada', email: 'ada@example.com', tier: 'write' })
  const actor = { email: 'ada@example.com' }
  const body = { kind: 'broadcast', actor, payload: { message: 'Lunch.' } }
  const proposed = await account.client.request('POST', '/api/v1/actions/', { body })
  const again = await account.client.request('POST', '/api/v1/actions///', { body })
  expect([proposed.status, again.status]).toEqual([201, 201])
  expect(
    (await account.client.request('GET', `/api/v1/actions//?status=proposed`)).body.actions,
  ).toHaveLength(2)
  expect((await account.client.request('GET', `/api/v1//actions`)).status).toBe(404)
  const cancelled = await account.client.request('POST', `/api/v1/actions/${proposed.body.id}/cancel/`, {
    body: { actor },
  })
  expect(cancelled.body.status).toBe('cancelled')
})
