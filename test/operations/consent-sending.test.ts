import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { cardHash } from '../../src/consent/card.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { cardOfRow } from '../../src/operations/consent/card-of-row.ts'
import type { DeliveryChannel } from '../../src/providers/ports.ts'
import { resendChannel } from '../../src/providers/resend/channel.ts'
import { slackChannel } from '../../src/providers/slack/channel.ts'
import { clickBody, interact } from '../support/consent.ts'
import { resendError } from '../support/fault-apis.ts'
import * as faulty from '../support/fault-provider.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'
import { consentTokenHash } from '../../src/keys/link-token.ts'

/** Nothing here is slow: a fault ends its connection, and a busy machine is given its time. */
const timeoutMs = 60_000

interface Channels {
  slack?: DeliveryChannel
  email: DeliveryChannel
}

let gate: TestGate
/** A provider for each test: what is said later about the action of another test meets no fault of this one, nor is it counted. */
let provider: faulty.FaultProvider
let channels: Channels
const providers: faulty.FaultProvider[] = []
const channelsOf = new Map<string, Channels>()
beforeAll(async () => {
  gate = await startGate({ channels: {} })
  gate.deps.channelsOf = async (account) => ({ ...channelsOf.get(account) })
}, 60_000)
afterAll(async () => {
  await gate.stop()
  await Promise.all(providers.map((one) => one.stop()))
})
beforeEach(async () => {
  provider = await faulty.startFaultProvider()
  providers.push(provider)
  channels = { slack: newSlack(), email: newEmail() }
  gate.deps.ownEmail = channels.email
})

/** It knows neither its workspace nor a conversation. */
const newSlack = () =>
  slackChannel({
    token: 'xoxb-1',
    apiUrl: provider.slackApiUrl,
    timeoutMs,
    reconcileDelayMs: 200,
  })

const newEmail = () =>
  resendChannel({
    apiKey: 're_1',
    baseUrl: provider.resendBaseUrl,
    from: 'Gate <gate@gate.example>',
    timeoutMs,
  })

let people = 0
async function asked(consent: 'chat' | 'page', address: (n: number) => { email?: string; slack?: string }) {
  const account = await gate.account()
  channelsOf.set(account.account, channels)
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent } } })
  const ada = await account.addMember({ name: 'Ada', ...address(++people), tier: 'guarded_write' })
  const actor = ada.email === null ? { provider: 'slack', external_id: ada.slack } : { email: ada.email }
  const { body } = await account.client.propose(actor, 'Lunch is at noon.')
  const answer = await account.client.confirm(body.id, actor)
  const requests = () =>
    gate.database.asSuperuser(
      `select n, via, is_reminder, state, code, token, message, card from gate.consent_request
       where account_id = '${account.account}' order by n`,
    )
  return {
    ...account,
    id: body.id as number,
    ada,
    actor,
    answer,
    requests,
    row: async () => (await account.client.get(body.id)).body,
    state: (wanted?: string) =>
      until(`a request is ${wanted}`, async () => {
        const request = (await requests()).at(-1)
        return request && (wanted === undefined || request['state'] === wanted) && request
      }),
    /** Makes it look as if it had been asked that long ago. */
    age: (hours: number) =>
      gate.database.asSuperuser(
        `update gate.consent_request set created_at = created_at - interval '${hours} hours' where account_id = '${account.account}'`,
      ),
  }
}
const inSlack = (n: number) => ({ slack: `U0000${n}` })
const byMail = (n: number) => ({ email: `ada${n}@example.com` })
const byBoth = (n: number) => ({ ...inSlack(n), ...byMail(n) })

const callsOf = (name: string) => provider.requests.filter(({ call }) => call === name)
const down = faulty.answer(503, 'down')
/** Whatever is asked of Slack. */
const slackFails = (fault: faulty.Fault) => {
  provider.faultFor = ({ call }) => (call === 'emails/batch' ? undefined : fault)
}

test('a message of unknown fate is looked for, found, and not sent again', async () => {
  provider.failNext('chat.postMessage', faulty.workThenDrop)
  const { state } = await asked('chat', inSlack)
  expect(await state('sent')).toMatchObject({ token: null, message: null })
  expect([...provider.deliveries.values()]).toEqual([1])
  expect(callsOf('conversations.history')).toHaveLength(1)
})

