import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { actionKinds } from '../../../src/actions/registry.ts'
import { readAction } from '../../../src/db/queries/actions/actions.ts'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import { limits } from '../../../src/limits.ts'
import { proposalWorkflowId } from '../../../src/temporal/names.ts'
import { apiClient } from '../../support/api-client.ts'
import { useGate } from '../../support/use-gate.ts'
import { overtake } from '../../support/ledger-entries.ts'
import { temporalOf } from '../../support/temporal-client.ts'
import { claim, claimKinds, claimScene, report } from './scene.ts'

const gate = useGate({ kinds: [...actionKinds, ...claimKinds] })

const codes = (answers: { status: number; body: { code?: string } }[]) =>
  answers.map(({ status, body }) => (status === 200 ? 200 : body.code)).toSorted()

test('one of ten claims at once gets the action, and every later one is refused', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  const answers = await Promise.all(Array.from({ length: 10 }, () => claim(scene.client, id)))
  expect(codes(answers)).toEqual([200, ...Array<string>(9).fill('already_claimed')])
  expect((await claim(scene.client, id)).body.code).toBe('already_claimed')
  expect((await scene.entries(id)).filter(({ kind }) => kind === 'action_claimed')).toHaveLength(1)
})

test('a claim whose lease ended is not reported any more: the outcome is unknown, and nobody claims it again', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed('brief_deployment')
  const { body } = await claim(scene.client, id)
  const ended = await scene.ended(id)
  expect(ended).toMatchObject({ status: 'executed', result: { outcome: 'unknown', code: 'lease_ended' } })
  expect(codes([await report(scene.client, id, { claim: body.claim, outcome: 'done' })])).toEqual([
    'claim_ended',
  ])
  expect(codes([await claim(scene.client, id)])).toEqual(['not_claimable'])
  expect((await scene.client.get(id)).body).toEqual(ended)
  const refusals = (await scene.entries(id)).filter(({ kind }) => kind === 'decision_refused')
  expect(refusals.map(({ entry }) => entry.data)).toMatchObject([
    { decision: 'report', reason: 'lease_ended' },
  ])
})

test('the lease ends by itself while the report is on its way: one of both counts', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed('brief_deployment')
  const { body } = await claim(scene.client, id)
  const late = `update gate.claim set lease_expires_at = claimed_at where account_id = '${scene.account}'`
  const answer = await overtake(
    gate.database,
    scene.account,
    () => report(scene.client, id, { claim: body.claim, outcome: 'done' }),
    late,
  )
  expect(codes([answer])).toEqual(['claim_ended'])
  expect((await scene.ended(id)).result).toMatchObject({ outcome: 'unknown' })
})

test('an outcome with the claim of another action is refused, and changes neither', async () => {
  const scene = await claimScene(gate)
  const [mine, other] = [await scene.confirmed(), await scene.confirmed()]
  const claims = [await claim(scene.client, mine), await claim(scene.client, other)]
  const mixed = await report(scene.client, other, { claim: claims[0]!.body.claim, outcome: 'done' })
  const made = await report(scene.client, other, {
    claim: randomBytes(32).toString('base64url'),
    outcome: 'done',
  })
  expect(codes([mixed, made])).toEqual(['claim_not_held', 'claim_not_held'])
  expect((await scene.client.get(other)).body.status).toBe('proposed')
  expect((await scene.client.get(mine)).body.status).toBe('proposed')
  const entries = await scene.entries(other)
  expect(entries.at(-1)).toMatchObject({
    kind: 'decision_refused',
    entry: { data: { reason: 'other_claim' } },
  })
  expect(
    codes([await report(scene.client, other, { claim: claims[1]!.body.claim, outcome: 'done' })]),
  ).toEqual([200])
})

test('an outcome without any claim is refused', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  const answer = await report(scene.client, id, {
    claim: randomBytes(32).toString('base64url'),
    outcome: 'done',
  })
  expect(codes([answer])).toEqual(['claim_not_held'])
  expect((await report(scene.client, id, { claim: 'x', outcome: 'done' })).status).toBe(422)
})

