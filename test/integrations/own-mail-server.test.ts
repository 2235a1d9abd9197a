import { isIP } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { askToConnect, bring, connectBy, goodForm, linkFor, ringOf, signedInFor } from '../support/connect.ts'
import type { ApiClient } from '../support/api-client.ts'
import { visitor } from '../support/console.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { ofAnother } from '../support/mail-certificates.ts'
import { type MailServer, ownMail, password, startMailServer } from '../support/mail-server.ts'
import { until } from '../support/until.ts'

const host = 'mail.elsewhere.example'
/** Ports of mail are few: on Linux, a run has addresses of its own. */
const ofRun = `${(process.pid >> 8) & 255}.${process.pid & 255}`
const [loopback, forbidden] =
  process.platform === 'linux' ? [`127.77.${ofRun}`, `127.78.${ofRun}`] : ['127.0.0.1', '::1']
const form = { ...goodForm.smtp, server: `${host}:2525`, user: 'gate', key: password }

let resolvesTo = loopback
let services: MailServer
let accounts: MailServer
/** As good a server, at an address that may not be reached. */
let trap: MailServer
let gate: TestGate
beforeAll(async () => {
  services = await startMailServer('off')
  accounts = await startMailServer('starttls', {
    ...ofAnother,
    listens: { host: loopback, port: 2525 },
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith('refused') ? done(Object.assign(new Error('gone'), { responseCode: 550 })) : done(),
    onTaken: (breakConnection) => accounts.mails.at(-1)!.to[0]!.startsWith('lost') && breakConnection(),
  })
  trap = await startMailServer('starttls', { ...ofAnother, listens: { host: forbidden, port: 2525 } })
  gate = await startGate({
    env: { SECRETS_KEYS: ringOf('k1'), ...ownMail(services) },
    network: {
      allowed: [loopback],
      resolve: async () => [{ address: resolvesTo, family: isIP(resolvesTo) as 4 | 6 }],
      ca: ofAnother.cert,
    },
  })
})
afterAll(async () => {
  await gate.stop()
  await services.stop()
  await accounts.stop()
  await trap.stop()
})

const sentTo = ({ mails }: MailServer) => mails.map(({ to }) => to[0]!).toSorted()

async function accountOf(...addresses: string[]) {
  const account = await gate.account()
  for (const email of addresses) await account.addMember({ name: email, email, tier: 'write' })
  const actor = { email: addresses[0]! }
  return {
    ...account,
    actor,
    async connect() {
      resolvesTo = loopback
      const { url, id } = await linkFor(account.client, actor, 'smtp')
      await connectBy(await signedInFor(gate, url), url, form)
      await until('it is in use', async () => (await account.client.get(id)).body.status === 'executed')
    },
  }
}

/** Confirms a broadcast, and answers its result. */
async function sent(client: ApiClient, actor: unknown, message: string) {
  const { body } = await client.propose(actor, message)
  await client.confirm(body.id, actor)
  return until('it ends', async () => {
    const row = (await client.get(body.id)).body
    return row.status === 'executed' && row.result
  })
}

test("broadcasts go by the account's mail server with three outcomes, and the service's own mail never does", async () => {
  const { client, actor, connect, setPolicy } = await accountOf(
    'ada@acme.example',
    'refused@acme.example',
    'lost@acme.example',
  )
  await connect()
  expect([accounts.connected, accounts.mails]).toEqual([1, []])

  const result = await sent(client, actor, 'Lunch is at noon.')
  expect(result).toMatchObject({
    outcome: 'partial',
    email: 1,
    failed: { email: 1 },
    unknown: { email: 1 },
  })
  expect(sentTo(accounts)).toEqual(['ada@acme.example', 'lost@acme.example'])
  expect(accounts.mails[0]).toMatchObject({ from: 'hello@acme.example', user: 'gate', isSecure: true })
  expect(services.mails.filter(({ raw }) => raw.includes('Lunch'))).toEqual([])

  await setPolicy({ kinds: { broadcast: { consent: 'page' } } })
  const asked = await client.propose(actor, 'Dinner is at eight.')
  await client.confirm(asked.body.id, actor)
  await visitor(gate).send('/console/sign-in', { email: 'ada@acme.example' })
  const own = await until('both mails of the service', async () => {
    const raws = services.mails.map(({ raw }) => raw.replaceAll('=\r\n', ''))
    return (
      raws.some((raw) => raw.includes('/decide/')) && raws.some((raw) => raw.includes('/sign-in/')) && raws
    )
  })
  expect(own.every((raw) => raw.includes('gate@service.example'))).toBe(true)
  expect(accounts.mails).toHaveLength(2)
})

test('a name that leads elsewhere later gets nothing, and the server of the service does not stand in', async () => {
  const { client, actor, connect } = await accountOf('cy@acme.example', 'di@acme.example')
  await connect()
  const [before, own] = [accounts.connected, services.mails.length]
  resolvesTo = forbidden
  const result = await sent(client, actor, 'Supper is at ten.')
  expect(result).toMatchObject({ outcome: 'refused', email: 0, failed: { email: 2 } })
  expect([accounts.connected, trap.connected, services.mails.length]).toEqual([before, 0, own])
})

test.each([
  ['10.0.0.7', form, 'address_refused'],
  ['169.254.169.254', form, 'address_refused'],
  [forbidden, form, 'address_refused'],
  [loopback, { ...form, key: 'wrong' }, 'login_refused'],
])(
  'a server at %s that cannot be used is not connected, in words without the password',
  async (at, given, code) => {
    const { client, actor } = await accountOf('bo@acme.example')
    resolvesTo = at
    const { body } = await askToConnect(client, actor, 'smtp')
    const page = await bring(await signedInFor(gate, body.connect_url), body.connect_url, given)
    expect([page.status, page.text]).toEqual([422, expect.stringContaining(code)])
    expect(page.html).not.toContain(given.key)
    expect(trap.connected).toBe(0)
  },
)
