import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { connectorToken } from '../../dev/sandbox/teams/bot-keys.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import type { KeyProvider } from '../../src/secrets/key-provider.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { botOf, seeTeamsBots } from '../../src/operations/maintenance/teams-bots.ts'
import { disconnect } from '../../src/operations/integrations/disconnect.ts'
import { eraseMember } from '../../src/operations/members/erase-member.ts'
import { importMembers } from '../../src/operations/members/import-members.ts'
import { updateMember } from '../../src/operations/members/update-member.ts'
import { connect, goodForm, linkFor, ringOf, signedInFor } from '../support/connect.ts'
import { askedByMail } from '../support/consent.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { testRows } from '../support/rows.ts'
import { askedInTeams, ownBot, pressInTeams, teamsRequests } from '../support/teams.ts'
import { until } from '../support/until.ts'
import { useGate } from '../support/use-gate.ts'

const gate = useGate({ env: { SECRETS_KEYS: ringOf('k1') } })
const root = { email: 'root@acme.example' }

async function accountWithBot() {
  const account = await gate.account()
  await account.addMember({ name: 'Root', ...root, tier: 'write' })
  const { id: connection } = await connect(gate, account.client, root, 'teams_bot')
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'chat' } } })
  return {
    ...account,
    connection,
    administration: { db: gate.database.db, account: account.account, session: null },
    ask: async (email: string, text = 'Lunch.') => {
      const { body } = await account.client.propose({ email }, text)
      const confirmed = await account.client.confirm(body.id, { email })
      return { id: body.id as number, ...confirmed }
    },
  }
}
type Account = Awaited<ReturnType<typeof accountWithBot>>

const sentOf = ({ account }: Account) =>
  until('its sending is recorded', async () => {
    const rows = await gate.database.asSuperuser(
      `select provider_id from gate.consent_request where account_id = '${account}' and state = 'sent'`,
    )
    return rows.length > 0 && rows
  })

test('one bot of two accounts, and one person in both: a press counts for the request whose button it is', async () => {
  const person = randomUUID()
  const [one, other] = [await accountWithBot(), await accountWithBot()]
  for (const { addMember } of [one, other])
    await addMember({ name: 'Ada', email: 'ada@acme.example', teams: person, tier: 'guarded_write' })
  const first = await one.ask('ada@acme.example')
  const request = await askedInTeams(gate, person)
  const second = await other.ask('ada@acme.example')
  await askedInTeams(gate, person, 2)
  await pressInTeams(gate, request, { verb: 'gate_decline' })
  expect((await one.client.get(first.id)).body.status).toBe('cancelled')
  expect((await other.client.get(second.id)).body.status).toBe('proposed')
})

test('a press by the bot of another account decides nothing, and neither does one after the bot is disconnected', async () => {
  const one = await accountWithBot()
  const person = randomUUID()
  await one.addMember({ name: 'Ada', email: 'ada@acme.example', teams: person, tier: 'guarded_write' })
  const { id } = await one.ask('ada@acme.example')
  const request = await askedInTeams(gate, person)
  const other = await gate.account()
  await other.addMember({ name: 'Root', ...root, tier: 'write' })
  const link = await linkFor(other.client, root, 'teams_bot')
  const visitor = await signedInFor(gate, link.url)
  const foreign = randomUUID()
  const entered = await visitor.send(link.url, { ...goodForm.teams_bot, app_id: foreign })
  const review = await visitor.open(new URL(entered.headers.get('location')!, link.url))
  expect(review.text).toContain(`Microsoft Teams bot ${foreign} in the tenant ${ownBot.tenant}`)
  expect(review.html).not.toContain(goodForm.teams_bot.key)
  await visitor.send(
    link.url,
    Object.fromEntries(
      [...review.html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, n, v]) => [
        n!,
        v!,
      ]),
    ),
  )
  await until('it is in use', async () => (await other.client.get(link.id)).body.status === 'executed')
  const answer = await pressInTeams(gate, request, { token: { claims: { aud: foreign } } })
  expect(answer).toEqual({ status: 200, says: expect.stringContaining('by another bot') })
  const refused = (await entriesOf(gate.database, one.account, id)).filter(
    ({ kind }) => kind === 'decision_refused',
  )
  expect(refused.map(({ entry }) => [entry.data['reason'], entry.data['source']])).toEqual([
    ['other_workspace', 'teams'],
  ])
  for (const { account } of await gate.database.asSuperuser(
    `select account_id as account from gate_private.teams_bot where app_id = '${ownBot.app}'`,
  ))
    await disconnect({ db: gate.database.db, account: account as string, session: null }, 'teams_bot')
  expect((await pressInTeams(gate, request)).status).toBe(401)
  expect((await one.client.get(id)).body.status).toBe('proposed')
  expect(await verifyLedger(gate.database.db, one.account)).toMatchObject({ ok: true })
})

