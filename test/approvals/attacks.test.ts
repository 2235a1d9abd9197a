import { expect, test } from '@jest/globals'
import { changeGroupMembers } from '../../src/operations/groups/groups.ts'
import { dropChecks, whileTampered } from '../ledger/tampered.ts'
import { apiClient } from '../support/api-client.ts'
import { useConsole } from '../support/use-gate.ts'
import { approvalScene } from './scene.ts'

const gate = useConsole()

test('of several approvals at once each counts once, and the last that is needed is the only claim', async () => {
  const one = await approvalScene(gate, { needed: 3 })
  const id = await one.awaiting()
  await Promise.all((['bea', 'cy', 'dan'] as const).map((name) => one.browserOf(name)))
  // Every press twice, all at once: from one engine, each approval is seen by every other one, or judged again.
  await Promise.all((['bea', 'cy', 'dan', 'bea', 'cy', 'dan'] as const).map((name) => one.press(name, id)))
  const told = await one.entries(id, 'approved', 'confirmed')
  expect(told.map(({ kind, entry }) => (kind === 'confirmed' ? kind : entry.data['given']))).toEqual([
    0,
    1,
    2,
    3,
    'confirmed',
  ])
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('nobody who has left, was demoted or is the member themselves counts, and who comes back counts once', async () => {
  const one = await approvalScene(gate, {
    needed: 2,
    escalate_after_minutes: 60,
    escalate_to: { tier: 'write' },
  })
  const { ada, bea, dan } = one.people
  const id = await one.awaiting()
  await one.press('bea', id)
  // Out of the group, and in again: one approval.
  await changeGroupMembers(one.administration, one.group, { remove: [bea.memberId] })
  await one.press('cy', id)
  expect((await one.row(id)).consent).toBeUndefined()
  await changeGroupMembers(one.administration, one.group, { add: [bea.memberId, ada.memberId] })
  expect((await one.press('ada', id)).status).not.toBe(200)
  expect((await one.row(id)).consent).toBeUndefined()
  // Who approved and is no longer a member.
  await one.setActive(bea, false)
  await one.setTier(dan, 'write')
  await changeGroupMembers(one.administration, one.group, { remove: [dan.memberId] })
  // Nobody is asked of those to whom it will be escalated.
  expect((await one.open('dan', id)).status).toBe(404)
  await changeGroupMembers(one.administration, one.group, { add: [dan.memberId] })
  await one.press('dan', id)
  expect((await one.row(id)).consent).toBeDefined()
  expect((await one.entries(id, 'confirmed'))[0]!.entry).toMatchObject({
    actor: dan.memberId,
    data: { approvals: 2 },
  })
})

test('a member for whom the agent acts approves nothing that it proposed, where the rule says so', async () => {
  const one = await approvalScene(gate, { needed: 1 })
  const { ada, bea } = one.people
  const { key } = await one.mintKey({ actors: [ada, bea] })
  const agent = apiClient(gate.api.url, key)
  const ask = async (message: string) => {
    const id = (await agent.propose(one.actor, message)).body.id as number
    await agent.confirm(id, one.actor)
    return id
  }
  const id = await ask('Lunch')
  expect((await one.open('bea', id)).status).toBe(404)
  await one.setRule({ ...one.rule, distinct_from: ['proposer'] })
  const free = await ask('Dinner')
  await one.press('bea', free)
  expect((await one.row(free)).consent).toBeDefined()
  await one.press('cy', id)
  expect((await one.row(id)).consent).toBeDefined()
})

test('a policy that is changed later alters no open action, and a rule is as it was when it was proposed', async () => {
  const one = await approvalScene(gate)
  const id = await one.propose()
  await one.setRule(undefined)
  await one.confirm(id)
  expect(await one.row(id)).toMatchObject({ status: 'proposed', awaiting_approvals: { needed: 2 } })
  const free = await one.propose('Free')
  await one.setRule({ ...one.rule, needed: 3 })
  await one.press('bea', id)
  await one.press('cy', id)
  expect((await one.row(id)).consent).toBeDefined()
  expect((await one.confirm(free)).body).not.toHaveProperty('awaiting_approvals')
})

test('whatever is changed in an approval is found', async () => {
  const one = await approvalScene(gate)
  const id = await one.awaiting()
  await one.press('bea', id)
  await dropChecks(gate.database)
  for (const set of [
    `digest = repeat('0', 64)`,
    `strength = 'passkey'`,
    `channel = 'slack'`,
    `card = sha256('x')`,
    `at = at + interval '1 second'`,
    `member_id = '${one.people.dan.memberId}'`,
  ]) {
    const statement = `update gate.approval set ${set} where $ours and n = 2`
    const verdict = await whileTampered(gate.database, one.account, 'gate.approval', statement, one.verified)
    expect([set, verdict]).toEqual([set, expect.objectContaining({ ok: false, place: `action ${id}` })])
  }
})
