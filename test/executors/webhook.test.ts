import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { actionStory } from '../../src/operations/audit/action-story.ts'
import { kindsOf } from '../../src/actions/account-kinds.ts'
import { Webhook } from 'standardwebhooks'
import { verifyReceipt } from '#receipts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { resultWords } from '../../src/gate/result-words.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { workflowInput, proposalWorkflowId } from '../../src/temporal/names.ts'
import { addKind } from '../../src/operations/kinds/declared-kinds.ts'
import { rotateKindSecret } from '../../src/operations/kinds/rotate-kind-secret.ts'
import { eraseAsAdmin } from '../../src/operations/actions/erase-payload.ts'
import { customerDeletion } from '../support/declared-kind.ts'
import { shorten } from '../support/shorten.ts'
import { temporalOf } from '../support/temporal-client.ts'
import { until } from '../support/until.ts'
import { entriesOf, entryKindsOf } from '../support/ledger-entries.ts'
import { type Desk, type ExecutorScene, executorScene, kindNames } from './scene.ts'
import { answerJson } from './stand-in.ts'
import { testRows } from '../support/rows.ts'

let scene: ExecutorScene
beforeAll(async () => {
  // The metadata address, as a name's owner can have it answered.
  const resolve = async () => [{ address: '169.254.169.254', family: 4 as const }]
  scene = await executorScene({ network: { resolve } })
}, 60_000)
afterAll(() => scene.stop())

let desk: Desk
const setUp = async () => {
  scene.answers((_request, response) => answerJson(response, 200, { deleted: true }))
  desk = await scene.customerDesk()
}
beforeEach(setUp)

const called = () => scene.executor.received