test('an identity that an administrator adds to a member with a mailbox counts in full a day later, and the member is told', async () => {
  const one = await accountWithBot()
  const person = randomUUID()
  const ada = await one.addMember({ name: 'Ada', email: 'ada-later@acme.example', tier: 'guarded_write' })
  await updateMember(one.administration, ada.memberId, {
    name: null,
    email: null,
    slack: null,
    teams: person,
  })
  const told = await until('Ada is told', async () =>
    gate.sandbox
      .messages(1_000)
      .find(({ to, text }) => to === 'ada-later@acme.example' && text.includes('Teams identity')),
  )
  expect(told.text).toContain(`${person[0]}…${person.slice(-2)}`)
  expect(told.text).not.toContain(person)
  const { body } = await one.ask('ada-later@acme.example')
  expect(body.consent_request).toMatchObject({ requested_via: 'email' })
  await askedByMail(gate, 'ada-later@acme.example')
  expect(teamsRequests(gate, person)).toEqual([])
  await gate.database.asSuperuser(
    `update gate.identity_change set changed_at = changed_at - interval '25 hours', set_at = set_at - interval '25 hours'
     where account_id = '${one.account}'`,
  )
  const next = await one.ask('ada-later@acme.example', 'Dinner.')
  expect(next.body.consent_request).toMatchObject({ requested_via: 'teams' })
  expect(await one.client.get(next.id)).toMatchObject({ body: { status: 'proposed' } })
})

test('a button that was sent to an identity that the member no longer has decides nothing', async () => {
  const one = await accountWithBot()
  const person = randomUUID()
  const ada = await one.addMember({
    name: 'Ada',
    email: 'ada@acme.example',
    teams: person,
    tier: 'guarded_write',
  })
  const { id } = await one.ask('ada@acme.example')
  const request = await askedInTeams(gate, person)
  await sentOf(one)
  await updateMember(one.administration, ada.memberId, {
    name: null,
    email: null,
    slack: null,
    teams: randomUUID(),
  })
  expect((await pressInTeams(gate, request)).status).toBe(200)
  expect((await one.client.get(id)).body.status).toBe('proposed')
  const reasons = (await entriesOf(gate.database, one.account, id)).map(({ entry }) => entry.data['reason'])
  expect(reasons).toContain('identity')
})

test('members are imported with their Teams identity, which is theirs alone, and erased with them', async () => {
  const one = await accountWithBot()
  const [ada, bea] = [randomUUID(), randomUUID()]
  const file = `name,email,teams\nAda,ada@acme.example,${ada.toUpperCase()}\nBea,,${bea}\n`
  expect((await importMembers(one.administration, file)).adds).toHaveLength(2)
  expect((await importMembers(one.administration, file)).existing).toHaveLength(2)
  await expect(
    importMembers(one.administration, `name,email,teams\nX,ada@acme.example,${bea}\n`),
  ).rejects.toThrow('The e-mail belongs to Ada, and the Teams object ID to Bea.')
  await expect(importMembers(one.administration, 'name,teams\nX,bea@acme.example\n')).rejects.toThrow(
    'teams must be the object ID',
  )
  const [row] = await gate.database.asSuperuser(
    `select member_id from gate.member where account_id = '${one.account}' and teams = '${ada}'`,
  )
  const change = { name: null, email: null, slack: null, teams: bea }
  await expect(updateMember(one.administration, row!['member_id'] as string, change)).rejects.toThrow(
    /teams_key|Teams/,
  )
  await eraseMember(one.administration, row!['member_id'] as string, 'asked')
  expect(
    await gate.database.asSuperuser(
      `select teams from gate.member where account_id = '${one.account}' and name = 'erased'`,
    ),
  ).toEqual([{ teams: null }])
  expect(await verifyLedger(gate.database.db, one.account)).toMatchObject({ ok: true })
})

