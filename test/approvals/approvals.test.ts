import { expect, test } from '@jest/globals'
import { useConsole } from '../support/use-gate.ts'
import { mailsTo } from '../support/console.ts'
import { until } from '../support/until.ts'
import { approvalScene } from './scene.ts'

const gate = useConsole({ workers: true })

test('an action runs after its member consented and as many others as the rule asks for approved, and not before', async () => {
  const one = await approvalScene(gate)
  const { bea, cy } = one.people
  const id = await one.propose()
  // Nobody approves what its member has not consented to.
  expect((await one.open('bea', id)).status).toBe(404)

  const confirmed = await one.confirm(id)
  expect([confirmed.status, confirmed.body]).toEqual([
    202,
    expect.objectContaining({
      status: 'proposed',
      awaiting_approvals: { needed: 2, given: 0, from: `the group ${one.group}`, next: expect.any(String) },
    }),
  ])
  expect((await one.confirm(id)).body).toEqual(confirmed.body)
  const asked = await until('a request to Bea', async () =>
    mailsTo(gate, bea.email!).find(({ subject }) => subject?.startsWith('Approval requested')),
  )
  expect(asked.text).toMatch(
    /Ada consented to this, and the policy asks 2 people of the group Leads to approve it\. Nobody else approved yet\./,
  )

  await one.press('bea', id)
  // The same person again counts once.
  await one.press('bea', id)
  expect((await one.row(id)).awaiting_approvals).toMatchObject({ needed: 2, given: 1 })
  expect((await one.open('cy', id)).text).toContain('Approved by Bea.')
  expect((await one.open('ada', id)).html).not.toContain('value="confirm"')
  await one.press('cy', id)
  const row = await one.executed(id)
  expect(row.consent).toMatchObject({ strength: 'agent_attested', by: one.actor.email })
  expect(row).not.toHaveProperty('awaiting_approvals')

  const told = await one.entries(id, 'approved', 'confirmed')
  expect(told.map(({ kind, entry: { actor, data } }) => [kind, actor, data['strength']])).toEqual([
    ['approved', one.people.ada.memberId, 'agent_attested'],
    ['approved', bea.memberId, 'page'],
    ['approved', cy.memberId, 'page'],
    ['confirmed', cy.memberId, 'agent_attested'],
  ])
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('one decline ends it, and says who declined', async () => {
  const one = await approvalScene(gate)
  const id = await one.propose()
  await one.confirm(id)
  await one.press('bea', id)
  await one.press('cy', id, 'decline', { reason: 'Too early.' })
  expect(await one.row(id)).toMatchObject({
    status: 'cancelled',
    closed_reason: 'approver_declined',
    decline_reason: 'Too early.',
  })
  const own = await one.awaiting()
  await one.press('bea', own)
  await one.press('bea', own, 'decline')
  expect(await one.row(own)).toMatchObject({ closed_reason: 'approver_declined' })
  for (const [name, status] of [
    ['bea', 200],
    ['cy', 200],
    ['dan', 404],
  ] as const)
    expect([name, (await one.open(name, id)).status]).toEqual([name, status])
  expect(await one.verified()).toMatchObject({ ok: true })
})
