import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Deps } from '../../src/deps.ts'
import { ringOf } from '../support/connect.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { consented, processOf } from '../receipts/scene.ts'
import { gateOn } from './gate-command.ts'
import { testRows } from '../support/rows.ts'

const example = JSON.parse(
  readFileSync(new URL('../../packages/receipts/vectors/receipts.json', import.meta.url), 'utf8'),
)
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'receipts-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const written = (name: string, content: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

describe('gate receipt verify, with files alone: no database, no network', () => {
  const gate = gateOn({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' })
  const given = (options: Record<string, string>): string[] =>
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const verify = (options: Record<string, string> = {}, ...flags: string[]) => {
    const file = written('receipt.jwt', `${example.vectors[0].receipt}\n`)
    const jwks = written('keys.json', example.jwks)
    return gate('receipt', 'verify', ...given({ file, jwks, at: example.now, ...options }), ...flags)
  }

  test('a valid receipt: who consented, when and to what', async () => {
    const result = await verify({
      issuer: 'https://gate.example.com',
      account: 'acct_0a1B2c3D4e5F6g7H',
      kind: 'refund',
      payload: written('payload.json', example.options.payload),
      'max-age': '15m',
      'min-strength': 'chat',
    })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).toContain(
      'Consented by ada@example.com at 2026-11-23T12:00:00.123Z (chat, slack): refund, action 23 of acct_0a1B2c3D4e5F6g7H.',
    )
    expect((await verify({}, '--json')).json).toMatchObject({
      ok: true,
      receipt: { action: 23, kind: 'refund' },
    })
  })

  testRows<[string, unknown, string]>([
    ['issuer', 'https://other.example.com', 'wrong_issuer'],
    ['account', 'acct_0000000000000000', 'wrong_account'],
    ['kind', 'payout', 'wrong_kind'],
    ['max-age', '4m', 'too_old'],
    ['min-strength', 'page', 'too_weak'],
    ['payload', { amount_cents: 1 }, 'wrong_payload'],
    ['file', 'no receipt', 'malformed'],
    ['jwks', { keys: [] }, 'unknown_key'],
    // This receipt is valid as of its own time.
    ['at', '2027-11-23', 'expired'],
  ])('a receipt that does not fit the options: exit 1 and the reason', async (option, value, code) => {
    const isFile = ['payload', 'file', 'jwks'].includes(option)
    const wrong = { [option]: isFile ? written(`wrong-${option}`, value) : String(value) }
    const result = await verify(wrong)
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toMatch(new RegExp(`^${code}: `))
    const inJson = await verify(wrong, '--json')
    expect([inJson.code, inJson.json]).toEqual([1, { ok: false, code, problem: expect.any(String) }])
  })

  test('a payload that other programs may read as another is refused', async () => {
    const { payload } = example.options
    const twice = JSON.stringify(payload).replace('{', '{"amount_cents":9,')
    const refused = await verify({ payload: written('twice.json', twice) })
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/--payload \S+ cannot be kept exactly: the name "amount_cents" stands twice/),
    ])
  })

  test('a payload in a file that is no JSON, and keys from an address of plain http, are refused', async () => {
    const broken = await verify({ payload: written('broken.json', '{') })
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringMatching(/--payload \S+ is not JSON: /)])
    const plain = await verify({ jwks: 'http://gate.example.com/keys' })
    expect([plain.code, plain.stderr]).toEqual([1, expect.stringContaining('must begin with https')])
  })
})

describe('the keys of a service', () => {
  let database: TestDatabase
  let deps: Deps
  let gate: ReturnType<typeof gateOn>
  beforeAll(async () => {
    database = await freshDatabase()
    deps = processOf(database, 'k1')
    gate = gateOn({ DATABASE_URL: database.serviceUrl, SECRETS_KEYS: ringOf('k1') })
  })
  afterAll(async () => {
    await deps.close()
    await database.drop()
  })

  test('are listed, rotated, rewrapped and revoked; none is printed', async () => {
    expect((await gate('receipt', 'keys')).stdout).toContain('No key yet')
    const { row } = await consented(deps)
    await deps.receipts.receiptOf(await row())
    const [first] = (await gate('receipt', 'keys', '--json')).json
    expect(first).toEqual({ kid: expect.any(String), state: 'signing', signs_from: expect.any(String) })

    const rotated = await gate('receipt', 'rotate')
    expect([rotated.code, rotated.stdout]).toEqual([
      0,
      expect.stringMatching(/^Key \S{43} is published. It signs/),
    ])
    const again = await gate('receipt', 'rotate')
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('The last rotation is under way')])
    const [former, next] = (await gate('receipt', 'keys', '--json')).json
    expect([former.kid, former.state, next.state]).toEqual([first.kid, 'signing', 'next'])
    expect(Date.parse(former.published_until) - Date.parse(next.signs_from)).toBeGreaterThanOrEqual(
      30 * 86_400_000,
    )

    const moved = gateOn({ DATABASE_URL: database.serviceUrl, SECRETS_KEYS: ringOf('k2', 'k1') })
    expect((await moved('secrets', 'rewrap', '--json')).json).toEqual({ rewrapped: 2, unreadable: 0 })

    expect((await gate('receipt', 'revoke', next.kid)).stdout).toContain(`Revoked ${next.kid}`)
    const missing = await gate('receipt', 'revoke', next.kid)
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('was not found')])
    expect((await gate('receipt', 'keys', '--json')).json).toEqual([first])
  })

  test('cannot be rotated without the key ring', async () => {
    const without = gateOn({ DATABASE_URL: database.serviceUrl })
    const result = await without('receipt', 'rotate')
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining('SECRETS_KEYS must be set')])
  })
})