test('keys that are of another account, bound to another member or other kinds, or lack the power get nothing', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  const grace = await scene.addMember({ name: 'Grace', email: 'grace@example.com', tier: 'write' })
  const stranger = await claimScene(gate)
  const keys = {
    stranger: stranger.client,
    others: await scene.keyed({ powers: ['execute'], actors: [grace] }),
    kinds: await scene.keyed({ powers: ['execute'], kinds: ['broadcast'] }),
    proposer: await scene.keyed({ powers: ['read', 'propose'] }),
  }
  const answers = await Promise.all(
    Object.entries(keys).map(async ([who, key]) => [who, (await claim(key, id)).body.code] as const),
  )
  expect(Object.fromEntries(answers)).toEqual({
    stranger: 'not_found',
    others: 'not_found',
    kinds: 'key_kind_not_allowed',
    proposer: 'key_power_missing',
  })
  // With the claim itself, too.
  const { body } = await claim(scene.client, id)
  const outcome = { claim: body.claim, outcome: 'done' }
  const reports = await Promise.all(
    Object.entries(keys).map(
      async ([who, key]) => [who, (await report(key, id, outcome)).body.code] as const,
    ),
  )
  expect(Object.fromEntries(reports)).toEqual(Object.fromEntries(answers))
  expect((await scene.client.get(id)).body.status).toBe('proposed')
})

test('a key that is revoked between its check and its claim gets nothing', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  const { key, keyId } = await scene.mintKey({ powers: ['execute'] })
  const answer = await overtake(
    gate.database,
    scene.account,
    () => claim(apiClient(gate.api.url, key), id),
    `update gate_private.api_key_hash set revoked_at = now() where key_id = '${keyId}'`,
  )
  expect(answer.status).toBe(401)
  expect((await claim(scene.client, id)).status).toBe(200)
})

test('nothing is claimed before its consent, after its end, after the stop switch, or of a kind that the gate executes', async () => {
  const scene = await claimScene(gate)
  const open = await scene.propose()
  const cancelled = await scene.propose()
  await scene.client.cancel(cancelled, scene.actor)
  const confirmed = await scene.confirmed()
  const { body: broadcast } = await scene.client.propose(scene.actor, 'Lunch is at noon.')
  for (const id of [open, cancelled, broadcast.id])
    expect([id, (await claim(scene.client, id)).body.code]).toEqual([id, 'not_claimable'])
  await scene.suspend(true)
  expect((await claim(scene.client, confirmed)).body.code).toBe('account_suspended')
  await scene.suspend(false)
  expect((await claim(scene.client, confirmed)).status).toBe(200)
})

test('the outcome of an action that was claimed before the stop switch can still be reported', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  const { body } = await claim(scene.client, id)
  await scene.suspend(true)
  expect((await report(scene.client, id, { claim: body.claim, outcome: 'done' })).body.status).toBe(
    'executed',
  )
})

test('a repeated outcome gets the same answer, and a changed one is refused', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  const { body } = await claim(scene.client, id)
  const outcome = { claim: body.claim, outcome: 'done', result: { a: 1, b: [2] } }
  const answers = await Promise.all([1, 2, 3].map(() => report(scene.client, id, outcome)))
  expect(codes(answers)).toEqual([200, 200, 200])
  const again = await report(scene.client, id, { ...outcome, result: { b: [2], a: 1 } })
  expect(again.body).toEqual((await scene.client.get(id)).body)
  const changed = [
    { ...outcome, outcome: 'unknown' },
    { ...outcome, result: { a: 2, b: [2] } },
    { claim: body.claim, outcome: 'done' },
  ]
  for (const other of changed) expect((await report(scene.client, id, other)).body.code).toBe('claim_ended')
  const kinds = (await scene.entries(id)).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'outcome_reported')).toHaveLength(1)
  // Once for each key: a repeat of what is refused fills no ledger.
  expect(kinds.filter((kind) => kind === 'decision_refused')).toHaveLength(1)
})

