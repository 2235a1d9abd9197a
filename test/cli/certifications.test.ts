import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type AccountCommands, ada, adaToAdd, gateOn, newAccount, safeSending } from './gate-command.ts'

let database: TestDatabase
let gate: ReturnType<typeof gateOn>
let ok: AccountCommands['ok']
beforeAll(async () => {
  database = await freshDatabase()
  gate = gateOn({ DATABASE_URL: database.serviceUrl })
})
beforeEach(async () => {
  ;({ ok } = await newAccount(gate))
})
afterAll(() => database.drop())

const addAda = () => ok('member', 'add', ...adaToAdd)
const addSafeSending = (...more: string[]) => ok('curriculum', 'add', ...safeSending, ...more)
const onlyMember = async () => (await ok('member', 'list'))[0]

test('passing every module of a curriculum certifies, revoking one takes it away', async () => {
  await addAda()
  expect(await addSafeSending()).toEqual({ curriculum: 'safe-sending' })
  const pass = (module: string, ...at: string[]) =>
    ok('certification', 'pass', ...ada, '--curriculum', 'safe-sending', '--module', module, ...at)
  expect(await pass('1', '--at', '2025-01-31T10:00:00+01:00')).toEqual({
    curriculum: 'safe-sending',
    title: 'Safe sending',
    certified: false,
    modules_passed: 1,
    modules_total: 2,
    last_passed_at: '2025-01-31T09:00:00.000Z',
  })
  expect(await pass('2', '--at', '2025-02-01')).toMatchObject({ certified: true })
  expect(await onlyMember()).toMatchObject({ tier: 'guarded_write', tier_source: 'certification' })
  const revoked = await ok('certification', 'revoke', ...ada, '--curriculum', 'safe-sending', '--module', '1')
  expect(revoked).toMatchObject({
    certified: false,
    modules_passed: 1,
    last_passed_at: '2025-02-01T00:00:00.000Z',
  })
  expect(await onlyMember()).toMatchObject({ tier: 'read_only', tier_source: 'default' })
  expect(await ok('certification', 'list', ...ada)).toEqual([revoked])
})

test('a pass that is older than its curriculum allows does not count', async () => {
  await addAda()
  await addSafeSending('--valid-days', '30')
  const pass = ['--curriculum', 'safe-sending', '--module', '1']
  expect(await ok('certification', 'pass', ...ada, ...pass, '--at', '2024-01-01')).toMatchObject({
    modules_passed: 0,
  })
  expect(await ok('certification', 'pass', ...ada, ...pass)).toMatchObject({ modules_passed: 1 })
})
