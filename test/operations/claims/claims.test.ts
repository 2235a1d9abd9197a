import { expect, test } from '@jest/globals'
import { actionKinds } from '../../../src/actions/registry.ts'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import { eraseAsAdmin } from '../../../src/operations/actions/erase-payload.ts'
import { ringOf } from '../../support/connect.ts'
import { useGate } from '../../support/use-gate.ts'
import { callTool, rpc } from '../../support/mcp-tool.ts'
import { claim, claimKinds, claimScene, report } from './scene.ts'

const gate = useGate({
  kinds: [...actionKinds, ...claimKinds],
  env: { SECRETS_KEYS: ringOf('k1') },
})

test('a confirmed action is claimed once, with payload and receipt, and ends with what was reported', async () => {
  const scene = await claimScene(gate)
  const executor = await scene.keyed({ powers: ['execute'] })
  const id = await scene.confirmed()
  const claimOf = async () =>
    (await scene.client.list({ kind: 'deployment' })).body.actions[0].execution.claim
  expect([await claimOf(), (await scene.client.get(id)).body.execution.claim]).toEqual(['open', 'open'])
  const before = Date.now()
  const claimed = await claim(executor, id)
  const after = Date.now()
  expect(await claimOf()).toBe('held')
  expect([claimed.status, claimed.body]).toMatchObject([
    200,
    {
      id,
      status: 'proposed',
      payload: { target: 'production' },
      execution: { state: 'running' },
      receipt: expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/),
      claim: expect.stringMatching(/^[\w-]{43}$/),
    },
  ])
  const from = Date.parse(claimed.body.lease_expires_at) - 15 * 60_000
  expect(from).toBeGreaterThanOrEqual(before - 1)
  expect(from).toBeLessThanOrEqual(after + 1)
  const result = { url: 'https://example.com/releases/7', 'note "é"': [1, null, { deep: true }] }
  const reported = await report(executor, id, { claim: claimed.body.claim, outcome: 'done', result })
  expect([reported.status, reported.body]).toMatchObject([
    200,
    { status: 'executed', result: { outcome: 'done', reported: 'done', result } },
  ])
  expect((await scene.client.get(id)).body.result).toEqual({ outcome: 'done', reported: 'done', result })
  const entries = await scene.entries(id)
  expect(entries.map(({ kind }) => kind)).toEqual([
    'proposed',
    'confirmed',
    'action_claimed',
    'outcome_reported',
    'executed',
  ])
  const { keyId } = { keyId: entries[2]!.entry.key }
  expect(entries[2]!.entry).toMatchObject({
    actor: 'executor',
    key: keyId,
    data: { lease_expires_at: claimed.body.lease_expires_at },
  })
  expect(entries[3]!.entry).toMatchObject({
    actor: 'executor',
    data: { outcome: 'done', result_digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  // The ledger keeps neither the token nor what was reported.
  expect(JSON.stringify(entries)).not.toContain(claimed.body.claim)
  expect(JSON.stringify(entries)).not.toContain('releases')
  expect(await verifyLedger(gate.database.db, scene.account)).toMatchObject({ ok: true })
})

test('an action is claimed and reported over MCP, by tools that only keys with the power have', async () => {
  const scene = await claimScene(gate)
  const executor = await scene.keyed({ powers: ['read', 'execute'] })
  const namesOf = async (client: typeof executor) =>
    ((await rpc(client, 'tools/list')).body.result.tools as { name: string }[]).map(({ name }) => name)
  expect(await namesOf(executor)).toEqual(
    expect.arrayContaining(['claim_action', 'report_outcome', 'get_action']),
  )
  expect(await namesOf(executor)).not.toContain('confirm_action')
  expect(await namesOf(await scene.keyed({ powers: ['read', 'propose'] }))).not.toContain('claim_action')
  const id = await scene.confirmed()
  const claimed = await callTool(executor, 'claim_action', { id })
  expect(claimed).toMatchObject({ isError: false, body: { id, payload: { target: 'production' } } })
  const outcome = { id, claim: claimed.body.claim, outcome: 'refused' }
  const reported = await callTool(executor, 'report_outcome', outcome)
  expect(reported).toMatchObject({
    isError: false,
    body: {
      status: 'cancelled',
      closed_reason: 'refused',
      result: { outcome: 'refused', reported: 'refused' },
    },
  })
  expect((await callTool(executor, 'report_outcome', outcome)).body).toEqual(reported.body)
})

test('the agent of the member may claim what it confirmed', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  const { body } = await claim(scene.client, id)
  expect((await report(scene.client, id, { claim: body.claim, outcome: 'done' })).body).toMatchObject({
    status: 'executed',
    result: { outcome: 'done' },
  })
})

test.each([
  ['done', 'executed', 'done'],
  ['refused', 'cancelled', 'refused'],
  ['failed', 'executed', 'partial'],
  ['unknown', 'executed', 'unknown'],
])('an action that is reported as %s ends as %s, with the outcome %s', async (outcome, status, told) => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  const { body } = await claim(scene.client, id)
  expect((await report(scene.client, id, { claim: body.claim, outcome })).body).toMatchObject({
    status,
    result: { outcome: told, reported: outcome },
  })
  expect(await verifyLedger(gate.database.db, scene.account)).toMatchObject({ ok: true })
})

