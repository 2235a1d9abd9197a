import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { jwks, payload, receiptOf } from '../vectors/make.js'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const secret = newSecret()
const uuid = '6f1c8f0e-4f3e-4f0b-9a51-0d2f7c8a9b10'
const nowSeconds = () => Math.floor(Date.now() / 1_000)

/** How the gate answers who fetches its keys. */
const published: [number, unknown] = [200, jwks]
let keysNow = published
const keys = createServer((_request, response) =>
  response.writeHead(keysNow[0]).end(JSON.stringify(keysNow[1])),
)
let gate: string
let folder: string
let executor: ReturnType<typeof spawn>
let url: string

beforeAll(async () => {
  keys.listen(0, '127.0.0.1')
  await once(keys, 'listening')
  gate = `http://127.0.0.1:${(keys.address() as AddressInfo).port}`
  folder = mkdtempSync(join(tmpdir(), 'executor-example-'))
  mkdirSync(join(folder, 'node_modules'))
  for (const [name, at] of [
    ['qualification-gate-receipts', '..'],
    ['standardwebhooks', '../../../node_modules/standardwebhooks'],
  ] as const)
    symlinkSync(fileURLToPath(new URL(at, import.meta.url)), join(folder, 'node_modules', name))
  const page = readFileSync(new URL('../../../docs/write-an-executor.md', import.meta.url), 'utf8')
  const [, code] = /executor\.mjs <<'END'\n([^]*?)\nEND\n/.exec(page)!
  const listening = "listen(0, '127.0.0.1', function () { console.log(this.address().port) })"
  writeFileSync(
    join(folder, 'executor.mjs'),
    code!.replace("listen(3000, '127.0.0.1')", listening).replace('deleted: customer', 'deleted: 1'),
  )
})

/** A process of the executor of the docs, new for each test: it remembers what it did. */
async function startExecutor(): Promise<void> {
  executor?.kill()
  executor = spawn(process.execPath, [join(folder, 'executor.mjs')], {
    env: { PATH: process.env['PATH'], GATE: gate, ACCOUNT: 'acct_0a1B2c3D4e5F6g7H', SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(executor.stdout!, 'data')
  url = `http://127.0.0.1:${Number(port)}`
}
beforeAll(startExecutor)
afterAll(async () => {
  executor.kill()
  keys.close()
  rmSync(folder, { recursive: true })
})

const receiptNow = (changes: object = {}) =>
  receiptOf({ iss: gate, iat: nowSeconds(), exp: nowSeconds() + 3_600, uuid, ...changes })

interface Sent {
  id?: string
  timestamp?: number
  secret?: string
  data?: object
  /** The body that arrives, where it is not the one that was signed. */
  arrives?: string
}

async function send({ id = `${uuid}.call`, timestamp = nowSeconds(), ...given }: Sent = {}) {
  const data = { receipt: receiptNow(), kind: 'refund', payload, ...given.data }
  const body = JSON.stringify({ type: 'action.confirmed', data })
  const signature = new Webhook(given.secret ?? secret).sign(id, new Date(timestamp * 1_000), body)
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
  const answer = await fetch(url, { method: 'POST', headers, body: given.arrives ?? body })
  return `${answer.status} ${await answer.text()}`
}

test('the executor of the docs does a call once, and answers a repeat like the first', async () => {
  const first = await send()
  expect(first).toMatch(/^200 \{"deleted":1,"at":/)
  expect(await send()).toBe(first)
  const together = await Promise.all([1, 2, 3].map(() => send({ timestamp: nowSeconds() - 1 })))
  expect(new Set(together)).toEqual(new Set([first]))
})

test('a repeat of a call that was done is answered like the first, also where its receipt does not verify any more', async () => {
  const repeated = { id: `${uuid}.call`, data: { receipt: receiptNow({ exp: nowSeconds() - 1 }) } }
  const first = await send()
  expect(await send(repeated)).toBe(first)
  await startExecutor()
  expect(await send(repeated)).toBe('422 "expired"')
})

test('the executor of the docs refuses a call without the secret, one that was changed on the way, and one that is old', async () => {
  const body = JSON.stringify({ data: { kind: 'refund', payload } })
  expect((await fetch(url, { method: 'POST', body })).status).toBe(401)
  for (const wrong of [
    { secret: newSecret() },
    { arrives: body },
    { timestamp: nowSeconds() - 400 },
    { timestamp: nowSeconds() + 400 },
  ])
    expect(await send(wrong)).toBe('401 "wrong signature"')
})

test('the executor of the docs refuses a call whose receipt is of another action, another payload, account or kind, or is none', async () => {
  const other = receiptNow({ uuid: '00000000-0000-4000-8000-000000000000' })
  expect(await send({ data: { receipt: other } })).toBe('422 "other_action"')
  expect(await send({ data: { payload: { ...payload, amount_cents: 1 } } })).toBe('422 "wrong_payload"')
  expect(await send({ data: { kind: 'payout' } })).toBe('422 "wrong_kind"')
  expect(await send({ data: { receipt: receiptNow({ account: 'acct_0000000000000000' }) } })).toBe(
    '422 "wrong_account"',
  )
  expect(await send({ data: { receipt: receiptNow({ iss: 'https://gate.example.com' }) } })).toBe(
    '422 "wrong_issuer"',
  )
  const [head, claims] = receiptNow().split('.')
  expect(await send({ data: { receipt: `${head}.${claims}.${'A'.repeat(86)}` } })).toBe(
    '422 "wrong_signature"',
  )
  expect(await send({ data: { receipt: undefined } })).toMatch(/^422/)
})

test.each<[string, { keys?: [number, unknown]; data?: () => object }]>([
  ['jwks_unavailable', { keys: [500, {}] }],
  ['invalid_jwks', { keys: [200, { error: 'a proxy says this' }] }],
  ['unknown_key', { keys: [200, { keys: jwks.keys.map((key) => ({ ...key, kid: 'former' })) }] }],
  ['issued_in_future', { data: () => ({ receipt: receiptNow({ iat: nowSeconds() + 120 }) }) }],
])(
  'where the receipt cannot be checked now (%s) it answers 429, which refuses nothing and says that nothing was done',
  async (code, { keys: given = published, data = () => ({}) }) => {
    keysNow = given
    await startExecutor()
    expect(await send({ data: data() })).toBe(`429 "${code}"`)
    keysNow = published
    await startExecutor()
    expect(await send()).toMatch(/^200 /)
  },
)