test('a message that the whole history shows was never posted is sent again, and what is kept of it is what was posted', async () => {
  provider.failNext('chat.postMessage', faulty.drop)
  provider.failNext('conversations.history', down)
  const { account, id, ada, state } = await asked('chat', inSlack)
  await until('it was looked for', async () => callsOf('conversations.history').length === 1)
  // The card that was frozen first differs from the one that is made now.
  await gate.database.asSuperuser(`update gate.member set name = 'Ada Byron' where account_id = '${account}'`)
  const { card } = await state('sent')
  const posts = callsOf('chat.postMessage')
  expect([posts.length, provider.slackMessages.length]).toEqual([2, 1])
  const { blocks } = posts.at(-1)!.form
  expect(blocks).toContain('Ada Byron')
  const row = await readAction(gate.database.db, account, id)
  expect(card).toEqual(cardHash(await cardOfRow(gate.deps, row!)))
  const token = /"value":"([\w-]{43})"/.exec(blocks!)![1]!
  const [known] = await gate.database.asSuperuser(
    `select n from gate_private.consent_token where token = '\\x${consentTokenHash('slack', token).toString('hex')}' and account_id = '${account}'`,
  )
  expect([known?.['n'], ada.slack]).toEqual([1, callsOf('conversations.open')[0]!.form['users']])
})

test('a message that was perhaps posted is not sent again while its history cannot be read; then it stays unknown', async () => {
  provider.failNext('chat.postMessage', faulty.drop)
  provider.faultFor = ({ call }) => (call === 'conversations.history' ? down : undefined)
  const { state, row, age } = await asked('chat', inSlack)
  await until('it was looked for twice', async () => callsOf('conversations.history').length >= 2)
  expect(await state()).toMatchObject({ state: 'sending' })
  await age(7)
  expect(await state('unknown')).toMatchObject({ code: 'http_503', token: null, message: null })
  expect(callsOf('chat.postMessage')).toHaveLength(1)
  expect((await row()).consent_request).toBeDefined()
})

test('a message that was perhaps posted is not sent again where its history is too long to be looked through', async () => {
  provider.failNext('chat.postMessage', faulty.drop)
  const later = (Date.now() / 1_000 + 60).toFixed(0)
  const talk = Array.from({ length: 200 }, (_, n) => ({
    channel: `D${inSlack(people + 1).slack}`,
    ts: `${later}.${String(n).padStart(6, '0')}`,
    text: 'Talk.',
    metadata: {},
  }))
  provider.slackMessages.push(...talk)
  const { state } = await asked('chat', inSlack)
  expect(await state('unknown')).toMatchObject({ code: 'history_too_long' })
  expect(callsOf('chat.postMessage')).toHaveLength(1)
})

/** Posted, but its answer was lost and its history cannot be read: it stays `sending`. */
async function perhapsPosted() {
  provider.failNext('chat.postMessage', faulty.workThenDrop)
  provider.faultFor = ({ call }) => (call === 'conversations.history' ? down : undefined)
  const one = await asked('chat', inSlack)
  await until('it was looked for', async () => callsOf('conversations.history').length >= 1)
  return {
    ...one,
    press: () => {
      const [, token] = /"value":"([\w-]{43})"/.exec(callsOf('chat.postMessage')[0]!.form['blocks']!)!
      return interact(gate.api.url, clickBody({ token: token!, user: one.ada.slack!, team: 'TFAULT' }))
    },
  }
}

test.each<[string, string, (one: Awaited<ReturnType<typeof perhapsPosted>>) => Promise<unknown>]>([
  ['whose Slack is gone', 'channel_not_configured', async () => delete channels.slack],
  [
    'whose Slack was not reached for hours',
    'unreachable',
    async ({ age }) => {
      slackFails(down)
      channels.slack = newSlack()
      await age(7)
    },
  ],
])(
  'a message that was perhaps posted, %s, is unknown: the row still shows it, and its button still decides',
  async (_, code, lose) => {
    const one = await perhapsPosted()
    await lose(one)
    expect(await one.state('unknown')).toMatchObject({ code, token: null, message: null })
    expect((await one.row()).consent_request).toMatchObject({ requested_via: 'slack' })
    provider.faultFor = () => undefined
    expect((await one.press()).status).toBe(200)
    await until('it is executed', async () => (await one.row()).status === 'executed')
    expect((await one.row()).consent).toMatchObject({ strength: 'chat', channel: 'slack' })
  },
)

