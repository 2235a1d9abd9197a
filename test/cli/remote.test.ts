import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routeOfVerb } from '../../src/cli/routes.ts'
import { remoteVerbs } from '../../src/cli/remote-verbs.ts'
import { adminPowers } from '../../src/keys/admin-powers.ts'
import { mintKey } from '../../src/operations/keys/mint-key.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { type AccountCommands, adaToAdd, gateOn, newAccount, safeSending } from './gate-command.ts'

let gate: TestGate
let beside: ReturnType<typeof gateOn>
let account: AccountCommands
let key: string
const folder = mkdtempSync(join(tmpdir(), 'remote-'))
beforeAll(async () => {
  gate = await startGate({ workers: false })
  beside = gateOn({ DATABASE_URL: gate.database.serviceUrl })
  account = await newAccount(beside)
  const context = { db: gate.database.db, account: account.account, session: null }
  const rights = { powers: adminPowers }
  const minted = await mintKey(context, { name: 'office', expiresAt: null, actors: [], rights })
  key = minted.apiKey
})
afterAll(() => gate.stop())

/** The command line of another machine: it has no database. */
const remotely = (...argv: string[]) =>
  gateOn({ GATE_KEY: key, DATABASE_URL: 'postgres://127.0.0.1:9/none' })('--url', gate.api.url, ...argv)

test('verbs change and show the same from another machine as beside the database, for people and as JSON', async () => {
  const csv = join(folder, 'members.csv')
  writeFileSync(csv, 'name,email,slack\nGrace,grace@example.com,U0GRACE\n')
  const document = join(folder, 'policy.json')
  writeFileSync(document, '{"kinds":{"broadcast":{"tier":"write"}}}')
  const ada = ['--email', 'ada@example.com']
  const who = ['--curriculum', 'safe-sending', ...ada]
  for (const argv of [
    ['member', 'add', ...adaToAdd],
    ['member', 'import', '--file', csv],
    ['member', 'update', ...ada, '--name', 'Ada King'],
    ['member', 'set-tier', ...ada, '--tier', 'write'],
    ['curriculum', 'add', ...safeSending],
    ['certification', 'pass', ...who, '--module', '1', '--at', '2026-01-31'],
    ['policy', 'set', '--file', document, '--note', 'Only for writers'],
    ['account', 'update', '--key-limits', 'shared'],
  ])
    expect([argv, await remotely(...argv)]).toMatchObject([argv, { code: 0, stderr: '' }])
  for (const argv of [
    ['member', 'list'],
    ['member', 'export'],
    ['curriculum', 'list'],
    ['certification', 'list', ...ada],
    ['policy', 'show'],
    ['key', 'list'],
    ['app', 'list'],
    ['kind', 'list'],
    ['integration', 'list'],
    ['mandate', 'list'],
  ])
    for (const form of [[], ['--json']]) {
      const near = await beside(...argv, '--account', account.account, ...form)
      const far = await remotely(...argv, ...form)
      const shown = (text: string) => text.replaceAll(` --account ${account.account}`, '')
      expect([argv, form, far.code, shown(far.stdout)]).toEqual([argv, form, 0, shown(near.stdout)])
    }
  const exported = await remotely('ledger', 'export')
  const file = join(folder, 'ledger.jsonl')
  writeFileSync(file, exported.stdout)
  expect(await gateOn({})('ledger', 'verify', '--file', file)).toMatchObject({ code: 0 })
  expect(await remotely('member', 'erase', ...ada, '--reason', 'asked', '--json')).toMatchObject({ code: 0 })
  expect((await remotely('member', 'list')).stdout).toContain('erased')
})

test('the key comes from an option, a file or the environment, and is never printed; a refusal is a sentence', async () => {
  const file = join(folder, 'key.txt')
  writeFileSync(file, `${key}\n`)
  const bare = gateOn({ DATABASE_URL: 'postgres://127.0.0.1:9/none' })
  expect(await bare('--url', gate.api.url, '--key-file', file, 'curriculum', 'list')).toMatchObject({
    code: 0,
  })
  expect(await bare(`--url=${gate.api.url}`, `--key=${key}`, 'curriculum', 'list')).toMatchObject({ code: 0 })
  const refused = [
    await bare('--url', gate.api.url, 'member', 'list'),
    await bare('--key', key, 'member', 'list'),
    await bare('--url', gate.api.url, '--key', `${key}x`, 'member', 'list'),
    await bare('--url', 'http://gate.my.example', '--key', key, 'member', 'list'),
    await bare('--url', gate.api.url, '--key', key, 'member', 'list', '--account', account.account),
    await bare('--url', gate.api.url, '--key', key, 'doctor'),
  ]
  expect(refused.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2])
  const unknown = await remotely('member', 'deactivate', '--email', 'nobody@example.com')
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('No member of this account') })
  const unreached = await bare('--url', 'http://127.0.0.1:9', '--key', key, 'member', 'list')
  expect(unreached).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be reached') })
  for (const { stdout, stderr } of [...refused, unknown, unreached])
    expect(stdout + stderr).not.toContain(key.slice(4, 30))
})

test('verbs that work from another machine have a route', () => {
  const routed = Object.entries(routeOfVerb).flatMap(([verb, route]) => ('operation' in route ? [verb] : []))
  expect(routed).toEqual(expect.arrayContaining(Object.keys(remoteVerbs)))
})
