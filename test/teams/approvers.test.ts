import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type ApprovalScene, approvalScene } from '../approvals/scene.ts'
import { updateMember } from '../../src/operations/members/update-member.ts'
import { mailsTo } from '../support/console.ts'
import { connect, ringOf } from '../support/connect.ts'
import { moveExpiry } from '../support/expiry.ts'
import { askedInTeams, pressInTeams, teamsRequests } from '../support/teams.ts'
import { until } from '../support/until.ts'
import { useConsole } from '../support/use-gate.ts'

const gate = useConsole({ workers: true, env: { SECRETS_KEYS: ringOf('k1') } })

/** Ada acts; Eve, who is in Teams, and Bea approve. */
async function scene(needed = 2) {
  const one = await approvalScene(gate)
  const root = { email: `root-${one.account.slice(-6).toLowerCase()}@acme.example` }
  await one.addMember({ name: 'Root', ...root, tier: 'write' })
  await connect(gate, one.client, root, 'teams_bot')
  const person = randomUUID()
  const eve = await one.addMember({ name: 'Eve', teams: person, tier: 'guarded_write' })
  const from = { members: [eve.memberId, one.people.bea.memberId] }
  await one.setRule({ ...one.rule, needed, from, min_strength: 'chat' })
  return { ...one, eve, person, cards: () => teamsRequests(gate, person) }
}

const refusalsOf = async (one: ApprovalScene, id: number) =>
  (await one.entries(id, 'decision_refused')).map(({ entry }) => [entry.actor, entry.data['reason']])

test('an approver is asked in Teams, and a card of version 1 decides nothing about version 2, and says why', async () => {
  const one = await scene()
  const id = await one.awaiting()
  const first = await askedInTeams(gate, one.person)
  expect(first.text).toMatch(/Ada consented to this.*Lunch is at noon\./s)
  await until('its sending is recorded', async () => first.buttons.length > 0 && (await sent(one)) === 1)
  await one.change('bea', id, 'Lunch is at one.')
  // What the card shows is no longer what is decided, so its buttons go, and it does not show what Eve was not asked about.
  const changed = await until('the card of version 1 says so', async () =>
    one.cards().find(({ text }) => text.includes('This was changed after it was sent to you')),
  )
  expect([changed.buttons, changed.text]).toEqual([[], expect.not.stringContaining('Lunch')])
  for (const verb of ['gate_approve', 'gate_decline']) {
    expect((await pressInTeams(gate, first, { verb })).status).toBe(200)
    expect(await one.row(id)).toMatchObject({ status: 'proposed' })
  }
  // Its member consents to version 2 first; then Eve is asked again.
  await one.press('ada', id)
  const second = await askedInTeams(gate, one.person, 2)
  expect(second.text).toContain('Lunch is at one.')
  expect((await pressInTeams(gate, first)).status).toBe(200)
  expect(await refusalsOf(one, id)).toEqual([1, 2, 3].map(() => [one.eve.memberId, 'card']))
  expect(await one.row(id)).toMatchObject({ status: 'proposed', awaiting_approvals: { given: 1 } })
  await until('the pressed card says why', async () =>
    one.cards()[0]!.text.includes('Decide about the new version in its own request'),
  )
  expect((await pressInTeams(gate, second)).status).toBe(200)
  await one.executed(id)
  await until('both cards show the outcome', async () =>
    one.cards().every(({ text, buttons }) => buttons.length === 0 && text.includes('Message sent')),
  )
  expect(await verifyLedger(gate.database.db, one.account)).toMatchObject({ ok: true })
})

const sent = async ({ account }: ApprovalScene): Promise<number> => {
  const rows = await gate.database.asSuperuser(
    `select 1 from gate.consent_request where account_id = '${account}' and via = 'teams' and state = 'sent'`,
  )
  return rows.length
}

test('what is decided elsewhere, withdrawn or expired stands on the card, and its buttons are gone', async () => {
  const one = await scene(1)
  const ended = async (words: RegExp, end: (id: number) => Promise<unknown>) => {
    const cards = one.cards().length
    const id = await one.awaiting()
    const request = await askedInTeams(gate, one.person, cards + 1)
    await until('its sending is recorded', async () => (await sent(one)) === cards + 1)
    await end(id)
    const shown = await until(`the card shows ${words}`, async () => {
      const now = one.cards()[cards]!
      return words.test(now.text) && now
    })
    expect(shown.buttons).toEqual([])
    const before = (await one.row(id)).status
    expect((await pressInTeams(gate, request)).status).toBe(200)
    expect((await one.row(id)).status).toBe(before)
    return refusalsOf(one, id)
  }
  const bea = await ended(/Message sent/, (id) => one.press('bea', id))
  const cancelled = await ended(/[Cc]ancelled/, (id) => one.client.cancel(id, one.actor))
  expect([...bea, ...cancelled]).toEqual([1, 2].map(() => [one.eve.memberId, 'not_open']))
  const expired = await ended(/expired/i, async (id) => {
    await moveExpiry(gate.database, one.account, -8)
    await pressInTeams(gate, one.cards().at(-1)!)
    await until('it is closed', async () => (await one.row(id)).status !== 'proposed')
  })
  expect(expired[0]).toEqual([one.eve.memberId, 'expired'])
})

test('a deputy who has no mailbox is told in Teams, with a link, that they are no deputy any more', async () => {
  const one = await scene()
  const { cy } = one.people
  await one.delegate('bea', 'cy')
  await until('Cy is told that it starts', async () =>
    mailsTo(gate, cy.email!).some(({ subject }) => subject?.startsWith('You are a deputy')),
  )
  const person = randomUUID()
  const change = { name: null, email: '', slack: null, teams: person }
  await updateMember(one.administration, cy.memberId, change)
  const [row] = await gate.database.asSuperuser(
    `select delegation_id from gate.delegation where account_id = '${one.account}'`,
  )
  await one.endIn('bea', String(row!['delegation_id']))
  const told = await askedInTeams(gate, person)
  expect(told.text).toContain('You no longer approve for Bea')
  expect(JSON.stringify(told.message.blocks)).toContain(`"url":"${gate.api.url}/console/delegations"`)
  expect(told.buttons).toEqual([])
})
