import { setMaxListeners } from 'node:events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '../support/until.ts'
import { clearEvents } from '../../src/db/queries/events/deliveries.ts'
import { inviteAdmin } from '../../src/operations/admins/invite-admin.ts'
import { listDeliveries, replayEvents, testEndpoint } from '../../src/operations/events/deliveries.ts'
import { readEndpoint, removeEndpoint, turnEndpoint } from '../../src/operations/events/endpoints.ts'
import { clearOldEvents, sendEvent, takeDue } from '../../src/operations/events/send-events.ts'
import { diagnose } from '../../src/operations/maintenance/diagnose.ts'
import { signedInAdmin } from '../support/console.ts'
import { testRows } from '../support/rows.ts'
import { shorten } from '../support/shorten.ts'
import { type EventScene, type Receiver, answering, eventScene, pass, taken } from './scene.ts'

let scene: EventScene
beforeAll(async () => {
  scene = await eventScene()
}, 60_000)
afterAll(() => scene.stop())

const day = 86_400_000
const stop = new AbortController().signal
setMaxListeners(0, stop)

const idsOf = ({ server }: Receiver) => server.received.map(({ headers }) => headers['webhook-id'])

test('a worker that is lost between sending and recording leaves one event, sent twice under one id', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account)
  await account.client.propose(account.actor, 'One')
  const [event] = await takeDue(scene.gate.deps, 100)
  // The process dies after the receiver answered: nothing is recorded.
  const dead = {
    ...scene.gate.deps,
    db: { ...scene.gate.deps.db, run: () => Promise.reject(new Error('dead')) },
  }
  await sendEvent(dead, event!, stop)
  expect(await scene.deliver()).toBe(0)
  await pass(scene.gate, 31_000)
  expect(await scene.deliver()).toBe(1)
  expect(idsOf(receiver)).toEqual([event!.event_id, event!.event_id])
  expect(await scene.log(account, receiver)).toMatchObject([{ state: 'delivered', attempts: 2, status: 204 }])
  expect(await scene.deliver()).toBe(0)
})

test('two workers never send one event at the same time, and give an endpoint at most four', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { types: ['action.proposed'] })
  for (let n = 0; n < 10; n++) await account.client.propose(account.actor, `No. ${n}`)
  const taken = await Promise.all(Array.from({ length: 6 }, () => takeDue(scene.gate.deps, 100)))
  const ids = taken.flat().map(({ event_id: id }) => id)
  expect(ids).toHaveLength(4)
  expect(new Set(ids).size).toBe(4)
  await Promise.all(taken.flat().map((event) => sendEvent(scene.gate.deps, event, stop)))
  await scene.deliver()
  expect(new Set(idsOf(receiver)).size).toBe(10)
  expect(receiver.server.received).toHaveLength(10)
})

test('events of one action arrive in their order, and wait for one that fails; other actions do not', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { types: ['action.proposed', 'action.cancelled'] })
  let isFailing = true
  receiver.answers((request, response, n) =>
    isFailing && request.body.includes('"action":1')
      ? answering(500)(request, response, n)
      : taken(request, response, n),
  )
  const { client, actor } = account
  for (const message of ['One', 'Two']) {
    const { id } = (await client.propose(actor, message)).body
    await client.cancel(id, actor)
  }
  await scene.deliver()
  const seen = () => receiver.told().map(({ type, data }) => `${type} ${data.action}`)
  expect(seen().filter((one) => one.endsWith('1'))).toEqual(['action.proposed 1'])
  expect(seen().filter((one) => one.endsWith('2'))).toEqual(['action.proposed 2', 'action.cancelled 2'])
  isFailing = false
  receiver.server.received.length = 0
  await pass(scene.gate, 6_000)
  await scene.deliver()
  expect(seen()).toEqual(['action.proposed 1', 'action.cancelled 1'])
})

