import { expect, test } from '@jest/globals'
import { askedInSlack, pressInSandbox } from '../support/consent.ts'
import { addPasskey, passkeySite, signedForm } from '../support/passkeys.ts'
import { useConsole } from '../support/use-gate.ts'
import { approvalScene } from './scene.ts'

const gate = useConsole({ workers: true, env: { PUBLIC_URL: passkeySite } })

test('an approver approves with a passkey where the rule asks for one, and with nothing less', async () => {
  const one = await approvalScene(gate, { needed: 1, min_strength: 'passkey' })
  await one.setPolicy({
    passkey_settles_after_hours: 0,
    kinds: { broadcast: { tier: 'guarded_write', consent: 'agent_attested', approvals: one.rule } },
  })
  const id = await one.awaiting()
  expect((await one.press('bea', id)).text).toContain('passkey')
  const bea = await one.browserOf('bea')
  const key = await addPasskey(bea)
  const page = await bea.open(one.pathOf(id))
  const ofNo = signedForm(page.html, key, 'decline')
  expect((await bea.send(one.pathOf(id), { ...ofNo, does: 'confirm' })).status).toBe(409)
  const { html } = await bea.open(one.pathOf(id))
  expect((await bea.send(one.pathOf(id), signedForm(html, key))).status).toBe(303)
  await one.executed(id)
  const [, approved] = await one.entries(id, 'approved')
  expect(approved!.entry).toMatchObject({
    actor: one.people.bea.memberId,
    data: { by: 'approver', strength: 'passkey', passkey: expect.anything() },
  })
  expect(await one.verified()).toMatchObject({ ok: true })
})

test('an approver approves in Slack where chat is enough', async () => {
  const one = await approvalScene(gate)
  const eve = await one.addMember({ name: 'Eve', slack: 'U0EVEAPPROVES', tier: 'guarded_write' })
  const rule = { ...one.rule, needed: 1, from: { members: [eve.memberId] }, min_strength: 'chat' as const }
  await one.setRule(rule)
  const id = await one.awaiting()
  const { message } = await askedInSlack(gate, eve.slack!)
  expect((await pressInSandbox(gate, message)).status).toBe(303)
  await one.executed(id)
  expect((await one.entries(id, 'approved'))[1]!.entry).toMatchObject({
    actor: eve.memberId,
    data: { strength: 'chat', channel: 'slack' },
  })
  expect(await one.verified()).toMatchObject({ ok: true })
})
