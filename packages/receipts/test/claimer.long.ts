import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fileURLToPath } from 'node:url'
import { jwks, payload, receiptOf } from '../vectors/make.js'

const account = 'acct_0a1B2c3D4e5F6g7H'
const minutes = 60_000

/** A gate with one confirmed action, until it is reported. It answers for its keys in turn, and then with them. */
interface Scene {
  leaseMs?: number
  receipt?: object
  keys?: [number, unknown][]
}
let scene: Required<Scene>
let isClaimed = false
let fetched = 0
let onReport: (report: unknown) => void

async function answerTo({ url, method }: IncomingMessage, body: string): Promise<[number, unknown]> {
  if (url === '/.well-known/gate-receipts.json') return scene.keys[fetched++] ?? [200, jwks]
  if (method === 'GET')
    return [200, { actions: [{ id: 7, execution: { claim: isClaimed ? 'held' : 'open' } }] }]
  if (url!.endsWith('/outcome')) {
    onReport(JSON.parse(body))
    return [200, {}]
  }
  isClaimed = true
  const now = Math.floor(Date.now() / 1_000)
  const receipt = receiptOf({ iss: gate, iat: now, exp: now + 3_600, ...scene.receipt })
  const lease_expires_at = new Date(Date.now() + scene.leaseMs).toISOString()
  return [200, { id: 7, kind: 'refund', payload, receipt, lease_expires_at, claim: 'the-claim' }]
}

const server = createServer(async (request, response) => {
  const [status, body] = await answerTo(request, await text(request))
  response.writeHead(status).end(JSON.stringify(body))
})
let gate: string
let folder: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  gate = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  folder = mkdtempSync(join(tmpdir(), 'claimer-example-'))
  mkdirSync(join(folder, 'node_modules'))
  const ours = fileURLToPath(new URL('..', import.meta.url))
  symlinkSync(ours, join(folder, 'node_modules', 'qualification-gate-receipts'))
  const page = readFileSync(new URL('../../../docs/claim-actions.md', import.meta.url), 'utf8')
  const [, code] = /claimer\.mjs <<'END'\n([^]*?)\nEND\n/.exec(page)!
  writeFileSync(join(folder, 'claimer.mjs'), code!.replace('sleep(10_000)', 'sleep(10)'))
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

/** What the claimer of the docs reports. */
async function reportOf({ leaseMs = 15 * minutes, receipt = {}, keys = [] }: Scene): Promise<unknown> {
  scene = { leaseMs, receipt, keys }
  isClaimed = false
  fetched = 0
  const reported = new Promise((resolve) => {
    onReport = resolve
  })
  const claimer = spawn(process.execPath, [join(folder, 'claimer.mjs')], {
    env: { PATH: process.env['PATH'], GATE: gate, ACCOUNT: account, CLAIM_KEY: 'key' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  try {
    return await reported
  } finally {
    claimer.kill()
  }
}

test('the claimer of the docs does what was consented to, and refuses a receipt of something else', async () => {
  expect(await reportOf({})).toMatchObject({ claim: 'the-claim', outcome: 'done' })
  expect(await reportOf({ receipt: { kind: 'payout' } })).toEqual({ claim: 'the-claim', outcome: 'refused' })
})

test.each<[string, [number, unknown]]>([
  ['jwks_unavailable', [500, {}]],
  ['invalid_jwks', [200, { error: 'a proxy says this' }]],
])('a receipt that cannot be checked now (%s) is checked again, not refused', async (_, answer) => {
  expect(await reportOf({ keys: [answer, answer] })).toMatchObject({ outcome: 'done' })
  expect(fetched).toBe(3)
})

test('a claim whose receipt cannot be checked until the lease is almost over is refused: nothing was done', async () => {
  const keys = Array.from({ length: 1_000 }, (): [number, unknown] => [500, {}])
  expect(await reportOf({ keys, leaseMs: 1 * minutes + 500 })).toMatchObject({ outcome: 'refused' })
  expect(fetched).toBeGreaterThan(1)
})