test('an event is tried ten times in 75 hours, then given up; the next one of its action goes on', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, {
    types: ['action.proposed', 'action.cancelled'],
    answer: answering(500),
  })
  const { client, actor } = account
  const { id } = (await client.propose(actor, 'One')).body
  await client.cancel(id, actor)
  const waits: number[] = []
  for (let n = 1; n < 10; n++) {
    await scene.deliver()
    const [, first] = await scene.log(account, receiver)
    expect(first).toMatchObject({ type: 'action.proposed', state: 'waiting', attempts: n, status: 500 })
    waits.push(first!.due_at.getTime() - first!.attempted_at!.getTime())
    await pass(scene.gate, waits.at(-1)! + 1_000)
  }
  const planned = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  planned.forEach((seconds, n) => {
    expect(Math.abs(waits[n]! / 1_000 - seconds)).toBeLessThan(seconds * 0.1 + 1)
  })
  receiver.answers(taken)
  receiver.answers((request, response, n) =>
    (request.body.includes('proposed') ? answering(500) : taken)(request, response, n),
  )
  await scene.deliver()
  expect((await scene.log(account, receiver)).map(({ type, state }) => [type, state])).toEqual([
    ['action.cancelled', 'delivered'],
    ['action.proposed', 'given_up'],
  ])
  expect(new Set(idsOf(receiver).slice(0, 10)).size).toBe(1)
})

test('receivers that hang, refuse, redirect or answer 10 MB and without end are cut off, and cost another endpoint of the account nothing', async () => {
  const account = await scene.account()
  const hanging = await scene.receiver(account, { answer: () => undefined })
  const huge = await scene.receiver(account, {
    answer: (_request, response) => void response.writeHead(200).end('x'.repeat(10_000_000)),
  })
  let endlessBytes = 0
  const endless = await scene.receiver(account, {
    answer: (_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536))) endlessBytes += 65_536
      }
      response.writeHead(200).on('drain', more)
      more()
    },
  })
  const good = await scene.receiver(account)
  const redirecting = await scene.receiver(account, {
    answer: answering(302, { location: `${good.server.url}/stolen` }),
  })
  const refusing = await scene.receiver(account)
  await refusing.server.close()
  scene.gate.deps.network.callMs = 60_000
  await account.client.propose(account.actor, 'One')
  const due = await takeDue(scene.gate.deps, 100)
  expect(due).toHaveLength(6)
  const process = new AbortController()
  const sends = due.map((event) => sendEvent(scene.gate.deps, event, process.signal))
  // All but the hanging one are recorded while it hangs.
  await until('the others', async () => {
    const logs = await Promise.all(
      [good, huge, endless, redirecting, refusing].map((one) => scene.log(account, one)),
    )
    return logs.every(([one]) => one!.attempted_at !== null)
  })
  expect(await scene.log(account, good)).toMatchObject([{ state: 'delivered', status: 204 }])
  expect(good.server.received.map(({ path }) => path)).toEqual(['/events'])
  for (const one of [huge, endless])
    expect(await scene.log(account, one)).toMatchObject([
      { state: 'delivered', status: 200, answer: 'x'.repeat(500) },
    ])
  // What the sockets of both sides hold.
  expect(endlessBytes).toBeLessThan(32_000_000)
  expect(await scene.log(account, redirecting)).toMatchObject([{ state: 'waiting', status: 302 }])
  expect(await scene.log(account, refusing)).toMatchObject([
    { state: 'waiting', status: null, code: 'econnrefused' },
  ])
  // More events go to the good one while the hanging one still holds its own.
  for (const message of ['Two', 'Three', 'Four', 'Five', 'Six'])
    await account.client.propose(account.actor, message)
  for (;;) {
    const next = (await takeDue(scene.gate.deps, 100)).filter(
      ({ endpoint_id: id }) => id !== hanging.endpoint,
    )
    if (next.length === 0) break
    await Promise.all(next.map((event) => sendEvent(scene.gate.deps, event, stop)))
  }
  expect(good.server.received).toHaveLength(6)
  process.abort()
  await Promise.all(sends)
  // Nobody knows what came of it: it is sent again.
  expect((await scene.log(account, hanging)).every(({ state }) => state === 'waiting')).toBe(true)
  scene.gate.deps.network.callMs = 50
  await pass(scene.gate, 31_000)
  const [again] = (await takeDue(scene.gate.deps, 100)).filter(
    ({ endpoint_id: id }) => id === hanging.endpoint,
  )
  await sendEvent(scene.gate.deps, again!, stop)
  delete scene.gate.deps.network.callMs
  expect((await scene.log(account, hanging)).filter(({ code }) => code === 'timeout')).toHaveLength(1)
  await turnEndpoint(scene.context(account), hanging.endpoint, false)
})

