import { expect, test } from '@jest/globals'
import { changeGroupMembers } from '../../src/operations/groups/groups.ts'
import { endDelegation, listDelegations } from '../../src/operations/delegations/delegations.ts'
import { dropChecks, whileTampered } from '../ledger/tampered.ts'
import { mailsTo } from '../support/console.ts'
import { until } from '../support/until.ts'
import { useConsole } from '../support/use-gate.ts'
import { type Name, approvalScene } from './scene.ts'

const gate = useConsole({ workers: true })

/** Ada acts; Bea and Cy are approvers; Dan is nobody but for what Bea gives him. */
async function deputyScene(rule: Parameters<typeof approvalScene>[1] = {}) {
  const one = await approvalScene(gate, rule)
  const { dan } = one.people
  await changeGroupMembers(one.administration, one.group, { remove: [dan.memberId] })
  const told = (name: Name, subject: RegExp) =>
    until(`mail to ${name}`, async () =>
      mailsTo(gate, one.people[name].email!).find((mail) => subject.test(mail.subject ?? '')),
    )
  return { ...one, told, votes: (id: number) => one.entries(id, 'approved', 'confirmed', 'cancelled') }
}

test('a deputy approves for an approver who is away, both are told, and the entry names whom it was for', async () => {
  const one = await deputyScene()
  const { bea, cy, dan } = one.people
  const id = await one.propose()
  await one.confirm(id)
  expect((await one.open('dan', id)).status).toBe(404)
  expect((await one.delegate('bea', 'dan')).status).toBe(303)
  expect((await one.told('bea', /have a deputy/)).text).toContain('Dan approves for you')
  expect((await one.told('dan', /are a deputy/)).text).toContain('You approve for Bea')
  expect((await one.open('dan', id)).text).toContain('You decide for Bea, who is away.')
  await one.press('dan', id)
  expect((await one.open('cy', id)).text).toContain('Approved by Dan for Bea.')
  // Bea is the same person now: she cannot approve beside him, and can still decline.
  expect((await one.press('bea', id)).text).toContain('count as one person')
  expect((await one.row(id)).awaiting_approvals).toMatchObject({ given: 1 })
  await one.press('cy', id)
  await one.executed(id)
  const told = await one.votes(id)
  expect(told.map(({ kind, entry: { actor, data } }) => [kind, actor, data['for']])).toEqual([
    ['approved', one.people.ada.memberId, undefined],
    ['approved', dan.memberId, bea.memberId],
    ['approved', cy.memberId, undefined],
    ['confirmed', cy.memberId, undefined],
  ])
  expect(told.at(-1)!.entry.data['approved_by']).toEqual([
    { member: dan.memberId, for: bea.memberId },
    { member: cy.memberId },
  ])
  // Proposed later: he is asked by himself.
  const next = await one.propose('Dinner is at eight.')
  await one.confirm(next)
  expect((await one.told('dan', /^Approval requested/)).text).toContain('You decide for Bea')
  await one.press('dan', next, 'decline', { reason: 'Not today.' })
  expect((await one.votes(next)).at(-1)!.entry).toMatchObject({
    actor: dan.memberId,
    data: { closed_reason: 'approver_declined', for: bea.memberId },
  })
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('who approves first counts for both, and a deputy counts once however many are away', async () => {
  const one = await deputyScene()
  const { bea, cy } = one.people
  await one.delegate('bea', 'dan')
  await one.delegate('cy', 'dan')
  const id = await one.propose()
  await one.confirm(id)
  await one.press('bea', id)
  // Bea approved: Dan is Cy's deputy alone.
  await one.press('dan', id)
  expect((await one.votes(id)).at(-1)!.entry.data['approved_by']).toEqual([
    { member: bea.memberId },
    { member: one.people.dan.memberId, for: cy.memberId },
  ])

  const alone = await one.propose('Alone')
  await one.confirm(alone)
  await Promise.all([one.press('dan', alone), one.press('dan', alone)])
  expect((await one.row(alone)).awaiting_approvals).toMatchObject({ given: 1 })
  await one.press('bea', alone)
  expect((await one.row(alone)).awaiting_approvals).toMatchObject({ given: 1 })
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('nobody is a deputy of a deputy, for their own action, by a tier, for another kind, or once it ended', async () => {
  const one = await deputyScene({ needed: 1 })
  const { cy, dan } = one.people
  const asked = await one.propose()
  await one.confirm(asked)
  // The member who acts, as the deputy of an approver.
  await one.delegate('bea', 'ada')
  await one.press('ada', asked)
  expect((await one.votes(asked)).length).toBe(1)
  // Dan is Cy's deputy, and Bea has Cy: Dan has nothing of Bea.
  await one.delegate('bea', 'cy')
  await changeGroupMembers(one.administration, one.group, { remove: [cy.memberId] })
  await one.delegate('cy', 'dan')
  expect((await one.open('dan', asked)).status).toBe(404)
  expect((await one.open('cy', asked)).status).toBe(200)
  await changeGroupMembers(one.administration, one.group, { add: [cy.memberId] })
  expect((await one.open('dan', asked)).status).toBe(200)
  // Ended by either of the two, by an administrator, or by a deactivation.
  const mine = async () => (await listDelegations(one.administration)).filter(({ in_force: is }) => is)
  const ofDan = (await mine()).find(({ to_member: to }) => to === dan.memberId)!
  expect((await one.endIn('bea', ofDan.delegation_id)).status).toBe(404)
  expect((await one.endIn('dan', ofDan.delegation_id)).status).toBe(303)
  expect((await one.open('dan', asked)).status).toBe(404)
  expect((await one.told('cy', /deputy .* no longer approves/)).text).toContain('It was ended.')
  await one.delegate('cy', 'dan', { kinds: 'payout' })
  expect((await one.open('dan', asked)).status).toBe(404)
  await one.delegate('cy', 'dan')
  await one.press('dan', asked)
  await one.executed(asked)
  await one.setActive(cy, false)
  expect(
    (await mine()).filter(({ from_member: from, to_member: to }) => [from, to].includes(cy.memberId)),
  ).toEqual([])
  await endDelegation(one.administration, (await mine())[0]!.delegation_id)
  expect(await mine()).toEqual([])
  await one.setActive(cy, true)

  // A tier cannot be lent.
  await one.setTier(dan, 'read_only')
  await one.setRule({ ...one.rule, from: { tier: 'guarded_write' } })
  await one.delegate('bea', 'dan')
  const tiered = await one.propose('By tier')
  await one.confirm(tiered)
  expect((await one.open('dan', tiered)).status).toBe(404)
  expect((await one.open('bea', tiered)).status).toBe(200)
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('what a deputy approved counts no more once the delegation is over', async () => {
  const one = await deputyScene()
  const { bea } = one.people
  await one.delegate('bea', 'dan')
  const id = await one.propose()
  await one.confirm(id)
  await one.press('dan', id)
  // As if its time were over.
  await gate.database.asSuperuser(
    `update gate.delegation set created_at = created_at - interval '29 days', until = clock_timestamp() where account_id = '${one.account}'`,
  )
  await one.press('cy', id)
  expect((await one.row(id)).awaiting_approvals).toMatchObject({ given: 1 })
  await one.press('bea', id)
  await one.executed(id)
  expect((await one.votes(id)).at(-1)!.entry.data['approved_by']).toEqual([
    { member: one.people.cy.memberId },
    { member: bea.memberId },
  ])
})

test('a delegation has a bound, a reason and another person, and nobody starts one for somebody else', async () => {
  const one = await deputyScene()
  const { bea, dan } = one.people
  const refused = async (more: Record<string, string>, deputy: Name = 'dan') =>
    (await one.delegate('bea', deputy, more)).text
  expect(await refused({ until: one.dayIn(40) })).toContain('at most 30 days')
  expect(await refused({ until: one.dayIn(-2) })).toContain('today or later')
  expect(await refused({ reason: ' ' })).toContain('must not be empty')
  expect(await refused({ kinds: 'nothing_known' })).toContain('is not a kind of action')
  expect(await refused({}, 'bea')).toContain('must be somebody else')
  await one.setActive(dan, false)
  expect(await refused({})).toContain('is not active')
  await one.setActive(dan, true)
  for (let n = 0; n < 5; n++) expect((await one.delegate('bea', 'dan')).status).toBe(303)
  expect(await refused({})).toContain('at most 5 deputies')
  // Whose mailbox an administrator changed is nobody who names a deputy.
  await one.setIdentity(one.people.cy, { email: `other-${one.people.cy.email}` })
  const cy = await one.signedInAs(`other-${one.people.cy.email}`)
  expect((await one.delegateIn(cy, 'dan')).text).toContain('changed recently')
  expect(
    (await listDelegations(one.administration)).every(({ from_member: from }) => from === bea.memberId),
  ).toBe(true)

  await dropChecks(gate.database)
  for (const set of [
    `until = until + interval '1 day'`,
    `to_member = '${one.people.ada.memberId}'`,
    `from_member = '${one.people.cy.memberId}'`,
    `kinds = '{payout}'`,
    `reason = 'other'`,
    `created_at = created_at - interval '1 day'`,
    `ended_at = clock_timestamp(), ended_by = 'admin'`,
  ]) {
    const statement = `update gate.delegation set ${set} where $ours`
    const verdict = await whileTampered(
      gate.database,
      one.account,
      'gate.delegation',
      statement,
      one.verified,
    )
    expect([set, verdict]).toEqual([
      set,
      expect.objectContaining({ ok: false, place: expect.stringMatching(/^delegation dlg_/) }),
    ])
  }
})
