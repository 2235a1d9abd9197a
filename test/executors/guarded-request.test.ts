import { afterEach, expect, test } from '@jest/globals'
import type { ServerResponse } from 'node:http'
import { connectionPool, sendGuarded } from '../../src/executors/guarded-request.ts'
import { limits } from '../../src/limits.ts'
import { until } from '../support/until.ts'
import { type StandIn, standIn } from './stand-in.ts'

const network = { allowed: ['127.0.0.1'] }
const open: StandIn[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

test('a call that waited for a connection, was sent on it and got no answer is not told as unsent', async () => {
  const held: ServerResponse[] = []
  const server = await standIn(({ body }, response) => {
    if (body === 'late') return void response.destroy()
    held.push(response)
  })
  open.push(server)
  const pool = connectionPool(1_000)
  const send = (body: string) =>
    sendGuarded(
      network,
      { account: 'acme', url: server.url, method: 'POST', headers: {}, body, pool },
      AbortSignal.timeout(20_000),
    )
  const early = Array.from({ length: limits.upstreamSocketsMax }, (_, n) =>
    send(String(n)).then((answer) => void answer.resume()),
  )
  const late = send('late').catch((error: unknown) => error)
  await until('every connection is in use', async () => held.length === limits.upstreamSocketsMax)
  held[0]!.end()
  expect(await late).toMatchObject({ code: 'econnreset', isUnsent: false })
  expect(server.received.filter(({ body }) => body === 'late')).toHaveLength(1)
  for (const response of held) response.end()
  await Promise.all(early)
})

test('a call whose connection is refused is unsent, also where others wait for it', async () => {
  const server = await standIn(() => undefined)
  await server.close()
  const pool = connectionPool(1_000)
  const failures = Array.from({ length: limits.upstreamSocketsMax + 1 }, () =>
    sendGuarded(
      network,
      { account: 'acme', url: server.url, method: 'POST', headers: {}, body: 'x', pool },
      AbortSignal.timeout(20_000),
    ).catch((error: unknown) => error),
  )
  for (const failure of await Promise.all(failures))
    expect(failure).toMatchObject({ code: 'econnrefused', isUnsent: true })
})