test('an endpoint that fails gets one event at a time, and stays on for 5 days, and for 5 days after each delivery', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { types: ['action.proposed'], answer: answering(500) })
  let n = 0
  const attempt = async () => {
    await account.client.propose(account.actor, `No. ${(n += 1)}`)
    await scene.deliver()
  }
  const isOn = async () => (await readEndpoint(scene.context(account), receiver.endpoint)).off_reason === null
  for (let many = 0; many < 4; many++) await attempt()
  await pass(scene.gate, 5 * day - 60_000)
  const due = (await takeDue(scene.gate.deps, 100)).filter(({ endpoint_id: id }) => id === receiver.endpoint)
  expect(due).toHaveLength(1)
  await sendEvent(scene.gate.deps, due[0]!, stop)
  expect(await isOn()).toBe(true)
  receiver.answers(taken)
  await scene.deliver()
  receiver.answers(answering(500))
  await attempt()
  await pass(scene.gate, 4 * day)
  await attempt()
  expect(await isOn()).toBe(true)
  await pass(scene.gate, day + 1_000)
  await attempt()
  expect(await isOn()).toBe(false)
})

test('an endpoint that asks for time gets it, at most an hour', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { answer: answering(429, { 'retry-after': '99999999' }) })
  await account.client.propose(account.actor, 'One')
  await scene.deliver()
  await account.client.propose(account.actor, 'Two')
  await scene.deliver()
  receiver.answers(taken)
  await pass(scene.gate, 3_590_000)
  await scene.deliver()
  expect(receiver.server.received).toHaveLength(1)
  await pass(scene.gate, 11_000)
  await scene.deliver()
  expect(receiver.server.received).toHaveLength(3)
})

test('an endpoint that fails for 5 days, or says that it is gone, is turned off: entry, mail, overview, doctor', async () => {
  const account = await scene.account()
  const { account: id, client, actor } = account
  await inviteAdmin(scene.context(account), 'ops@example.com')
  const [failing, gone] = [
    await scene.receiver(account, { answer: answering(500), path: '/hook?token=hush' }),
    await scene.receiver(account, { answer: answering(410) }),
  ]
  await client.propose(actor, 'One')
  await scene.deliver()
  expect(await readEndpoint(scene.context(account), gone.endpoint)).toMatchObject({ off_reason: 'gone' })
  await pass(scene.gate, 5 * day + 1_000)
  await client.propose(actor, 'Two')
  await scene.deliver()
  expect(await readEndpoint(scene.context(account), failing.endpoint)).toMatchObject({
    off_reason: 'failing',
    waiting: 0,
  })
  expect((await scene.log(account, failing)).map(({ state }) => state)).toEqual(['given_up', 'given_up'])
  const entries = await scene.gate.database.asSuperuser(
    `select entry::json #>> '{data,off}' as off, entry::json ->> 'actor' as actor, entry from gate.ledger
     where account_id = '${id}' and kind = 'endpoint_set' and entry::json #>> '{data,change}' = 'off' order by seq`,
  )
  expect(entries.map(({ off, actor: by }) => [off, by])).toEqual([
    ['gone', 'system'],
    ['failing', 'system'],
  ])
  expect(JSON.stringify(entries)).not.toContain('hush')
  const mails = await until('both mails', async () => {
    const found = scene.gate.sandbox
      .messages(1_000)
      .filter(
        ({ to, subject }) => to === 'ops@example.com' && subject?.startsWith('Events are no longer sent'),
      )
    return found.length === 2 && found
  })
  expect(JSON.stringify(mails)).not.toContain('hush')
  const doctor = await diagnose(scene.gate.database.db, {
    config: scene.gate.config,
    temporal: { state: 'up', address: 'x' },
    anchorsFile: undefined,
    credentials: { keys: undefined, sandboxUrl: undefined },
  })
  const check = doctor.checks.find(({ item }) => item === 'events')!
  expect(check.verdict).toBe('attention')
  expect(check.detail).toContain(failing.endpoint)
  const admin = await signedInAdmin(scene.gate, id)
  expect((await admin.open('/console')).text).toMatch(
    /Receiver \d+ is told no events: for 5 days no delivery succeeded/,
  )
})

