import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { claimDecision } from '../../src/db/queries/actions/decide.ts'
import { expiryEvent } from '../../src/operations/clearance/expiry.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { changeGroupMembers } from '../../src/operations/groups/groups.ts'
import { dropChecks, whileTampered } from '../ledger/tampered.ts'
import { sessionOf } from '../support/session.ts'
import { useConsole } from '../support/use-gate.ts'
import { type ApprovalScene, approvalScene } from './scene.ts'

const gate = useConsole()

/** An action whose member consented, with the forms that each approver has on their page. */
async function awaiting(one: ApprovalScene): Promise<number> {
  const id = await one.propose()
  await one.confirm(id)
  return id
}

test('of several approvals at once each counts once, and the last that is needed is the only claim', async () => {
  const one = await approvalScene(gate, { needed: 3 })
  const id = await awaiting(one)
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
  const id = await awaiting(one)
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

test('no surface and no statement confirms with fewer people than needed', async () => {
  const one = await approvalScene(gate)
  const { bea, ada } = one.people
  const id = await awaiting(one)
  for (let n = 0; n < 3; n++) await one.confirm(id)
  // An agent approves nothing, whatever member it names.
  expect((await one.client.confirm(id, { email: bea.email })).status).toBe(403)
  const row = (await readAction(gate.database.db, one.account, id))!
  const claim = async (as: string, voters: { member: string; version: number; counts: boolean }[]) =>
    claimDecision(gate.database.db, {
      account: one.account,
      id,
      decision: 'confirm',
      commandId: randomUUID(),
      eventId: randomUUID(),
      ...expiryEvent(row.uuid),
      dueMs: 60_000,
      versions: { member: 2, curricula: 1, policy: 2 },
      tier: 'guarded_write',
      consent: { strength: 'page', channel: 'console' },
      credential: { session: await sessionOf(gate.deps, one.account, `${as}@${ada.email!.split('@')[1]}`) },
      idempotency: null,
      voter: one.people[as as 'bea'].memberId,
      voters,
    })
  const counting = (name: 'bea' | 'ada') => ({ member: one.people[name].memberId, version: 2, counts: true })
  // Votes that a process claims to have seen count for nothing: only rows do.
  const once = await claim('bea', [counting('bea'), { ...counting('ada'), member: one.people.cy.memberId }])
  expect(once).toMatchObject({ outcome: 'approved', action: { decision: null, approvals_given: 1 } })
  // One whose snapshot lacks the approval of Bea is judged again.
  expect((await claim('cy', [{ ...counting('bea'), member: one.people.cy.memberId }])).outcome).toBe('stale')
  await expect(claim('ada', [counting('ada')])).resolves.toMatchObject({ action: { decision: null } })
  // Without the consent of its member nobody approves.
  const fresh = await one.propose('Another')
  expect((await one.open('bea', fresh)).status).toBe(404)
  expect((await one.entries(fresh, 'approved', 'confirmed')).length).toBe(0)
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
  const id = await awaiting(one)
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
