import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { addKind } from '../../src/operations/kinds/declared-kinds.ts'
import { gateOn } from '../cli/gate-command.ts'
import { whileTampered } from '../ledger/tampered.ts'
import { ringOf } from '../support/connect.ts'
import { customerDeletion } from '../support/declared-kind.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type Desk, type ExecutorScene, executorScene, kindNames } from './scene.ts'
import { testRows } from '../support/rows.ts'

let scene: ExecutorScene
let desk: Desk
beforeAll(async () => {
  scene = await executorScene({ env: { SECRETS_KEYS: ringOf('k1') } })
  desk = await scene.customerDesk()
}, 60_000)
afterAll(() => scene.stop())

const cli = (...kids: string[]) =>
  gateOn({ DATABASE_URL: scene.gate.database.serviceUrl, SECRETS_KEYS: ringOf(...kids) })
const secretOf = (kind: string, ...kids: string[]) =>
  cli(...kids)('kind', 'secret', '--account', desk.account.account, '--kind', kind, '--json')

describe('a kind whose executor would never be called is refused when it is declared', () => {
  const context = () => ({ db: scene.gate.database.db, account: desk.account.account, session: null })
  const called = (executor: object) =>
    addKind(context(), customerDeletion({ executor: { type: 'webhook', ...executor } }), ['127.0.0.1'])

  testRows([
    ['https://169.254.169.254/latest', 'not public'],
    ['https://[::1]/', 'not public'],
    ['https://10.0.0.1/', 'not public'],
    ['http://example.com/', 'for this machine only'],
    ['https://ada:pw@example.com/', 'no user name'],
  ])('with the reason', async (url, why) => {
    const refusal = { code: 'invalid', message: expect.stringContaining(why) }
    await expect(called({ url })).rejects.toMatchObject({ ...refusal, param: 'executor.url' })
    const asked = called({ url: 'https://example.com/', status_url: url })
    await expect(asked).rejects.toMatchObject({ ...refusal, param: 'executor.status_url' })
  })

  test('unless its address is public, or the operator allows it', async () => {
    const own = { kind: 'reachable_kind' }
    for (const url of ['http://127.0.0.1:3000/', 'https://example.com/hook']) {
      const document = customerDeletion({ ...own, executor: { type: 'webhook', url } })
      expect(await addKind(context(), document, ['127.0.0.1'])).toMatchObject(own)
    }
  })
})

describe('the secret of a kind', () => {
  test('is printed once, is new each time, and only its rotation is in the ledger', async () => {
    const [first, second] = [await secretOf(kindNames.plain, 'k1'), await secretOf(kindNames.plain, 'k1')]
    expect(first.json).toEqual({
      kind: kindNames.plain,
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    })
    expect(second.json.secret).not.toBe(first.json.secret)
    const entries = await entriesOf(scene.gate.database, desk.account.account)
    const rotations = entries.filter(({ kind }) => kind === 'kind_secret_rotated')
    expect(rotations.length).toBeGreaterThanOrEqual(2)
    expect(JSON.stringify(entries)).not.toContain(second.json.secret.slice(6, 20))
    const kept = await scene.gate.database.asSuperuser(
      `select valid_until is null as is_current from gate.kind_secret
       where account_id = '${desk.account.account}' and kind = '${kindNames.plain}' order by 1`,
    )
    expect(kept).toEqual([{ is_current: false }, { is_current: true }])
  })

  test('is only of a kind with a webhook', async () => {
    expect(await secretOf('nothing_like_it', 'k1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Kind nothing_like_it with a webhook was not found'),
    })
  })

  test('signs as before after the key ring was rotated and everything rewrapped', async () => {
    const { secret } = (await secretOf(kindNames.plain, 'k1')).json
    expect(await cli('k2', 'k1')('secrets', 'rewrap', '--json')).toMatchObject({ code: 0 })
    const wrapped = await scene.gate.database.asSuperuser('select distinct kid from gate.kind_secret')
    expect(wrapped).toEqual([{ kid: 'k2' }])
    // Back again, for the gate of this test.
    expect(await cli('k1', 'k2')('secrets', 'rewrap', '--json')).toMatchObject({ code: 0 })
    const { body } = await desk.confirm(await desk.propose())
    expect(body.result).toMatchObject({ outcome: 'done' })
    expect(secret).toMatch(/^whsec_/)
  })
})

describe('verification finds', () => {
  let account: string
  beforeAll(async () => {
    account = desk.account.account
    await desk.confirm(await desk.propose())
    expect(await verifyLedger(scene.gate.database.db, account)).toMatchObject({ ok: true })
  })

  test.each([
    ['another answer of an executor', 'executor_result', `update $t set result = '{"deleted":false}'`],
    ['an answer that was deleted', 'executor_result', 'delete from $t'],
    ['another outcome of a call', 'executor_call', `update $t set state = 'not_done', code = 'http_422'`],
    ['a call that was deleted', 'executor_call', 'delete from $t'],
  ])('%s', async (_what, name, statement) => {
    const table = `gate.${name}`
    const verdict = await whileTampered(
      scene.gate.database,
      account,
      table,
      `${statement.replace('$t', table)} where $ours`,
      () => verifyLedger(scene.gate.database.db, account),
    )
    expect(verdict).toMatchObject({ ok: false })
  })
})