test('a result that is too large or cannot be stored is refused, and the claim goes on', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  const { body } = await claim(scene.client, id)
  const fits = limits.reportedResultBytesMax - '{"a":""}'.length
  const bad = [
    { a: 'x'.repeat(fits + 1) },
    { a: 'é'.repeat(fits / 2 + 1) },
    { a: 'a\0b' },
    { 'a\0b': 1 },
    { a: '\ud800' },
    'text',
    [1],
  ]
  for (const result of bad)
    expect((await report(scene.client, id, { claim: body.claim, outcome: 'done', result })).status).toBe(422)
  const outcome = JSON.stringify({ claim: body.claim, outcome: 'done', result: 'DEEP' })
  for (const levels of [64, 5_000, 30_000]) {
    const deep = outcome.replace('"DEEP"', `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`)
    const answer = await scene.client.request('POST', `/api/v1/actions/${id}/outcome`, {
      body: deep,
      headers: { 'content-type': 'application/json' },
    })
    expect([levels, answer.status]).toEqual([levels, 422])
  }
  const good = { a: `${'x'.repeat(fits - 7)}\\u0000` }
  const answer = await report(scene.client, id, { claim: body.claim, outcome: 'done', result: good })
  expect([answer.status, answer.body.result.result]).toEqual([200, good])
})

test.each([
  ['', `rationale = 'Everybody asked for it.'`],
  [', and has no receipt', `rationale = 'Everybody asked for it.', consent_tier = null`],
])('an action that was changed in the database after its consent%s cannot be claimed', async (_, change) => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  await gate.database.asSuperuser(
    `update gate.action set ${change} where account_id = '${scene.account}' and id = ${id}`,
  )
  expect(codes([await claim(scene.client, id)])).toEqual(['not_claimable'])
})

test('a workflow that an operator cancels ends the claim: what is held is unknown, what nobody has is refused', async () => {
  const scene = await claimScene(gate)
  const [held, open] = [await scene.confirmed(), await scene.confirmed()]
  const { body } = await claim(scene.client, held)
  const { connection, workflow } = await temporalOf(gate)
  for (const id of [held, open]) {
    const { uuid } = (await readAction(gate.database.db, scene.account, id))!
    await workflow.getHandle(proposalWorkflowId({ account: scene.account, id, uuid })).cancel()
  }
  await connection.close()
  expect((await scene.ended(held)).result).toEqual({ outcome: 'unknown', code: 'lease_ended' })
  expect((await scene.ended(open)).result).toEqual({ outcome: 'refused', code: 'not_claimed' })
  expect(codes([await report(scene.client, held, { claim: body.claim, outcome: 'done' })])).toEqual([
    'claim_ended',
  ])
  expect(codes([await claim(scene.client, open)])).toEqual(['not_claimable'])
  expect(await verifyLedger(gate.database.db, scene.account)).toMatchObject({ ok: true })
})

test('a claim of which nobody is told waits through a replaced worker', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  const { body } = await claim(scene.client, id)
  await gate.stopWorkers({ isAwaited: true })
  const reported = report(scene.client, id, { claim: body.claim, outcome: 'done' })
  await gate.startWorkers()
  expect((await reported).body).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
})

test('an action whose confirm came late is not claimed before it is checked again', async () => {
  const scene = await claimScene(gate)
  await gate.stopWorkers()
  const id = await scene.confirmed()
  await gate.database.asSuperuser(
    `update gate.action set expires_at = now() where account_id = '${scene.account}' and id = ${id}`,
  )
  expect(codes([await claim(scene.client, id)])).toEqual(['not_claimable'])
  await scene.setTier(scene.ada, 'read_only')
  await gate.startWorkers()
  expect(await scene.ended(id)).toMatchObject({ status: 'denied' })
  expect(codes([await claim(scene.client, id)])).toEqual(['not_claimable'])
})