test('a message that was perhaps posted when its account was suspended is unknown, and its button decides once it is resumed', async () => {
  const one = await perhapsPosted()
  await one.suspend(true)
  await one.state('unknown')
  expect((await one.row()).consent_request).toMatchObject({ requested_via: 'slack' })
  await one.suspend(false)
  expect((await one.press()).status).toBe(200)
  await until('it is executed', async () => (await one.row()).status === 'executed')
})

test('a message that was perhaps posted can still be cancelled, and its button then decides nothing', async () => {
  const one = await perhapsPosted()
  delete channels.slack
  await one.state('unknown')
  expect((await one.client.cancel(one.id, one.actor)).body.status).toBe('cancelled')
  await one.press()
  expect(await one.row()).toMatchObject({ status: 'cancelled', closed_reason: 'proposer' })
})

test('a request whose channel is gone before it was sent has failed: nobody is asked', async () => {
  delete channels.slack
  provider.faultFor = ({ call }) => (call === 'auth.test' ? down : undefined)
  channels.slack = newSlack()
  const one = await asked('chat', inSlack)
  await until('it was tried', async () => callsOf('auth.test').length >= 1)
  delete channels.slack
  expect(await one.state('failed')).toMatchObject({ code: 'channel_not_configured' })
  await until('the row says so', async () => !(await one.row()).consent_request)
})

test('a message that is not taken for hours, certainly never posted, is given up: the row says no longer that they are asked', async () => {
  provider.faultFor = ({ call }) => (call === 'chat.postMessage' ? down : undefined)
  const { state, row, age } = await asked('chat', inSlack)
  await until('it was sent again', async () => callsOf('chat.postMessage').length >= 2)
  await age(7)
  expect(await state('failed')).toMatchObject({ code: 'not_in_history', token: null })
  await until('the row says so', async () => !(await row()).consent_request)
  expect(provider.slackMessages).toEqual([])
})

test('a request that is stuck in Slack keeps back neither a later one by e-mail nor the reminder of that', async () => {
  slackFails(down)
  const one = await asked('chat', byBoth)
  await until('Slack was tried', async () => provider.requests.length >= 1)
  await one.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'page' } } })
  const again = await one.client.confirm(one.id, one.actor)
  expect(again.body.consent_request).toMatchObject({ required: 'page', requested_via: 'email' })
  await one.state('sent')
  expect(provider.emails).toHaveLength(1)
  await gate.database.asSuperuser(
    `update gate.action set asked_at = asked_at - interval '5 days' where account_id = '${one.account}'`,
  )
  const sent = () =>
    one.requests().then((all) => all.map(({ via, is_reminder, state }) => [via, is_reminder, state]))
  await until('they are reminded', async () => provider.emails.length === 2)
  await one.state('sent')
  expect((await sent()).slice(1)).toEqual([
    ['email', false, 'sent'],
    ['email', true, 'sent'],
  ])
  expect(['pending', 'sending']).toContain((await sent())[0]![2])
  provider.faultFor = () => undefined
  await until('Slack has it too', async () => (await sent())[0]![2] === 'sent')
})

test.each(['token_revoked', 'invalid_auth', 'account_inactive'])(
  'a Slack that refuses the token (%s) is not one that is down: the row says at once that nobody is asked',
  async (error) => {
    slackFails(faulty.answer(200, { ok: false, error }))
    const { row, state } = await asked('chat', inSlack)
    expect(await state('failed')).toMatchObject({ code: error, token: null })
    await until('the row says so', async () => !(await row()).consent_request)
    expect(callsOf('auth.test')).toHaveLength(1)
  },
)

test.each(['daily_quota_exceeded', 'monthly_quota_exceeded'])(
  'an e-mail beyond the quota (%s) is tried again, and goes out once there is room',
  async (name) => {
    const full = faulty.answer(429, resendError(429, name).body as object)
    provider.failNext('emails/batch', full, full)
    const { row, state } = await asked('page', byMail)
    await until('it was refused', async () => callsOf('emails/batch').length >= 1)
    expect((await row()).consent_request).toMatchObject({ required: 'page' })
    await state('sent')
    expect([callsOf('emails/batch').length, provider.emails.length]).toEqual([3, 1])
  },
)