testRows<[string, (event: string, began: Date) => Parameters<typeof replayEvents>[2]]>([
  ['of one event', (event) => ({ event })],
  ['since a time', (_event, since) => ({ since })],
])(
  'a replay %s sends now what waits for its next attempt, and nothing that is being sent',
  async (_which, what) => {
    const account = await scene.account()
    const receiver = await scene.receiver(account, { types: ['action.proposed'] })
    receiver.answers(answering(500))
    const began = new Date()
    await account.client.propose(account.actor, 'One')
    await scene.deliver()
    const [event] = idsOf(receiver)
    const replay = () => replayEvents(scene.context(account), receiver.endpoint, what(String(event), began))
    receiver.answers(taken)
    expect(await scene.deliver()).toBe(0)
    expect(await replay()).toEqual({ queued: 1 })
    const [sending] = await takeDue(scene.gate.deps, 100)
    expect(await replay()).toEqual({ queued: 0 })
    expect(await takeDue(scene.gate.deps, 100)).toEqual([])
    await sendEvent(scene.gate.deps, sending!, stop)
    expect(idsOf(receiver)).toEqual([event, event])
    expect(await scene.log(account, receiver)).toMatchObject([{ state: 'delivered', attempts: 2 }])
  },
)

test('a replay sends again under the same ids: one, or all since a time, those too that were missed while it was off', async () => {
  const account = await scene.account()
  const { client, actor } = account
  const receiver = await scene.receiver(account, {
    types: ['action.proposed', 'action.cancelled', 'policy.changed'],
  })
  const context = scene.context(account)
  const began = new Date()
  const { id } = (await client.propose(actor, 'One')).body
  await scene.deliver()
  const [told] = idsOf(receiver)
  await turnEndpoint(context, receiver.endpoint, false)
  await client.cancel(id, actor)
  await account.setTier(account.ada, 'read_only')
  await scene.deliver()
  await expect(testEndpoint(context, receiver.endpoint)).rejects.toThrow('is off')
  for (const what of [{ event: String(told) }, { since: began }])
    await expect(replayEvents(context, receiver.endpoint, what)).rejects.toThrow('is off')
  await turnEndpoint(context, receiver.endpoint, true)
  await scene.deliver()
  expect(idsOf(receiver)).toEqual([told])
  expect(await replayEvents(context, receiver.endpoint, { event: String(told) })).toEqual({ queued: 1 })
  await scene.deliver()
  expect(idsOf(receiver)).toEqual([told, told])
  expect(await replayEvents(context, receiver.endpoint, { since: began })).toEqual({ queued: 2 })
  await scene.deliver()
  expect(
    receiver
      .told()
      .slice(2)
      .map(({ type }) => type),
  ).toEqual(['action.proposed', 'action.cancelled'])
  expect(idsOf(receiver)[2]).toBe(told)
  // Page by page.
  const restore = shorten({ eventsReplayedMax: 1 })
  const page = await replayEvents(context, receiver.endpoint, { since: began })
  restore()
  expect(page.queued).toBe(1)
  expect(page.next_since!.getTime()).toBeGreaterThanOrEqual(began.getTime())
  await scene.deliver()
  const tooOld = { since: new Date(Date.now() - 31 * day) }
  await expect(replayEvents(context, receiver.endpoint, tooOld)).rejects.toThrow('last 30 days')
  await expect(replayEvents(context, receiver.endpoint, { event: `evt_${'0'.repeat(32)}` })).rejects.toThrow(
    'not queued',
  )
  const tested = await testEndpoint(context, receiver.endpoint)
  await scene.deliver()
  expect(receiver.told().at(-1)).toMatchObject({
    id: tested,
    type: 'test',
    data: { account: account.account },
  })
})

