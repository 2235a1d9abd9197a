import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { clickBody, interact, shownOn } from '../support/consent.ts'
import { browser } from '../support/connect.ts'
import { type Service, startService, until } from '../support/supervisor.ts'
import { claimed, ended, senderTo } from './broadcasts.ts'
import { expectInvariants } from './invariants.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ isSandbox: true, hasOwnTemporal: true })
}, 300_000)
afterAll(() => service.stop(), 60_000)

/** A sender whose policy asks for a consent, and a proposal that was confirmed below it. */
async function askedFor(consent: 'chat' | 'page') {
  const sender = await senderTo(service, 4)
  const { account } = sender
  const slack = `U0ADA${account.account.slice(-6).toUpperCase()}`
  const email = `ada-${account.account.slice(-6)}@example.com`.toLowerCase()
  await account.addMember({ name: 'Ada Asked', slack, email, tier: 'guarded_write' })
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent } } })
  const actor = { email }
  const proposed = await account.api.propose(actor, `Asked of ${account.account}.`)
  const id = proposed.body.id as number
  return {
    account,
    id,
    slack,
    confirm: () => account.api.confirm(id, actor),
    messages: () => service.sandbox.messages(1_000).filter(({ to }) => to === slack || to === email),
    link: () =>
      service.sandbox
        .messages(1_000)
        .flatMap(({ to, text }) => (to === email ? (/http\S+\/decide\/[\w-]{43}/.exec(text) ?? []) : []))[0],
    token: () => {
      const blocks = service.sandbox.messages(1_000).find(({ to, blocks }) => to === slack && blocks)?.blocks
      const buttons = (blocks as { type: string; elements?: { value: string }[] }[] | undefined)?.at(-1)
      return buttons?.elements?.[0]?.value
    },
  }
}

const apiUrl = (one: { account: { api: { url: string } } }) => one.account.api.url

test('a worker that is down while a member is asked: the request goes out when it is back, once, and the decision executes', async () => {
  const one = await askedFor('page')
  await service.kill('worker')
  const asked = await one.confirm()
  expect([asked.status, asked.body.consent_request.required]).toEqual([202, 'page'])
  expect(one.messages()).toEqual([])
  await service.start('worker')
  await until('the link arrives', 60_000, async () => one.link() !== undefined)
  const page = await browser().open(one.link()!)
  const done = await browser().send(one.link()!, { does: 'confirm', shown: shownOn(page.html) })
  expect([200, 202]).toContain(done.status)
  const { row } = await ended(service, one.account.account, one.id, 120_000)
  expect([row['status'], row['consent_strength']]).toEqual(['executed', 'page'])
  expect(one.messages().filter(({ text }) => text.includes('/decide/'))).toHaveLength(1)
  await expectInvariants(service, one.account.account)
}, 300_000)

test('a worker killed with a request taken and not yet posted: the member is asked once it is back, once', async () => {
  // The worker knows its workspace by then, so it is in the conversation that it hangs.
  const before = await askedFor('chat')
  await before.confirm()
  await until('the buttons arrive', 60_000, async () => before.token() !== undefined)
  const one = await askedFor('chat')
  service.edges.provider.hold()
  await one.confirm()
  await until('the request is taken', 60_000, async () => {
    const [request] = await service.sql(
      `select state from gate.consent_request where account_id = '${one.account.account}'`,
    )
    return request?.state === 'sending'
  })
  await service.kill('worker')
  service.edges.provider.release()
  await service.start('worker')
  await until('the buttons arrive', 120_000, async () => one.token() !== undefined)
  await interact(apiUrl(one), clickBody({ token: one.token()!, user: one.slack }))
  const { row } = await ended(service, one.account.account, one.id, 120_000)
  expect([row['status'], row['consent_strength']]).toEqual(['executed', 'chat'])
  expect(one.messages().filter(({ blocks }) => blocks)).toHaveLength(1)
  await expectInvariants(service, one.account.account)
}, 240_000)

test('a worker killed between the confirm and the click: the click executes once it is back', async () => {
  const one = await askedFor('chat')
  await one.confirm()
  await until('the buttons arrive', 60_000, async () => one.token() !== undefined)
  await service.kill('worker')
  expect((await interact(apiUrl(one), clickBody({ token: one.token()!, user: one.slack }))).status).toBe(200)
  await claimed(service, one.account.account, one.id)
  await service.start('worker')
  const { row } = await ended(service, one.account.account, one.id, 120_000)
  expect([row['status'], row['consent_strength'], row['consent_channel']]).toEqual([
    'executed',
    'chat',
    'slack',
  ])
  await expectInvariants(service, one.account.account)
}, 300_000)

test('an API killed right after the claim of a click: it executes without a further call', async () => {
  const one = await askedFor('chat')
  await one.confirm()
  await until('the buttons arrive', 60_000, async () => one.token() !== undefined)
  // The claim commits, and nothing reaches Temporal.
  service.edges.temporal.hold()
  const lost = interact(apiUrl(one), clickBody({ token: one.token()!, user: one.slack })).catch(() => 'lost')
  await claimed(service, one.account.account, one.id)
  await service.kill('api')
  await lost
  service.edges.temporal.release()
  const { row } = await ended(service, one.account.account, one.id, 120_000)
  expect([row['status'], row['consent_strength']]).toEqual(['executed', 'chat'])
  await service.start('api')
  await expectInvariants(service, one.account.account)
}, 300_000)

test('an API killed right after it has asked: the member is asked all the same', async () => {
  const one = await askedFor('page')
  service.edges.temporal.hold()
  expect((await one.confirm()).status).toBe(202)
  await service.kill('api')
  service.edges.temporal.release()
  await until('the link arrives', 60_000, async () => one.link() !== undefined)
  await service.start('api')
  expect((await browser().open(one.link()!)).status).toBe(200)
}, 300_000)

test('a Temporal that has lost everything: after repair the member still decides, and is asked no second time', async () => {
  const one = await askedFor('chat')
  await one.confirm()
  await until('the buttons arrive', 60_000, async () => one.token() !== undefined)
  await service.wipeTemporal()
  await service.gate('repair')
  await interact(apiUrl(one), clickBody({ token: one.token()!, user: one.slack }))
  const { row } = await ended(service, one.account.account, one.id, 120_000)
  expect(row['status']).toBe('executed')
  expect(one.messages().filter(({ blocks }) => blocks)).toHaveLength(1)
  await expectInvariants(service, one.account.account)
}, 300_000)
