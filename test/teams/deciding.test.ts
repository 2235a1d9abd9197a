import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { connectorKey } from '../../dev/sandbox/teams/bot-keys.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { connect, ringOf } from '../support/connect.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { testRows } from '../support/rows.ts'
import { type Press, askedInTeams, ownBot, pressInTeams, teamsRequests } from '../support/teams.ts'
import { until } from '../support/until.ts'
import { useGate } from '../support/use-gate.ts'

const gate = useGate({ env: { SECRETS_KEYS: ringOf('k1') } })

/** An account with a bot, whose Ada is asked in Teams about a broadcast. */
async function asked(person = randomUUID()) {
  const account = await gate.account()
  await account.addMember({ name: 'Root', email: 'root@acme.example', tier: 'write' })
  const { id: connection } = await connect(gate, account.client, { email: 'root@acme.example' }, 'teams_bot')
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'chat' } } })
  const email = `ada-${person}@acme.example`
  await account.addMember({ name: 'Ada', email, teams: person, tier: 'guarded_write' })
  const actor = { email }
  const { body } = await account.client.propose(actor, 'Lunch is at *noon*.')
  const confirmed = await account.client.confirm(body.id, actor)
  const request = await askedInTeams(gate, person)
  await until('its sending is recorded', async () => {
    const sent = await gate.database.asSuperuser(
      `select 1 from gate.consent_request where account_id = '${account.account}' and state = 'sent'`,
    )
    return sent.length > 0
  })
  return {
    ...account,
    person,
    actor,
    connection,
    confirmed: confirmed.body,
    id: body.id as number,
    request,
    press: (press: Press = {}) => pressInTeams(gate, request, press),
    shown: () => teamsRequests(gate, person)[0]!,
    row: async () => (await account.client.get(body.id)).body,
    refusals: async () =>
      (await entriesOf(gate.database, account.account, body.id))
        .filter(({ kind }) => kind === 'decision_refused')
        .map(({ entry }) => entry.data['reason']),
  }
}

test('a member decides in Teams: asked by the bot, pressed once, executed, and shown on the card', async () => {
  const one = await asked()
  expect(one.confirmed.consent_request).toMatchObject({ required: 'chat', requested_via: 'teams' })
  expect(one.request.text).toContain('Lunch is at *noon*.')
  expect(one.request.buttons.map(({ title }) => title)).toEqual(['Approve now', 'Decline'])
  expect(await one.press()).toEqual({ status: 200, says: 'Received. The card shows the outcome.' })
  const row = await until('executed', async () => {
    const now = await one.row()
    return now.status === 'executed' && now
  })
  expect(row.consent).toMatchObject({ strength: 'chat', channel: 'teams' })
  await until('the card shows it', async () =>
    /Approved in Teams by Ada, .* Message sent/.test(one.shown().text),
  )
  expect(one.shown().buttons).toEqual([])
  expect(one.shown().text).toContain('Lunch is at *noon*.')
  // The same press again decides nothing.
  expect((await one.press()).status).toBe(200)
  await until('the second press is refused', async () => (await one.refusals()).length === 1)
  expect(await one.refusals()).toEqual(['not_open'])
  expect(await verifyLedger(gate.database.db, one.account)).toMatchObject({ ok: true })
})

test('a member declines in Teams', async () => {
  const one = await asked()
  await one.press({ verb: 'gate_decline' })
  expect(await one.row()).toMatchObject({ status: 'cancelled', closed_reason: 'member_declined' })
  await until('the card shows it', async () => one.shown().text.includes('Declined in Teams by Ada'))
})

const stranger = connectorKey('sandbox-connector')
const elsewhere = 'https://smba.elsewhere.example/teams/'
const seconds = () => Math.floor(Date.now() / 1_000)
testRows<[string, () => Press]>([
  ['by another issuer', () => ({ token: { claims: { iss: 'https://sts.windows.net/x/' } } })],
  ['for another bot', () => ({ token: { claims: { aud: randomUUID() } } })],
  ['for several bots', () => ({ token: { claims: { aud: [ownBot.app, randomUUID()] } } })],
  ['for nobody', () => ({ token: { claims: { aud: undefined } } })],
  ['that has expired', () => ({ token: { claims: { exp: seconds() - 301 } } })],
  ['that never expires', () => ({ token: { claims: { exp: undefined } } })],
  ['that is not valid yet', () => ({ token: { claims: { nbf: seconds() + 301 } } })],
  [
    'of another service',
    () => ({ token: { claims: { serviceurl: 'https://smba.elsewhere.example/teams/' } } }),
  ],
  ['without a service', () => ({ token: { claims: { serviceurl: undefined } } })],
  ['by a key of its own under a known name', () => ({ key: stranger })],
  ['without a signature', () => ({ token: { header: { alg: 'none' } } })],
  ['with a shared secret', () => ({ token: { header: { alg: 'HS256' } } })],
  ['that is none', () => ({ authorization: 'Bearer x.y.z' })],
  ['that is longer than any', () => ({ authorization: `Bearer ${'x'.repeat(9_000)}` })],
  ['that is absent', () => ({ authorization: '' })],
  [
    'for another service than the activity names',
    () => ({ activity: { serviceUrl: new URL('/teams-bot/other/', gate.sandbox.url).href } }),
  ],
  [
    'of another service, which the activity names, too',
    () => ({ token: { claims: { serviceurl: elsewhere } }, activity: { serviceUrl: elsewhere } }),
  ],
  ['for another channel than Teams', () => ({ activity: { channelId: 'webchat' } })],
])('a press with a token %s decides nothing', async (_, press) => {
  const one = await shared()
  expect(await one.press(press())).toEqual({ status: 401, says: undefined })
  expect(await one.row()).toMatchObject({ status: 'proposed' })
  expect(await one.refusals()).toEqual([])
})