test('a reported result is erased with the payload, and the ledger still verifies', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  const { body } = await claim(scene.client, id)
  const outcome = { claim: body.claim, outcome: 'done', result: { name: 'Grace Hopper' } }
  await report(scene.client, id, outcome)
  // A payload that counts towards the limits of a day is not erased before.
  await laterBy('1 day 2 minutes', scene.account, id)
  const admin = { db: gate.database.db, account: scene.account, session: null }
  const { status } = await eraseAsAdmin(admin, id, 'asked for')
  await laterBy('-1 day -2 minutes', scene.account, id)
  expect(status).toBe('executed')
  expect((await scene.client.get(id)).body).toMatchObject({
    payload: {},
    result: { outcome: 'done', reported: 'done' },
  })
  expect(JSON.stringify((await scene.client.get(id)).body)).not.toContain('Hopper')
  const stored = await gate.database.asSuperuser(
    `select * from gate.claim where account_id = '${scene.account}'`,
  )
  expect(JSON.stringify(stored)).not.toContain('Hopper')
  expect((await report(scene.client, id, outcome)).status).toBe(200)
  expect(await verifyLedger(gate.database.db, scene.account)).toMatchObject({ ok: true })
})

test.each([
  ["set lease_expires_at = lease_expires_at + interval '1 hour'", 'its claim does not match the ledger'],
  ["set outcome = 'failed'", 'its reported outcome does not match the ledger'],
  [`set result = '{"deleted":4}'`, 'its reported result does not match the ledger'],
  ['set result = null', 'its reported result does not match the ledger'],
])('a claim that somebody changed afterwards is found: %s', async (change, problem) => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  const { body } = await claim(scene.client, id)
  await report(scene.client, id, { claim: body.claim, outcome: 'done', result: { deleted: 3 } })
  await gate.database.asSuperuser(`update gate.claim ${change} where account_id = '${scene.account}'`)
  expect(await verifyLedger(gate.database.db, scene.account)).toMatchObject({ ok: false, problem })
})

test('an action that nobody claims within a day of its consent ends as refused: nothing was done', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  await laterBy('1 day', scene.account, id)
  const late = await claim(scene.client, id)
  expect([late.status, late.body.code]).toEqual([409, 'not_claimable'])
  await wake(scene.account, id)
  expect(await scene.ended(id)).toMatchObject({
    status: 'cancelled',
    closed_reason: 'refused',
    result: { outcome: 'refused', code: 'not_claimed' },
  })
  expect((await claim(scene.client, id)).body.code).toBe('not_claimable')
})

/** Makes it look as if so much time had passed since the consent. */
async function laterBy(time: string, account: string, id: number): Promise<void> {
  await gate.database.asSuperuser(
    `update gate.action set decided_at = decided_at - interval '${time}' where account_id = '${account}' and id = ${id}`,
  )
}

/** Does the hourly look of its workflow. */
async function wake(account: string, id: number): Promise<void> {
  await gate.database.asSuperuser(
    `update gate_private.open_action set wake = 'wake', due_at = now() where account_id = '${account}' and action_id = ${id}`,
  )
}
