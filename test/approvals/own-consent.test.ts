import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type TestGate, startGate } from '../support/gate.ts'
import { approvalScene } from './scene.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate({ workers: false })
}, 120_000)
afterAll(() => gate.stop())

test('no approval completes a consent that the policy would no longer take from the member', async () => {
  const one = await approvalScene(gate)
  const id = await one.awaiting()
  await one.press('bea', id)
  const { approvals } = { approvals: one.rule }
  const floor = (consent: string) =>
    one.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent, approvals } } })
  await floor('page')
  const refused = await one.press('cy', id)
  expect([refused.status, refused.text]).toEqual([
    409,
    expect.stringContaining('requires a stronger consent of the member who acts than they gave'),
  ])
  expect(await one.row(id)).toMatchObject({ status: 'proposed', awaiting_approvals: { given: 1 } })
  expect((await one.entries(id, 'decision_refused')).map(({ entry }) => entry.data)).toEqual([
    { decision: 'confirm', reason: 'too_weak', source: 'console' },
  ])
  await floor('agent_attested')
  expect((await one.press('cy', id)).status).toBe(303)
  expect((await one.entries(id, 'confirmed')).length).toBe(1)
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('the repeat of a confirm is no consent to what an approver made of it meanwhile', async () => {
  const one = await approvalScene(gate)
  const id = await one.awaiting()
  await one.change('bea', id, 'Lunch is at one.')
  const again = await one.confirm(id)
  expect([again.status, again.body.code]).toEqual([409, 'digest_mismatch'])
  expect(again.body.error).toContain('confirm it with its digest')
  expect((await one.open('cy', id)).status).toBe(404)
  expect((await one.entries(id, 'approved')).map(({ entry }) => entry.data['by'])).toEqual([
    'member',
    'approver',
  ])
  const { digest } = await one.row(id)
  const read = await one.client.request('POST', `/api/v1/actions/${id}/confirm`, {
    body: { actor: one.actor, digest },
  })
  expect([read.status, read.body.awaiting_approvals]).toMatchObject([202, { given: 1 }])
  await one.press('cy', id)
  expect((await one.entries(id, 'confirmed')).length).toBe(1)
  expect(await one.verified()).toMatchObject({ ok: true })
})