let one: ReturnType<typeof asked> | undefined
const shared = () => (one ??= asked())

testRows<[string, string, RegExp, (of: Awaited<ReturnType<typeof asked>>) => Press]>([
  [
    'by somebody else',
    'not_proposer',
    /only the member/,
    () => ({ activity: { from: { id: '29:x', aadObjectId: randomUUID() } } }),
  ],
  ['by nobody', 'not_proposer', /only the member/, () => ({ activity: { from: { id: '29:x' } } })],
  [
    'by somebody else whose button says that it is the member',
    'not_proposer',
    /only the member/,
    ({ person, request }) => ({
      activity: {
        from: { id: '29:x', aadObjectId: randomUUID() },
        value: {
          action: {
            type: 'Action.Execute',
            verb: 'gate_approve',
            data: { ...(request.buttons[0]!.data as object), aadObjectId: person },
          },
          from: { aadObjectId: person },
        },
      },
    }),
  ],
  [
    'in another tenant',
    'other_workspace',
    /another organization in Teams/,
    () => {
      const other = randomUUID()
      return {
        activity: {
          conversation: { conversationType: 'personal', tenantId: other },
          channelData: { tenant: { id: other } },
        },
      }
    },
  ],
  [
    'in a conversation of one tenant for another',
    'other_workspace',
    /another organization in Teams/,
    () => ({ activity: { channelData: { tenant: { id: randomUUID() } } } }),
  ],
  [
    'without a tenant',
    'other_workspace',
    /another organization in Teams/,
    () => ({ activity: { channelData: {} } }),
  ],
  [
    'in a group chat',
    'not_personal',
    /where others can read/,
    () => ({ activity: { conversation: { conversationType: 'groupChat', tenantId: ownBot.tenant } } }),
  ],
  [
    'in a channel',
    'not_personal',
    /where others can read/,
    () => ({ activity: { conversation: { conversationType: 'channel', tenantId: ownBot.tenant } } }),
  ],
  [
    'of no button',
    'no_button',
    /no such button|belongs to no consent request/,
    () => ({ activity: { value: { action: { type: 'Action.Execute', verb: 'other', data: {} } } } }),
  ],
  [
    'of a token that nobody got',
    'no_button',
    /belongs to no consent request/,
    () => ({
      activity: { value: { action: { verb: 'gate_approve', data: { token: 'x'.repeat(43) } } } },
    }),
  ],
  [
    'that names its verb twice',
    'not_exact',
    /can be read in two ways/,
    () => ({ spoil: (text) => Buffer.from(text.replace('"verb":', '"verb":"gate_decline","verb":')) }),
  ],
  [
    'whose bytes are no text',
    'not_exact',
    /can be read in two ways/,
    () => ({ spoil: (text) => Buffer.from(text.replace('A person', 'A pers\u00e9n'), 'latin1') }),
  ],
])('a press %s is an entry, and a sentence to who pressed', async (_, reason, sentence, press) => {
  const one = await asked()
  const answer = await one.press(press(one))
  expect(answer.status).toBe(200)
  expect(answer.says).toMatch(sentence)
  expect(await one.refusals()).toEqual([reason])
  expect(await one.row()).toMatchObject({ status: 'proposed' })
})

testRows<[string, Record<string, unknown>]>([
  ['a message', { type: 'message' }],
  ['another invoke', { name: 'task/fetch' }],
  ['an invoke without a name', { name: undefined }],
  ['a conversation that begins', { type: 'conversationUpdate', name: undefined }],
])('%s with the token of a button is taken, and decides nothing', async (_, activity) => {
  const one = await shared()
  expect(await one.press({ activity })).toEqual({ status: 200, says: undefined })
  expect(await one.row()).toMatchObject({ status: 'proposed' })
  expect(await one.refusals()).toEqual([])
})