test('an e-mail beyond the quota is given up in the end', async () => {
  const full = faulty.answer(429, resendError(429, 'daily_quota_exceeded').body as object)
  provider.faultFor = () => full
  const { row, state, age } = await asked('page', byMail)
  await until('it was refused', async () => callsOf('emails/batch').length >= 1)
  await age(7)
  expect(await state('failed')).toMatchObject({ code: 'daily_quota_exceeded' })
  await until('the row says so', async () => !(await row()).consent_request)
})

test('a history that cannot be read is read again: what it would have shown is still found', async () => {
  provider.failNext('chat.postMessage', faulty.workThenDrop)
  provider.failNext('conversations.history', faulty.drop)
  const { state } = await asked('chat', inSlack)
  await state('sent')
  expect([...provider.deliveries.values()]).toEqual([1])
})

test('an e-mail of unknown fate is sent again under its key, and arrives once', async () => {
  provider.failNext('emails/batch', faulty.workThenDrop, faulty.drop)
  const { state } = await asked('page', byMail)
  await state('sent')
  const sent = provider.requests.filter(({ call }) => call === 'emails/batch')
  expect(sent).toHaveLength(3)
  expect(
    new Set(sent.map(({ headers, json }) => JSON.stringify([headers['idempotency-key'], json]))).size,
  ).toBe(1)
  expect(provider.emails).toHaveLength(1)
})

test('a provider that is down is tried again until it is back, while a decision is waited for', async () => {
  provider.faultFor = ({ call }) => (call === 'auth.test' || call === 'emails/batch' ? down : undefined)
  const { state, answer, row } = await asked('page', byMail)
  expect([answer.status, answer.body.consent_request.required]).toEqual([202, 'page'])
  await until('it was tried twice', async () => provider.requests.length >= 2)
  expect((await row()).status).toBe('proposed')
  provider.faultFor = () => undefined
  await state('sent')
  expect(provider.emails).toHaveLength(1)
})

test('a request that was not out yet when its member got another mailbox goes to nobody, and the row says so', async () => {
  provider.faultFor = ({ call }) => (call === 'emails/batch' ? down : undefined)
  const one = await asked('page', (n) => ({ email: `moved${n}@example.com` }))
  await until('it was tried', async () => provider.requests.length >= 1)
  await gate.database.asSuperuser(
    `update gate.member set email = 'new-' || email, version = version + 1 where account_id = '${one.account}'`,
  )
  provider.faultFor = () => undefined
  // The answer of the provider did not tell whether it was taken.
  await one.state('unknown')
  // The old mailbox is told of the change, and of nothing to decide.
  expect(provider.emails.filter((mail) => /\/decide\//.test(JSON.stringify(mail)))).toEqual([])
  expect((await one.row()).consent_request).toBeUndefined()
})

test('a cancel does not wait for a provider that is down, and then nobody is asked any more', async () => {
  provider.faultFor = () => down
  const { client, actor, answer, state } = await asked('page', byMail)
  await until('it was tried', async () => provider.requests.length >= 1)
  expect((await client.cancel(answer.body.id, actor)).body.status).toBe('cancelled')
  const request = await state()
  expect(['withdrawn', 'unknown']).toContain(request['state'])
  expect(request).toMatchObject({ token: null, message: null })
  provider.faultFor = () => undefined
  expect(provider.emails).toHaveLength(0)
})

test('an action whose request a provider refuses no longer has a consent request, and a confirm sends a new one', async () => {
  provider.failNext('conversations.open', faulty.answer(200, { ok: false, error: 'user_not_found' }))
  const { client, actor, answer, row, state } = await asked('chat', inSlack)
  expect(await state('failed')).toMatchObject({ code: 'user_not_found', token: null })
  await until('the row says so', async () => !(await row()).consent_request)
  const again = await client.confirm(answer.body.id, actor)
  expect([again.status, again.body.consent_request.requested_via]).toEqual([202, 'slack'])
  await state('sent')
  expect(provider.slackMessages).toHaveLength(1)
})
