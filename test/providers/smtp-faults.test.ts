import { afterEach, describe, expect, test } from '@jest/globals'
import { smtpChannel } from '../../src/providers/smtp/channel.ts'
import { type Reply, type Stage, startScriptedServer } from '../support/mail-server.ts'
import { testRows } from '../support/rows.ts'
import { until } from '../support/until.ts'
import { firstOutcome, outcomesOf, sliceFor } from './slices.ts'

const stops: (() => Promise<void>)[] = []
const stopAll = async () => void (await Promise.all(stops.splice(0).map((stop) => stop())))
afterEach(stopAll)

async function told(script: Partial<Record<Stage, Reply>>) {
  const server = await startScriptedServer(script)
  stops.push(server.stop)
  const channel = smtpChannel({
    server: server.at,
    from: 'Gate <gate@x.example>',
    connectMs: 500,
    messageMs: 500,
  })
  return { server, channel }
}

describe('what a server does at each stage is the outcome of the message', () => {
  const again = { retryAfterMs: 5_000 }
  const rows: [Stage, Reply, object][] = [
    ['greeting', 'hangs', { state: 'not_done', code: 'timeout', ...again }],
    ['greeting', 'closes', { state: 'not_done', code: 'unreachable', ...again }],
    ['greeting', 'SSH-2.0-OpenSSH_9.2', { state: 'not_done', code: 'unreadable_answer', ...again }],
    ['greeting', '554 5.7.1 Go away', { state: 'not_done', code: 'smtp_554_5.7.1' }],
    ['greeting', '421 4.3.2 Later', { state: 'not_done', code: 'ratelimited', retryAfterMs: 10_000 }],
    ['EHLO', 'hangs', { state: 'not_done', code: 'timeout', ...again }],
    ['EHLO', 'closes', { state: 'not_done', code: 'unreachable', ...again }],
    ['MAIL', 'hangs', { state: 'not_done', code: 'timeout', ...again }],
    ['MAIL', 'closes', { state: 'not_done', code: 'unreachable', ...again }],
    ['MAIL', 'what?', { state: 'not_done', code: 'unreadable_answer', ...again }],
    ['MAIL', '550 5.7.1 Not your address', { state: 'not_done', code: 'smtp_550_5.7.1' }],
    ['MAIL', '421 Too many', { state: 'not_done', code: 'ratelimited', retryAfterMs: 10_000 }],
    ['RCPT', 'hangs', { state: 'not_done', code: 'timeout', ...again }],
    ['RCPT', '550 5.1.1 No such user', { state: 'not_done', code: 'smtp_550_5.1.1' }],
    ['RCPT', '550 no', { state: 'not_done', code: 'smtp_550' }],
    ['RCPT', '450 4.2.0 Greylisted', { state: 'not_done', code: 'smtp_450_4.2.0', retryAfterMs: 60_000 }],
    ['DATA', 'hangs', { state: 'not_done', code: 'timeout', ...again }],
    ['DATA', 'closes', { state: 'not_done', code: 'unreachable', ...again }],
    ['DATA', '451 4.3.0 Later', { state: 'not_done', code: 'smtp_451_4.3.0', retryAfterMs: 60_000 }],
    ['DATA', '554 5.5.1 No', { state: 'not_done', code: 'smtp_554_5.5.1' }],
    ['end', 'hangs', { state: 'unknown', code: 'timeout' }],
    ['end', 'closes', { state: 'unknown', code: 'connection_lost' }],
    ['end', { close: '250 2.0' }, { state: 'unknown', code: 'connection_lost' }],
    ['end', 'Thank you', { state: 'unknown', code: 'connection_lost' }],
    ['end', '299', { state: 'ok' }],
    ['end', '2OK fine', { state: 'unknown', code: 'connection_lost' }],
    ['end', '354 go on', { state: 'unknown', code: 'connection_lost' }],
    ['end', '600 what', { state: 'unknown', code: 'connection_lost' }],
    ['end', '452 4.3.1 Disk full', { state: 'not_done', code: 'smtp_452_4.3.1', retryAfterMs: 60_000 }],
    ['end', '552 5.3.4 Too big', { state: 'not_done', code: 'smtp_552_5.3.4' }],
    ['end', '421 4.4.2 Bye', { state: 'not_done', code: 'ratelimited', retryAfterMs: 10_000 }],
  ]
  testRows(rows, [stopAll])('in three values', async (stage, reply, outcome) => {
    const { server, channel } = await told({ [stage]: reply })
    const {
      says: _says,
      providerId: _id,
      ...found
    } = (await firstOutcome(channel.send(sliceFor(channel)))) as Record<string, unknown>
    expect(found).toEqual(outcome)
    expect(server.messages).toHaveLength(stage === 'end' ? 1 : 0)
  })
})