describe('a confirmed action of a declared kind', () => {
  test('calls its executor once, with the frozen payload, a signature and a receipt that verify', async () => {
    const id = await desk.propose()
    expect(called()).toEqual([])
    const { status, body } = await desk.confirm(id)
    expect([status, body]).toMatchObject([
      200,
      { status: 'executed', result: { outcome: 'done', result: { deleted: true } } },
    ])
    expect(called()).toHaveLength(1)
    const { path, headers, body: sent } = called()[0]!
    expect(path).toBe('/delete')
    const { type, timestamp, data } = new Webhook(desk.secret).verify(sent, headers as never) as any
    expect([type, timestamp]).toEqual(['action.confirmed', body.consent.at])
    const { receipt, uuid, ...rest } = data
    expect(headers['webhook-id']).toBe(`${uuid}.call`)
    expect(rest).toEqual({
      action: id,
      account: desk.account.account,
      kind: kindNames.plain,
      member: 'ada@example.com',
      payload: { customer: 'cus_1' },
      digest: body.digest,
      consent: body.consent,
    })
    const jwks = (await (await fetch(`${scene.gate.api.url}/.well-known/gate-receipts.json`)).json()) as {
      keys: []
    }
    const claims = await verifyReceipt(receipt, {
      jwks,
      account: desk.account.account,
      kind: kindNames.plain,
      payload: data.payload,
    })
    expect(claims).toMatchObject({ uuid, digest: body.digest, action: id })
    expect(receipt).toBe(body.receipt)
  })

  testRows([422, 409, 400, 401, 404, 410], [setUp])(
    'ends as refused, with nothing done, where the executor refuses it',
    async (code) => {
      scene.answers((_request, response) => answerJson(response, code, { why: 'no' }))
      const { status, body } = await desk.confirm(await desk.propose())
      expect([status, body]).toMatchObject([
        200,
        {
          status: 'cancelled',
          closed_reason: 'refused',
          result: { outcome: 'refused', code: `http_${code}` },
        },
      ])
      expect(called()).toHaveLength(1)
    },
  )

  test('is refused, and nothing is sent, where its kind has no secret', async () => {
    await scene.gate.database.asSuperuser(
      `delete from gate.kind_secret where account_id = '${desk.account.account}'`,
    )
    const { body } = await desk.confirm(await desk.propose())
    expect(body).toMatchObject({ status: 'cancelled', result: { outcome: 'refused', code: 'not_signed' } })
    expect(called()).toEqual([])
    const { db } = scene.gate.database
    const story = await actionStory(
      { db, kinds: kindsOf(db), config: scene.gate.config },
      desk.account.account,
      body.id as number,
    )
    expect(story.lines.at(-1)).toMatchObject({ what: 'cancelled', about: 'refused (not_signed)' })
  })

  test('is refused at once, and nothing is sent, where its name leads to a closed network now', async () => {
    const { db } = scene.gate.database
    const context = { db, account: desk.account.account, session: null }
    const kind = 'named_deletion'
    const executor = { type: 'webhook', url: 'https://executor.example/' }
    const payload = { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] }
    await addKind(context, customerDeletion({ kind, executor, payload, subject: undefined, card: [] }))
    await rotateKindSecret(context, scene.gate.deps.secretsKeys!, kind)
    const { status, body } = await desk.confirm(await desk.propose(kind))
    expect([status, body]).toMatchObject([
      200,
      { status: 'cancelled', result: { outcome: 'refused', code: 'address_refused' } },
    ])
  })

  test('is done, without the answer, where that is too large, no JSON, or JSON that cannot be kept exactly', async () => {
    scene.answers((_request, response) => void response.end('a'.repeat(100_000)))
    const large = await desk.confirm(await desk.propose())
    scene.answers((_request, response) => void response.end('ok'))
    const text = await desk.confirm(await desk.propose())
    scene.answers((_request, response) => void response.end('{"id":12345678901234567890}'))
    const { body: exact } = await desk.confirm(await desk.propose())
    const result = (why: string) => ({ outcome: 'done', result_left_out: why, executor: 'webhook' })
    expect([large.body.result, text.body.result, exact.result]).toEqual([
      result('too_large'),
      result('not_json'),
      result('not_exact'),
    ])
    expect(resultWords('customer_deletion', exact.result)).toBe(
      'Done by its executor. Its answer is not kept: it has a number that JSON readers round, or a name twice',
    )
  })

  test('is called once by an executor that takes its time, and the confirm waits for it', async () => {
    const restore = shorten({ executorBriefMs: 1 })
    const temporal = await temporalOf(scene.gate)
    try {
      let finish = () => {}
      scene.answers((_request, response) => {
        finish = () => answerJson(response, 200, { slow: true })
      })
      const id = await desk.propose()
      let isAnswered = false
      const confirming = desk.confirm(id).finally(() => (isAnswered = true))
      await until('it is called', async () => called().length > 0)
      const row = await readAction(scene.gate.database.db, desk.account.account, id)
      const workflow = temporal.workflow.getHandle(proposalWorkflowId(workflowInput(row!)))
      await until('the call has outlasted the task of its workflow', async () => {
        const { events } = await workflow.fetchHistory()
        return events!.some((event) => event.activityTaskScheduledEventAttributes)
      })
      expect(isAnswered).toBe(false)
      finish()
      const { status, body } = await confirming
      expect([status, body.result]).toMatchObject([200, { outcome: 'done', result: { slow: true } }])
      expect(called()).toHaveLength(1)
    } finally {
      restore()
      await temporal.connection.close()
    }
  })

  test('keeps what the executor says out of the ledger, and erases it with the payload', async () => {
    scene.answers((_request, response) => answerJson(response, 200, { name: 'Grace Hopper' }))
    const id = await desk.propose()
    await desk.confirm(id)
    const { account } = desk.account
    const { database } = scene.gate
    expect(JSON.stringify(await entriesOf(database, account))).not.toContain('Grace')
    expect(await entryKindsOf(database, account, id)).toEqual(['proposed', 'confirmed', 'executed'])
    expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
    await database.asSuperuser(
      `update gate.action set decided_at = decided_at - interval '2 days' where account_id = '${account}'`,
    )
    await eraseAsAdmin({ db: database.db, account, session: null }, id, 'asked by the customer')
    const { body } = await desk.account.client.get(id)
    expect(body.result).toEqual({
      outcome: 'done',
      result_digest: expect.any(String),
      executor: 'webhook',
    })
    const left = await database.asSuperuser(
      `select body from gate.executor_call where account_id = '${account}' and action_id = ${id}`,
    )
    expect(left).toEqual([{ body: '' }])
  })

  test('is signed by the old and the new secret for a day after a rotation', async () => {
    const context = { db: scene.gate.database.db, account: desk.account.account, session: null }
    const { secret } = await rotateKindSecret(context, scene.gate.deps.secretsKeys!, kindNames.plain)
    await desk.confirm(await desk.propose())
    const { body, headers } = called()[0]!
    for (const one of [secret, desk.secret])
      expect(new Webhook(one).verify(body, headers as never)).toMatchObject({ type: 'action.confirmed' })
    expect(await entryKindsOf(scene.gate.database, desk.account.account)).toContain('kind_secret_rotated')
    const stored = await scene.gate.database.asSuperuser('select ciphertext from gate.kind_secret')
    expect(JSON.stringify(stored)).not.toContain(secret)
  })
})