test('what waits for an endpoint that is turned off is given up, and the deliveries of a removed one are deleted, page by page', async () => {
  const account = await scene.account()
  const [off, removed, kept] = [
    await scene.receiver(account),
    await scene.receiver(account),
    await scene.receiver(account),
  ]
  for (const message of ['One', 'Two', 'Three']) await account.client.propose(account.actor, message)
  const context = scene.context(account)
  await turnEndpoint(context, off.endpoint, false)
  // More waited than one change gives up.
  await scene.gate.database.asSuperuser(
    `update gate.event_delivery set state = 'waiting', ended_at = null where endpoint_id = '${off.endpoint}'`,
  )
  const due = await takeDue(scene.gate.deps, 100)
  expect(new Set(due.map(({ endpoint_id: id }) => id))).toEqual(new Set([removed.endpoint, kept.endpoint]))
  await removeEndpoint(context, removed.endpoint)
  const left = async (where: string) =>
    Number(
      (
        await scene.gate.database.asSuperuser(`select count(*) as n from gate.event_delivery where ${where}`)
      )[0]!['n'],
    )
  await clearEvents(scene.gate.deps.db, { keepMs: 30 * day, everyMs: 3_600_000, limitRows: 2 })
  expect(await left(`endpoint_id = '${off.endpoint}' and state = 'waiting'`)).toBe(1)
  expect(await left(`endpoint_id = '${removed.endpoint}'`)).toBe(1)
  // It is not done: the next pass goes on at once.
  for (let n = 0; n < 3; n++) await clearOldEvents(scene.gate.deps)
  expect(await left(`endpoint_id = '${off.endpoint}' and state = 'waiting'`)).toBe(0)
  expect(await left(`endpoint_id = '${removed.endpoint}'`)).toBe(0)
  expect(await left(`endpoint_id = '${kept.endpoint}' and state = 'waiting'`)).toBe(3)
  await scene.deliver()
  expect(off.server.received.length + removed.server.received.length).toBe(0)
})

test('deliveries are deleted after 30 days, and the answers about an erased action with it', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { answer: answering(200, {}, 'Got Lunch at noon') })
  const { client, actor } = account
  const { id } = (await client.propose(actor, 'Lunch at noon')).body
  await client.cancel(id, actor)
  await scene.deliver()
  expect((await scene.log(account, receiver)).map(({ answer }) => answer)).toContain('Got Lunch at noon')
  await scene.gate.database.asSuperuser(`
    do $$ begin
      perform gate.tenant('${account.account}'), gate_private.lock_head('${account.account}');
      perform gate_private.erase_action('${account.account}', ${id}, 'asked', 'admin', gen_random_uuid());
    end $$`)
  expect((await scene.log(account, receiver)).filter(({ answer }) => answer !== null)).toEqual([])
  await scene.deliver()
  await pass(scene.gate, 29 * day)
  await clearOldEvents(scene.gate.deps)
  expect((await scene.log(account, receiver)).length).toBeGreaterThan(2)
  await pass(scene.gate, day + 1_000)
  await clearOldEvents(scene.gate.deps)
  expect(await scene.log(account, receiver)).toEqual([])
})

test("the service's role can neither write deliveries nor read those of another account", async () => {
  const [account, other] = [await scene.account(), await scene.account()]
  const receiver = await scene.receiver(account)
  await account.client.propose(account.actor, 'One')
  const { db } = scene.gate.database
  const ofOther = { ...scene.context(other) }
  const page = { endpointId: receiver.endpoint, before: null, limitRows: 100 }
  expect(await listDeliveries(ofOther, page)).toEqual([])
  await expect(readEndpoint(ofOther, receiver.endpoint)).rejects.toThrow('not found')
  await expect(testEndpoint(ofOther, receiver.endpoint)).rejects.toThrow('not found')
  await expect(turnEndpoint(ofOther, receiver.endpoint, false)).rejects.toThrow('not found')
  for (const table of ['endpoint', 'event_delivery', 'event_attempt']) {
    const seen = async (as: string) =>
      (
        await db.read(
          (sql) => sql`
            select 1 from gate.tenant(${as}) t,
              lateral (select * from ${sql(`gate.${table}`)} where account_id = ${account.account} offset 0) d`,
        )
      ).length
    expect([table, await seen(other.account)]).toEqual([table, 0])
    if (table !== 'event_attempt') expect([table, await seen(account.account)]).toEqual([table, 1])
  }
  for (const statement of [
    'delete from gate.event_delivery',
    'update gate.endpoint set url = null',
    'select * from gate_private.event_account',
    `select gate_private.queue_sealed('${account.account}', 1, '')`,
  ])
    await expect(db.script(statement)).rejects.toThrow(/permission denied/)
  await scene.deliver()
  expect(receiver.server.received).toHaveLength(1)
})
