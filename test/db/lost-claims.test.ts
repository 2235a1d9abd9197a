import { afterAll, beforeAll, expect, test } from '@jest/globals'
import postgres from 'postgres'
import { broadcastPerformer } from '../../src/actions/broadcast/perform.ts'
import type { Performer } from '../../src/actions/kind.ts'
import { upstreamToolPerformer } from '../../src/actions/upstream-tool/perform.ts'
import { type Db, connect } from '../../src/db/connect.ts'
import { type StartedAction, beginExecution } from '../../src/db/queries/actions/execution.ts'
import { type Step, stepDelivery } from '../../src/db/queries/actions/deliveries.ts'
import { waiting } from '../support/ledger-entries.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { type TcpProxy, startTcpProxy } from '../support/tcp-proxy.ts'
import { type StandIn, openToolCall, startStandIn } from '../support/tools-behind-gate.ts'
import { until } from '../support/until.ts'

// Without workers: each claim is made where a test makes it, over a network that loses the answer to its first try.
let gate: TestGate
let standIn: StandIn
let edge: TcpProxy
let far: Db
let holder: postgres.Sql
beforeAll(async () => {
  gate = await startGate({ workers: false, env: { CONFIRM_WAIT_MS: '0' } })
  standIn = await startStandIn()
  const url = new URL(gate.config.DATABASE_URL!)
  edge = await startTcpProxy(url.host)
  url.host = edge.address
  far = connect(url.href, { applicationName: 'gate test' })
  holder = postgres(gate.database.superuserUrl, { max: 1, onnotice: () => {} })
}, 60_000)
afterAll(async () => {
  await far.close()
  await holder.end()
  await edge.stop()
  await gate.stop()
  await standIn.stop()
})

/**
 * The far database, whose n-th write commits while its answer is lost; the repeat finds what was committed.
 * @param claimed  a query that answers whether the claim is there
 * @param meanwhile  what happens before the repeat
 */
function losing(
  { account_id: account, id }: StartedAction,
  {
    nth,
    claimed,
    meanwhile = async () => {},
  }: { nth: number; claimed: string; meanwhile?: () => Promise<unknown> },
) {
  let writes = 0
  let loss: Promise<void> | undefined
  const lose = async () => {
    await until('the claim waits for the lock', async () => (await waiting(gate.database)) > 0)
    edge.holdAnswers()
    await holder.unsafe('commit')
    await until('the claim is committed', async () => {
      const [row] = await gate.database.asSuperuser(
        `${claimed} where account_id = '${account}' and action_id = ${id}`,
      )
      return row?.['claimed'] === true
    })
    await meanwhile()
    edge.cut()
    edge.release()
  }
  const run: Db['run'] = async (statement) => {
    if (++writes === nth) {
      await holder.unsafe('begin')
      await holder.unsafe(
        `select 1 from gate.action where account_id = '${account}' and id = ${id} for update`,
      )
      loss = lose()
    }
    return far.run(statement)
  }
  return { db: { ...far, run }, lost: () => loss }
}

/** Performs one step of a confirmed action. */
async function perform(
  performer: Performer,
  { account, id }: { account: string; id: number },
  step: string,
  loss: Parameters<typeof losing>[1],
) {
  const { action } = await beginExecution(gate.deps.db, { account, id, uuid: null }, true)
  await performer.plan(gate.deps, action)
  const { db, lost } = losing(action, loss)
  const context = { isBrief: false, signal: new AbortController().signal }
  await performer.perform({ ...gate.deps, db }, action, step, context)
  expect(lost()).toBeDefined()
  await lost()
}

test('a claim of Slack recipients whose answer was lost is repeated as the same claim: each gets the message once', async () => {
  const { account, client, actor, id } = await gate.openBroadcast({ recipients: 4 })
  expect((await client.confirm(id, actor)).status).toBe(202)
  const claimed = `select 'sending' = any(states) as claimed from gate.delivery`
  // The first write reads whom to look up.
  await perform(broadcastPerformer, { account: account.account, id }, 'slack:0-1', { nth: 2, claimed })
  expect(gate.sandbox.messages()).toHaveLength(3)
  expect(
    await gate.database.asSuperuser(
      `select states, attempt, message ->> 'text' as text from gate.delivery where account_id = '${account.account}' and channel = 'slack'`,
    ),
  ).toEqual([{ states: ['ok', 'ok', 'ok'], attempt: 1, text: 'Lunch is at noon.' }])
})

/** A call of a tool that its member consented to. */
async function consentedCall() {
  const { account, client, actor, id } = await openToolCall(gate, standIn)
  expect((await client.confirm(id, actor)).status).toBe(202)
  return {
    account,
    id,
    claimed: `select state = 'sending' as claimed from gate.provider_call`,
    stored: () =>
      gate.database.asSuperuser(
        `select state, code, attempt from gate.provider_call where account_id = '${account.account}'`,
      ),
  }
}

test('a tool that must not be called twice is called once where the answer to its claim was lost', async () => {
  const { account, id, claimed, stored } = await consentedCall()
  await perform(upstreamToolPerformer, { account: account.account, id }, 'call', { nth: 1, claimed })
  expect(standIn.calls).toEqual([{ name: 'create', arguments: {} }])
  expect(await stored()).toEqual([{ state: 'ok', code: null, attempt: 1 }])
})

test('a tool is not called where its account was suspended before the answer to its claim came', async () => {
  const { account, id, claimed, stored } = await consentedCall()
  const meanwhile = () => account.suspend(true)
  const before = standIn.calls.length
  await perform(upstreamToolPerformer, { account: account.account, id }, 'call', {
    nth: 1,
    claimed,
    meanwhile,
  })
  expect(standIn.calls).toHaveLength(before)
  expect(await stored()).toEqual([{ state: 'not_done', code: 'account_suspended', attempt: 1 }])
})

test('a claim that another attempt found is not its own any more: what it may have sent is only looked for', async () => {
  const { account, client, actor, id } = await gate.openBroadcast()
  expect((await client.confirm(id, actor)).status).toBe(202)
  const [first, second] = ['one', 'two'].map((claim) => ({
    account: account.account,
    id,
    channel: 'slack' as const,
    record: null,
    claim: { slice: 0, sliceMax: 20, message: JSON.stringify({ text: 'x', claim }) },
  })) as [Step, Step]
  const claims = []
  for (const step of [first, first, second, first]) claims.push(await stepDelivery(gate.deps.db, step))
  expect(claims).toMatchObject([
    { wasSending: false, delivery: { attempt: 1 } },
    { wasSending: false, delivery: { attempt: 1 } },
    { wasSending: true, delivery: { attempt: 2 } },
    { wasSending: true, delivery: { attempt: 3 } },
  ])
})
