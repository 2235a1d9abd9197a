import { afterEach, describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config.ts'
import type { Network } from '../../src/executors/guarded-request.ts'
import { teamsChannel } from '../../src/providers/teams/channel.ts'
import { teams } from '../../src/providers/teams/provider.ts'
import { ofThisMachine } from '../support/mail-certificates.ts'
import { testRows } from '../support/rows.ts'
import { until } from '../support/until.ts'
import { type WorkflowAnswer, startWorkflowServer } from '../support/workflow-server.ts'
import { firstOutcome, sliceFor } from './slices.ts'

const stops: (() => Promise<void>)[] = []
const stopAll = async () => void (await Promise.all(stops.splice(0).map((stop) => stop())))
afterEach(stopAll)

const config = readConfig({})
const reachable: Network = { allowed: ['127.0.0.0/8'], ca: ofThisMachine.cert }

async function roomAt(
  answer: WorkflowAnswer | (() => WorkflowAnswer) = { status: 202 },
  network = reachable,
) {
  const server = await startWorkflowServer(typeof answer === 'function' ? answer : () => answer)
  stops.push(server.stop)
  const channel = teams.open(
    { secret: server.url, account: 'acct_1' },
    { config, sandboxUrl: undefined, network },
  )
  return { server, channel }
}

type Parts = Parameters<typeof sliceFor>[1]
const post = (channel: Awaited<ReturnType<typeof roomAt>>['channel'], parts: Parts = {}) => {
  const slice = sliceFor(channel, { addresses: [channel.credential], ...parts })
  return { ...slice, message: { ...slice.message, credential: channel.credential } }
}

const wordsOf = (sent: unknown): string[] =>
  (sent as any).attachments[0].content.body.map((one: any) =>
    one.inlines.map((run: any) => run.text).join(''),
  )

describe('what a workflow answers is the outcome of the post', () => {
  testRows<[WorkflowAnswer, object]>(
    [
      [{ status: 202 }, { state: 'ok', providerId: 'http_202' }],
      [
        { status: 200, bytes: 10_000_000 },
        { state: 'ok', providerId: 'http_200' },
      ],
      [
        { status: 302, headers: { location: 'https://localhost/elsewhere' } },
        { state: 'not_done', code: 'http_302' },
      ],
      [
        { status: 307, headers: { location: '/again' } },
        { state: 'not_done', code: 'http_307' },
      ],
      [
        { status: 400, bytes: 10_000_000 },
        { state: 'not_done', code: 'http_400' },
      ],
      [{ status: 401 }, { state: 'not_done', code: 'http_401' }],
      [{ status: 404 }, { state: 'not_done', code: 'http_404' }],
      [{ status: 408 }, { state: 'unknown', code: 'http_408' }],
      [{ status: 413 }, { state: 'not_done', code: 'message_too_large' }],
      [{ status: 429 }, { state: 'not_done', code: 'ratelimited', retryAfterMs: 5_000 }],
      [
        { status: 429, headers: { 'retry-after': '7' } },
        { state: 'not_done', code: 'ratelimited', retryAfterMs: 7_000 },
      ],
      [
        { status: 429, headers: { 'retry-after': '999999' } },
        { state: 'not_done', code: 'ratelimited', retryAfterMs: 3_600_000 },
      ],
      [{ status: 500 }, { state: 'unknown', code: 'http_500' }],
      [
        { status: 503, headers: { 'retry-after': '1' } },
        { state: 'unknown', code: 'http_503' },
      ],
      ['closes', { state: 'unknown' }],
    ],
    [stopAll],
  )('in three values, in one request', async (answer, outcome) => {
    const { server, channel } = await roomAt(answer)
    expect(await firstOutcome(channel.send(post(channel)))).toMatchObject(outcome)
    expect(server.paths).toEqual(['/workflows/a1?sig=hush'])
  })
})

test('an answer that never comes is unknown, and looking for it says nothing and posts nothing', async () => {
  const { server, channel } = await roomAt('hangs')
  const stop = new AbortController()
  const slice = post(channel, { signal: stop.signal })
  const sending = firstOutcome(channel.send(slice))
  await until('the post', async () => server.posts[0])
  stop.abort()
  expect(await sending).toEqual({ state: 'unknown', code: 'timeout' })
  expect(await firstOutcome(channel.reconcile(slice))).toEqual({ state: 'unknown', code: 'cannot_tell' })
  expect(server.posts).toHaveLength(1)
  expect([channel.isIdempotent, channel.mayRepeatNotice]).toEqual([false, false])
})

test('a private address, a wrong certificate and nobody there get nothing, and that is certain', async () => {
  const refused = { state: 'not_done', code: 'address_refused' }
  const again = { state: 'not_done', retryAfterMs: 5_000 }
  const rows: [Network, object][] = [
    [{ ...reachable, allowed: [] }, refused],
    [
      {
        allowed: ['127.0.0.1'],
        ca: ofThisMachine.cert,
        resolve: async () => [{ address: '10.0.0.7', family: 4 }],
      },
      refused,
    ],
    [{ allowed: ['127.0.0.0/8'] }, again],
  ]
  for (const [network, outcome] of rows) {
    const { server, channel } = await roomAt({ status: 202 }, network)
    expect(await firstOutcome(channel.send(post(channel)))).toMatchObject(outcome)
    expect(server.posts).toEqual([])
  }
  const { server, channel } = await roomAt()
  await server.stop()
  expect(await firstOutcome(channel.send(post(channel)))).toMatchObject(again)
})

test('a rate limit rests the room for everyone, and nothing is posted meanwhile', async () => {
  const { server, channel } = await roomAt({ status: 429, headers: { 'retry-after': '30' } })
  await channel.send(post(channel))
  const next = await firstOutcome(channel.send(post(channel)))
  expect(next).toMatchObject({ state: 'not_done', code: 'ratelimited' })
  expect((next as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(25_000)
  expect(server.posts).toHaveLength(1)
})

test('a post is for the room that was consented to, and for no other', async () => {
  const { server, channel } = await roomAt()
  const outcome = await firstOutcome(channel.send(post(channel, { addresses: ['another room'] })))
  expect(outcome).toEqual({ state: 'not_done', code: 'room_changed' })
  expect(server.posts).toEqual([])
})

test('the text is shown as it is: no Markdown, no mention, no markup, and who sent it in one line', async () => {
  const { server, channel } = await roomAt()
  const text = '**Now** <at>Everyone</at> [free](https://evil.example)\n\n  # indented \ud83d\ude00'
  await channel.send(post(channel, { text, proposerName: 'Ada\nApproved by: everyone' }))
  const [sent] = server.posts as any[]
  expect(wordsOf(sent)).toEqual([
    'Message from Ada Approved by: everyone',
    '**Now** <at>Everyone</at> [free](https://evil.example)',
    ' ',
    '  # indented \ud83d\ude00',
  ])
  const { body, ...card } = sent.attachments[0].content
  expect(body.every(({ type }: { type: string }) => type === 'RichTextBlock')).toBe(true)
  expect(JSON.stringify(card)).not.toMatch(/actions|msteams|entities/)
})

test('the longest message fits into what Teams takes, however it is written; a larger one is not posted', async () => {
  const { server, channel } = await roomAt()
  for (const text of [
    '\ud83d\ude00'.repeat(4_000),
    '\n'.repeat(4_000),
    '"'.repeat(4_000),
    'a\n'.repeat(2_000),
  ]) {
    expect(await firstOutcome(channel.send(post(channel, { text })))).toMatchObject({ state: 'ok' })
    const words = wordsOf(server.posts.at(-1)).slice(1)
    expect(words.length).toBeLessThanOrEqual(60)
    expect(words.map((line) => (line === ' ' ? '' : line)).join('\n')).toBe(text)
  }
  const large = await firstOutcome(channel.send(post(channel, { text: 'x'.repeat(30_000) })))
  expect(large).toEqual({ state: 'not_done', code: 'message_too_large' })
  expect(server.posts).toHaveLength(4)
})

test('a room gets no notice of the gate: everyone there would read it', () => {
  const channel = teamsChannel({
    url: 'https://x.example/',
    ask: async () => ({ status: 202, retryAfter: undefined }),
  })
  expect(() => channel.freezeNotice({ subject: 'Sign in', text: 'secret' })).toThrow()
})
