import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import type { ApiClient } from '../support/api-client.ts'
import { browser, connectBy, linkFor, ringOf, signedInFor } from '../support/connect.ts'
import { formOf } from '../support/form-of.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { ofAnother } from '../support/mail-certificates.ts'
import { type MailServer, ownMail, startMailServer } from '../support/mail-server.ts'
import { until } from '../support/until.ts'
import { type WorkflowAnswer, startWorkflowServer } from '../support/workflow-server.ts'

const ada = { email: 'ada@acme.example' }

let mail: MailServer
let workflow: Awaited<ReturnType<typeof startWorkflowServer>>
let gate: TestGate
let answer: WorkflowAnswer = { status: 202 }
beforeAll(async () => {
  mail = await startMailServer('off')
  workflow = await startWorkflowServer(() => answer, ofAnother)
  gate = await startGate({
    env: { SECRETS_KEYS: ringOf('k1'), ...ownMail(mail) },
    network: {
      allowed: ['127.0.0.1'],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      ca: ofAnother.cert,
    },
  })
})
afterAll(async () => {
  await gate.stop()
  await Promise.all([mail.stop(), workflow.stop()])
})

async function accountOfAda() {
  const account = await gate.account()
  await account.addMember({ name: 'Ada', ...ada, tier: 'write' })
  return {
    ...account,
    async connect(room: string) {
      const { url, id } = await linkFor(account.client, ada, 'teams')
      const key = `https://mail.elsewhere.example:${workflow.port}/workflows/${room}?sig=Hush`
      const page = await connectBy(await signedInFor(gate, url), url, { key, room })
      expect(page.html).not.toContain('Hush')
      await until('it is in use', async () => (await account.client.get(id)).body.status === 'executed')
    },
  }
}

const ended = (client: ApiClient, id: number) =>
  until('it ends', async () => {
    const { body } = await client.get(id)
    return body.status === 'executed' && body
  })

async function sent(client: ApiClient, message: string) {
  answer = { status: 202 }
  const { body } = await client.propose(ada, message)
  await client.confirm(body.id, ada)
  return { proposed: body, ...(await ended(client, body.id)) }
}

test('a broadcast is posted in the room once, beside the mails, and its outcome has three values', async () => {
  const { account, client, connect } = await accountOfAda()
  const before = await sent(client, 'Nobody in Teams.')
  expect([before.proposed.blast_radius, before.result]).toEqual([
    { slack: 0, email: 1, unreachable: 0 },
    expect.not.objectContaining({ teams: expect.anything() }),
  ])
  expect(workflow.posts).toEqual([])

  await connect('A')
  expect(workflow.posts).toEqual([])
  const { proposed, result } = await sent(client, 'Lunch is at noon.')
  expect(proposed.blast_radius).toEqual({ slack: 0, email: 1, unreachable: 0, teams: 1 })
  expect(result).toMatchObject({
    outcome: 'done',
    email: 1,
    teams: 1,
    failed: { teams: 0 },
    unknown: { teams: 0 },
  })
  expect([workflow.paths, workflow.actions]).toEqual([['/workflows/A?sig=Hush'], [String(proposed.id)]])
  expect(JSON.stringify(workflow.posts)).toContain('Lunch is at noon.')

  const { body } = await client.propose(ada, 'Dinner is at eight.')
  answer = 'closes'
  await client.confirm(body.id, ada)
  expect((await ended(client, body.id)).result).toMatchObject({
    outcome: 'partial',
    email: 1,
    teams: 0,
    unknown: { teams: 1 },
  })
  const refused = await client.propose(ada, 'Supper is at ten.')
  answer = { status: 404, bytes: 10_000_000 }
  await client.confirm(refused.body.id, ada)
  expect((await ended(client, refused.body.id)).result).toMatchObject({
    outcome: 'partial',
    failed: { teams: 1 },
  })
  expect(workflow.posts).toHaveLength(3)
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
})

test('a member who consented to one room has nothing posted in another', async () => {
  const { account, client, connect } = await accountOfAda()
  await connect('A')
  const { body } = await client.propose(ada, 'For room A.')
  await connect('B')
  const posts = workflow.posts.length
  answer = { status: 202 }
  await client.confirm(body.id, ada)
  expect((await ended(client, body.id)).result).toMatchObject({
    outcome: 'partial',
    email: 1,
    failed: { teams: 1 },
  })
  expect(workflow.posts).toHaveLength(posts)
  const { proposed } = await sent(client, 'For room A.')
  expect(proposed.recipients_digest).not.toBe(body.recipients_digest)
  expect(workflow.paths.at(-1)).toBe('/workflows/B?sig=Hush')
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
})

test('the card says that it is posted, and a member can leave the room out', async () => {
  const { account, client, connect, setPolicy } = await accountOfAda()
  await connect('A')
  await setPolicy({ kinds: { broadcast: { consent: 'page' } } })
  const posts = workflow.posts.length
  const { body } = await client.propose(ada, 'Doors open at eight.')
  await client.confirm(body.id, ada)
  const asked = await until('she is asked', async () => {
    const raws = mail.mails.map(({ raw }) => raw.replaceAll('=\r\n', '').replaceAll('=3D', '='))
    return raws.find((raw) => raw.includes('Doors open'))
  })
  expect(asked.replaceAll(/\s+/g, ' ')).toContain('1 post in Microsoft Teams')
  const link = /https?:\/\/\S+\/decide\/[\w-]{43}/.exec(asked)![0]
  const page = await browser().open(link)
  expect(page.html).toContain('only by e-mail')
  expect(page.html).not.toContain('only in Slack')
  const fields = { ...formOf(page.html), 'change.recipients': 'only by e-mail' }
  const review = await browser().send(link, { ...fields, does: 'edit' })
  expect(review.text).toContain('Recipients, which were 0 in Slack, 1 by e-mail, 1 post in Microsoft Teams')
  await browser().send(link, { ...formOf(review.html), does: 'confirm' })
  const row = await ended(client, body.id)
  expect(row.blast_radius).toEqual({ slack: 0, email: 1, unreachable: 0 })
  expect(row.edited_by_member.changes).toEqual([
    { field: 'blast_radius', from: { slack: 0, email: 1, teams: 1 }, to: { slack: 0, email: 1, teams: 0 } },
  ])
  expect(workflow.posts).toHaveLength(posts)
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
})
