import '../support/one-realm.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { resendChannel } from '../../src/providers/resend.ts'
import { slackChannel } from '../../src/providers/slack.ts'
import * as faulty from '../support/fault-provider.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

let gate: TestGate
let provider: faulty.FaultProvider
beforeAll(async () => {
  provider = await faulty.startFaultProvider()
  gate = await startGate({
    env: { CONFIRM_WAIT_MS: '2000' },
    channels: {
      slack: slackChannel({
        token: 'xoxb-1',
        apiUrl: provider.slackApiUrl,
        timeoutMs: 2_000,
        reconcileDelayMs: 200,
      }),
      email: resendChannel({
        apiKey: 're_1',
        baseUrl: provider.resendBaseUrl,
        from: 'Gate <gate@gate.example>',
        timeoutMs: 2_000,
      }),
    },
  })
}, 60_000)
afterAll(async () => {
  await gate.stop()
  await provider.stop()
})
beforeEach(() => {
  provider.requests.length = 0
  provider.slackMessages.length = 0
  provider.emails.length = 0
  provider.deliveries.clear()
})
afterEach(() => void (provider.faultFor = () => undefined))

let people = 0
async function asked(consent: 'chat' | 'page', address: (n: number) => { email?: string; slack?: string }) {
  const account = await gate.account()
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent } } })
  const ada = await account.addMember({ name: 'Ada', ...address(++people), tier: 'guarded_write' })
  const actor = ada.email === null ? { provider: 'slack', external_id: ada.slack } : { email: ada.email }
  const { body } = await account.client.propose(actor, 'Lunch is at noon.')
  const answer = await account.client.confirm(body.id, actor)
  return {
    ...account,
    actor,
    answer,
    row: async () => (await account.client.get(body.id)).body,
    state: (wanted?: string) =>
      until(`a request is ${wanted}`, async () => {
        const [request] = await gate.database.asSuperuser(
          `select state, code, token, message from gate.consent_request where account_id = '${account.account}' order by n desc limit 1`,
        )
        return request && (wanted === undefined || request['state'] === wanted) && request
      }),
  }
}
const inSlack = (n: number) => ({ slack: `U0000${n}` })
const byMail = (n: number) => ({ email: `ada${n}@example.com` })

test('a message of unknown fate is looked for, found, and not sent again', async () => {
  provider.failNext('chat.postMessage', faulty.workThenDrop)
  const { state } = await asked('chat', inSlack)
  expect(await state('sent')).toMatchObject({ token: null, message: null })
  expect([...provider.deliveries.values()]).toEqual([1])
  expect(provider.requests.filter(({ call }) => call === 'conversations.history')).toHaveLength(1)
})

test('a message that is not found stays unknown and is never sent again blindly', async () => {
  provider.failNext('chat.postMessage', faulty.drop)
  const { state, row } = await asked('chat', inSlack)
  expect(await state('unknown')).toMatchObject({ code: 'not_in_history', token: null, message: null })
  expect(provider.requests.filter(({ call }) => call === 'chat.postMessage')).toHaveLength(1)
  expect((await row()).consent_request).toBeDefined()
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
  const down = faulty.answer(503, 'down')
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
  const down = faulty.answer(503, 'down')
  provider.faultFor = ({ call }) => (call === 'emails/batch' ? down : undefined)
  const one = await asked('page', (n) => ({ email: `moved${n}@example.com` }))
  await until('it was tried', async () => provider.requests.length >= 1)
  await gate.database.asSuperuser(
    `update gate.member set email = 'new-' || email, version = version + 1 where account_id = '${one.account}'`,
  )
  provider.faultFor = () => undefined
  await one.state('withdrawn')
  expect(provider.emails).toEqual([])
  expect((await one.row()).consent_request).toBeUndefined()
})

test('a cancel does not wait for a provider that is down, and then nobody is asked any more', async () => {
  provider.faultFor = () => faulty.answer(503, 'down')
  const { client, actor, answer, state } = await asked('page', byMail)
  await until('it was tried', async () => provider.requests.length >= 1)
  expect((await client.cancel(answer.body.id, actor)).body.status).toBe('cancelled')
  const request = await state()
  expect(['withdrawn', 'unknown']).toContain(request['state'])
  expect(request).toMatchObject({ token: null, message: null })
  provider.faultFor = () => undefined
  expect(provider.emails).toHaveLength(0)
})

test('of a request that a provider refuses, the row says no longer that the member is being asked, and a confirm asks anew', async () => {
  provider.failNext('conversations.open', faulty.answer(200, { ok: false, error: 'user_not_found' }))
  const { client, actor, answer, row, state } = await asked('chat', inSlack)
  expect(await state('failed')).toMatchObject({ code: 'user_not_found', token: null })
  await until('the row says so', async () => !(await row()).consent_request)
  const again = await client.confirm(answer.body.id, actor)
  expect([again.status, again.body.consent_request.requested_via]).toEqual([202, 'slack'])
  await state('sent')
  expect(provider.slackMessages).toHaveLength(1)
})
