import { expect, test } from '@jest/globals'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { apiClient } from '../support/api-client.ts'
import { moveExpiry } from '../support/expiry.ts'
import { useConsole } from '../support/use-gate.ts'
import { approvalScene } from './scene.ts'

const gate = useConsole({ workers: true })

test('an expired action ends as expired and never as denied, after any change and by any decision', async () => {
  const one = await approvalScene(gate)
  const waits = await one.awaiting()
  const fresh = await one.propose('Another')
  // Both would be denied now: expiry comes first.
  await one.setTier(one.people.ada, 'read_only')
  await moveExpiry(gate.database, one.account, -8)
  expect((await one.open('bea', waits)).text).not.toContain('value="confirm"')
  expect(await one.confirm(fresh)).toMatchObject({ status: 409, body: { code: 'expired' } })
  for (const id of [waits, fresh]) {
    expect((await one.confirm(id)).status).toBe(409)
    expect(await readAction(gate.database.db, one.account, id)).toMatchObject({
      status: 'cancelled',
      closed_reason: 'expired',
      denial_reason: null,
    })
    expect(await one.entries(id, 'confirmed', 'denied')).toEqual([])
  }
  await moveExpiry(gate.database, one.account, 8)
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('what waits for approvals outlives the key of its agent, which alone can do nothing about it any more', async () => {
  const one = await approvalScene(gate)
  const agent = await one.mintKey()
  const client = apiClient(gate.api.url, agent.key)
  const { body } = await client.propose(one.actor, 'Lunch is at noon.')
  await client.confirm(body.id, one.actor)
  await one.press('bea', body.id)
  await one.revokeKey(agent.keyId)
  for (const answer of [await client.confirm(body.id, one.actor), await client.cancel(body.id, one.actor)])
    expect(answer.status).toBe(401)
  expect(await one.row(body.id)).toMatchObject({ status: 'proposed', awaiting_approvals: { given: 1 } })
  await one.press('cy', body.id)
  await one.executed(body.id)

  // Its member, an approver or an administrator ends it instead.
  const other = await one.propose('Another')
  await one.confirm(other)
  await one.revokeKey(one.keyId)
  await one.press('dan', other, 'decline')
  expect(await readAction(gate.database.db, one.account, other)).toMatchObject({
    status: 'cancelled',
    closed_reason: 'approver_declined',
  })
  expect(await one.verified()).toMatchObject({ ok: true })
})
