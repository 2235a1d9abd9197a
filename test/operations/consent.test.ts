import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { entriesOf } from '../support/behind-the-rows.ts'
import { askedByMail, askedInSlack, pressInSandbox, shownOn, slackRequests } from '../support/consent.ts'
import { browser } from '../support/connect.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate()
}, 60_000)
afterAll(() => gate.stop())

const asks = (consent: string) => ({ kinds: { broadcast: { tier: 'guarded_write', consent } } })

let people = 0
/** An account whose policy asks for a consent, and a member with both identities who proposed a broadcast. */
async function scene(consent: string, identities: { email?: string; slack?: string } = bothIdentities()) {
  const account = await gate.account()
  await account.setPolicy(asks(consent))
  const ada = await account.addMember({ name: 'Ada Lovelace', ...identities, tier: 'guarded_write' })
  const actor = ada.email === null ? { provider: 'slack', external_id: ada.slack } : { email: ada.email }
  const proposed = await account.client.propose(actor, 'Lunch is at noon.')
  const id = proposed.body.id as number
  return {
    ...account,
    ada,
    actor,
    id,
    proposed: proposed.body,
    row: async () => (await account.client.get(id)).body,
    ended: () =>
      until('the row has ended', async () => {
        const { body } = await account.client.get(id)
        return body.status !== 'proposed' && body
      }),
  }
}

const bothIdentities = () => ({ email: `ada${++people}@example.com`, slack: `U0000ADA${people}` })

test('a floor of chat: the confirm answers 202, the member is asked in Slack, and their click executes it', async () => {
  const { account, client, ada, actor, id, proposed, ended } = await scene('chat')
  const asked = await client.confirm(id, actor)
  expect([asked.status, asked.headers.get('location')]).toEqual([202, `/api/v1/actions/${id}`])
  expect(asked.body).toMatchObject({
    status: 'proposed',
    consent_request: { required: 'chat', requested_via: 'slack', requested_at: expect.any(String) },
  })
  expect(asked.body).not.toHaveProperty('consent')
  const request = await askedInSlack(gate, ada.slack!)
  expect(request.text).toContain('│ Lunch is at noon.')
  expect(request.text).toContain(proposed.digest.slice(0, 4))

  expect((await pressInSandbox(gate, request.message)).status).toBe(303)
  const row = await ended()
  expect(row).toMatchObject({
    status: 'executed',
    consent: { strength: 'chat', by: ada.email, channel: 'slack' },
    result: { outcome: 'done', slack: 1 },
  })
  expect(row).not.toHaveProperty('consent_request')
  const entries = await entriesOf(gate.database, account, id)
  expect(entries.map(({ kind }) => kind)).toEqual([
    'proposed',
    'consent_requested',
    'confirmed',
    'delivered',
    'executed',
  ])
  expect(entries[2]!.entry).toMatchObject({
    actor: ada.memberId,
    key: null,
    data: { strength: 'chat', channel: 'slack', card: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  await until('the buttons are gone', async () => slackRequests(gate, ada.slack!)[0]!.token === undefined)
  expect(slackRequests(gate, ada.slack!)[0]!.text).toContain('You approved this. It was carried out.')
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
})

test('a floor of page: the link in the mailbox shows the card, and its form executes it', async () => {
  const { account, client, ada, actor, id, ended } = await scene('page')
  const asked = await client.confirm(id, actor)
  expect(asked.body.consent_request).toMatchObject({ required: 'page', requested_via: 'email' })
  const { link, text, subject } = await askedByMail(gate, ada.email!)
  expect(subject).toBe('Your decision is needed: Message to every active member')
  expect(text).toContain('│ Lunch is at noon.')
  const visitor = browser()
  const page = await visitor.open(link)
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('│ Lunch is at noon.')])
  const done = await visitor.send(link, { does: 'confirm', shown: shownOn(page.html) })
  expect([done.status, done.text]).toEqual([200, expect.stringContaining('It was carried out.')])
  expect(await ended()).toMatchObject({
    status: 'executed',
    consent: { strength: 'page', by: ada.email, channel: 'email' },
  })
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
})