test('a person who does not have the app is asked by e-mail when the agent confirms again', async () => {
  const one = await accountWithBot()
  const person = `dead${randomUUID().slice(4)}`
  await one.addMember({ name: 'Ada', email: 'ada-noapp@acme.example', teams: person, tier: 'guarded_write' })
  const { id, body } = await one.ask('ada-noapp@acme.example')
  expect(body.consent_request).toMatchObject({ requested_via: 'teams' })
  await until('nobody is asked', async () => !(await one.client.get(id)).body.consent_request)
  // Recorded by its name, for the administrators of the account and for the operator.
  expect(await botOf(gate.database.db, one.account)).toMatchObject({
    members: 1,
    sent: 0,
    failed: 1,
    code: 'BotNotInConversationRoster',
  })
  const seen = async (keys: KeyProvider | undefined, sandboxUrl: string) =>
    (await seeTeamsBots(gate.database.db, gate.config, { keys, sandboxUrl })).find(
      ({ account_id: account }) => account === one.account,
    )!.problem
  const keys = parseKeyRing(ringOf('k1'))
  expect(await seen(keys, gate.sandbox.url)).toBeUndefined()
  expect(await seen(undefined, gate.sandbox.url)).toMatch(/cannot be decrypted/)
  expect(await seen(keys, 'http://127.0.0.1:9')).toMatch(/^Microsoft did not answer/)
  const again = await one.client.confirm(id, { email: 'ada-noapp@acme.example' })
  expect(again.body.consent_request).toMatchObject({ requested_via: 'email' })
})

testRows<[string, Record<string, unknown>]>([
  ['a message', { type: 'message', text: 'approve', value: undefined, name: undefined }],
  ['an installation', { type: 'installationUpdate', action: 'add', name: undefined }],
  ['a change of a conversation', { type: 'conversationUpdate', name: undefined }],
  ['another call', { name: 'composeExtension/query' }],
])('%s is taken, and does nothing', async (_, activity) => {
  const one = (shared ??= await accountWithBot())
  const person = randomUUID()
  await one.addMember({
    name: person.slice(0, 8),
    email: `${person}@acme.example`,
    teams: person,
    tier: 'guarded_write',
  })
  const { id } = await one.ask(`${person}@acme.example`)
  const request = await askedInTeams(gate, person)
  expect(await pressInTeams(gate, request, { activity })).toEqual({ status: 200, says: undefined })
  expect((await one.client.get(id)).body.status).toBe('proposed')
})
let shared: Account | undefined

test('a body that is too large, no JSON, no activity, or of another type is refused', async () => {
  const serviceUrl = new URL('/teams-bot/service/', gate.sandbox.url).href
  const authorization = `Bearer ${connectorToken(gate.sandbox.connector, { app: ownBot.app, serviceUrl })}`
  const send = async (body: string, type = 'application/json') =>
    (
      await fetch(`${gate.api.url}/teams/messages`, {
        method: 'POST',
        headers: { authorization, 'content-type': type },
        body,
      })
    ).status
  await accountWithBot()
  expect(await send(JSON.stringify({ type: 'message', text: 'x'.repeat(300_000) }))).toBe(413)
  expect(await send('{')).toBe(422)
  expect(await send('[]')).toBe(422)
  expect(await send('{}', 'text/plain')).toBe(415)
  expect((await fetch(`${gate.api.url}/teams/messages`)).status).toBe(405)
})
