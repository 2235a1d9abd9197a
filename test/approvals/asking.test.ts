import { expect, test } from '@jest/globals'
import { mailsTo } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import { browser } from '../support/connect.ts'
import { useConsole } from '../support/use-gate.ts'
import { until } from '../support/until.ts'
import { type ApprovalScene, type Name, approvalScene } from './scene.ts'

const gate = useConsole({ workers: true })

const requestsTo = (one: ApprovalScene, name: Name) =>
  mailsTo(gate, one.people[name].email!).filter(({ subject }) => /pproval requested/.test(subject ?? ''))
const linkIn = (text: string) => /http\S+\/decide\/[\w-]+/.exec(text)![0]
const asked = (one: ApprovalScene, name: Name, count = 1) =>
  until(`request ${count} to ${name}`, async () => requestsTo(one, name)[count - 1])
/** As if the member had consented so long ago. */
const age = (one: ApprovalScene, id: number, minutes: number) =>
  gate.database.asSuperuser(
    `update gate.action set consented_at = consented_at - interval '${minutes} minutes' where account_id = '${one.account}' and id = ${id}`,
  )

test('approvers decide by the link of their mail, which is theirs alone, and a change asks all again', async () => {
  const one = await approvalScene(gate)
  const id = await one.propose()
  await one.confirm(id)
  const mail = await asked(one, 'bea')
  await asked(one, 'cy')
  const link = browser()
  const page = await link.open(new URL(linkIn(mail.text)))
  expect(page.text).toMatch(
    /Ada consented to this, .* 2 people of the group Leads .* Nobody else approved yet/,
  )
  await link.send(new URL(linkIn(mail.text)), { ...formOf(page.html), does: 'confirm' })
  expect((await one.entries(id, 'approved')).at(-1)!.entry).toMatchObject({
    actor: one.people.bea.memberId,
    data: { channel: 'email', strength: 'page', given: 1 },
  })

  await one.change('cy', id, 'Lunch is at one.')
  expect(await one.row(id)).toMatchObject({ status: 'proposed', payload: { message: 'Lunch is at one.' } })
  expect(await one.row(id)).not.toHaveProperty('awaiting_approvals')
  // Its member, and then Bea, consent to version 2; Cy approved it by making it.
  await asked(one, 'ada')
  expect((await one.open('bea', id)).status).toBe(404)
  await one.press('ada', id)
  await asked(one, 'bea', 2)
  expect((await one.row(id)).awaiting_approvals).toMatchObject({ given: 1 })
  await one.press('bea', id)
  await one.executed(id)
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('who does not answer is reminded once, then others are asked too, and what was approved stays', async () => {
  const one = await approvalScene(gate, {
    from: { members: [] },
    remind_after_minutes: 30,
    escalate_after_minutes: 60,
  })
  const { bea, cy, dan } = one.people
  await one.setRule({
    ...one.rule,
    from: { members: [bea.memberId, cy.memberId] },
    escalate_to: { members: [dan.memberId] },
  })
  const id = await one.propose()
  await one.confirm(id)
  await asked(one, 'bea')
  await one.press('bea', id)
  expect(requestsTo(one, 'dan')).toEqual([])
  expect((await one.open('dan', id)).status).toBe(404)
  await age(one, id, 61)
  await one.press('bea', id)
  // Anything that wakes the workflow has it look.
  await gate.deps.starter.idle()
  const row = await one.row(id)
  gate.deps.starter.askInBackground(
    { account: one.account, id, uuid: await uuidOf(one, id), kind: 'broadcast', expiresAt: row.expires_at },
    null,
  )
  await asked(one, 'dan')
  const reminder = await until('a reminder', async () => requestsTo(one, 'cy')[1])
  expect(reminder.subject).toContain('Reminder')
  expect(requestsTo(one, 'bea')).toHaveLength(1)
  await one.press('dan', id)
  await one.executed(id)
})

const uuidOf = async (one: ApprovalScene, id: number): Promise<string> => {
  const [row] = await gate.database.asSuperuser(
    `select uuid from gate.action where account_id = '${one.account}' and id = ${id}`,
  )
  return String(row!['uuid'])
}

test('nobody approves before its time, without a reason or with less than the rule asks for', async () => {
  const early = await approvalScene(gate, { not_before_minutes: 60, needed: 1 })
  const id = await early.propose()
  await early.confirm(id)
  const refused = await early.press('bea', id)
  expect([refused.status, refused.text]).toEqual([
    409,
    expect.stringContaining('Nobody can approve this before'),
  ])
  expect((await early.press('cy', id, 'decline')).status).toBe(303)

  const reasoned = await approvalScene(gate, { needed: 1, reason_required: true })
  const second = await reasoned.propose()
  await reasoned.confirm(second)
  expect((await reasoned.press('bea', second)).text).toContain('Write why you approve')
  await reasoned.press('bea', second, 'confirm', { reason: 'I checked the list.' })
  await reasoned.executed(second)
  expect(await reasoned.verified()).toMatchObject({ ok: true })

  const signed = await approvalScene(gate, { needed: 1, min_strength: 'passkey' })
  const third = await signed.propose()
  await signed.confirm(third)
  expect((await signed.open('bea', third)).html).not.toContain('value="confirm"')
  expect((await signed.press('bea', third)).text).toContain('passkey')
  expect((await signed.entries(third, 'approved')).length).toBe(1)
})