test('a recipient that is deferred and then refused was never sent to, and stays refused', async () => {
  const script: Partial<Record<Stage, Reply>> = { RCPT: '451 4.7.1 Greylisted' }
  const { server, channel } = await told(script)
  const slice = sliceFor(channel)
  expect(await firstOutcome(channel.send(slice))).toMatchObject({ state: 'not_done', retryAfterMs: 60_000 })
  script.RCPT = '550 5.7.1 Not here'
  const refused = await firstOutcome(channel.send(slice))
  expect(refused).toMatchObject({ state: 'not_done', code: 'smtp_550_5.7.1' })
  expect(refused).not.toHaveProperty('retryAfterMs')
  expect(server.messages).toEqual([])
})

test('a message of unknown fate is handed over once, and looking for it says nothing and sends nothing', async () => {
  const { server, channel } = await told({ end: 'closes' })
  const slice = sliceFor(channel)
  expect(await firstOutcome(channel.send(slice))).toMatchObject({ state: 'unknown' })
  expect(await firstOutcome(channel.reconcile(slice))).toEqual({ state: 'unknown', code: 'cannot_tell' })
  expect(server.messages).toHaveLength(1)
  expect([channel.isIdempotent, channel.mayRepeatNotice]).toEqual([false, true])
})

test("the server's own words are one bounded line, without addresses and without glyphs that mislead", async () => {
  const { channel } = await told({
    RCPT: `550-5.1.1 <ada@example.com> is\u202e unknown\r\n550 5.1.1 ${'x'.repeat(5_000)}`,
  })
  const { says } = (await firstOutcome(channel.send(sliceFor(channel)))) as { says: string }
  expect(says).toMatch(/^550-5\.1\.1 … is/)
  expect(says).not.toMatch(/@|\n|\u202e/)
  expect(says.length).toBeLessThan(300)
})

test('a reply without an end is cut off, and costs no memory', async () => {
  const { channel } = await told({ MAIL: `250-${'x'.repeat(10_000_000)}` })
  expect(await firstOutcome(channel.send(sliceFor(channel)))).toMatchObject({ state: 'not_done' })
})

test('a refused recipient stops no other, on the same connection', async () => {
  const server = await startScriptedServer({ RCPT: '550 5.1.1 No such user' })
  stops.push(server.stop)
  const channel = smtpChannel({ server: server.at, from: 'gate@x.example' })
  const addresses = ['a@x.example', 'b@x.example', 'c@x.example', 'd@x.example', 'e@x.example']
  const outcomes = await outcomesOf(channel.send(sliceFor(channel, { addresses })))
  expect(outcomes.map(({ state }) => state)).toEqual(Array(5).fill('not_done'))
  expect(server.commands.filter((line) => line.startsWith('RCPT'))).toHaveLength(5)
  expect(server.commands.filter((line) => line.startsWith('EHLO')).length).toBeLessThanOrEqual(3)
})

test('an international domain is written in ASCII; a mailbox that is not ASCII is refused in words', async () => {
  const { server, channel } = await told({})
  const addresses = ['ada@bücher.example', 'jürgen@example.com']
  const outcomes = await outcomesOf(channel.send(sliceFor(channel, { addresses })))
  expect(outcomes).toEqual([
    expect.objectContaining({ state: 'ok' }),
    { state: 'not_done', code: 'international_address' },
  ])
  expect(server.commands.filter((line) => line.startsWith('RCPT'))).toEqual([
    'RCPT TO:<ada@xn--bcher-kva.example>',
  ])
  expect(server.messages[0]).toContain('To: ada@xn--bcher-kva.example\r\n')
})

test('a server that does not answer is asked once by all recipients of a moment', async () => {
  const { server, channel } = await told({ EHLO: 'hangs' })
  const addresses = Array.from({ length: 40 }, (_, n) => `member${n}@x.example`)
  const outcomes = await outcomesOf(channel.send(sliceFor(channel, { addresses })))
  expect(new Set(outcomes.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify({ state: 'not_done', code: 'timeout', retryAfterMs: 5_000 })]),
  )
  expect(server.commands.length).toBeLessThanOrEqual(3)
})

test('a cancelled slice: before the message not done, under way unknown', async () => {
  const { server, channel } = await told({ end: 'hangs' })
  const sendUnder = (signal: AbortSignal) => firstOutcome(channel.send(sliceFor(channel, { signal })))
  expect(await sendUnder(AbortSignal.abort())).toEqual({
    state: 'not_done',
    code: 'cancelled',
    retryAfterMs: 0,
  })
  expect(server.commands).toEqual([])
  const stop = new AbortController()
  const sending = sendUnder(stop.signal)
  await until('the message', async () => server.messages[0])
  stop.abort()
  expect(await sending).toEqual({ state: 'unknown', code: 'timeout' })
})
