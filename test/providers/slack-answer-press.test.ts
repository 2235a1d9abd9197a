import { createServer } from 'node:http'
import { expect, test } from '@jest/globals'
import { atSlack, pressAnswers } from '../../src/providers/slack/answer-press.ts'
import { testRows } from '../support/rows.ts'

testRows<[string, boolean]>([
  ['https://hooks.slack.com/actions/T1/2/x', true],
  ['https://hooks.slack-gov.com/actions/T1/2/x', true],
  ['https://hooks.slack.com:443/app/T1/2/x', true],
  ['http://hooks.slack.com/actions/T1/2/x', false],
  ['https://hooks.slack.com:8443/actions', false],
  ['https://hooks.slack.com.example/actions', false],
  ['https://hooks.slack.com@example.com/actions', false],
  ['https://example.com/?hooks.slack.com', false],
  ['https://127.0.0.1/actions', false],
  ['file:///etc/passwd', false],
])('an answer to a press goes to Slack alone: %s', (url, isSlack) =>
  expect(atSlack(new URL(url))?.href).toBe(isSlack ? new URL(url).href : undefined),
)

test('an answer is seen by who pressed alone, keeps the message, and says whether Slack took it', async () => {
  const received: unknown[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString()))
      const status = request.url === '/ok' ? 200 : request.url === '/moved' ? 302 : 404
      response.writeHead(status, { location: '/ok' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const answer = pressAnswers(({ pathname }) => new URL(pathname, `http://127.0.0.1:${port}`))
  const taken = []
  for (const path of ['/ok', '/moved', '/gone'])
    taken.push(await answer(`https://x.example${path}`, 'A <b> & c'))
  taken.push(await answer('not an address', 'x'))
  await new Promise((resolve) => server.close(resolve))
  expect(taken).toEqual([true, false, false, false])
  expect(received[0]).toEqual({
    response_type: 'ephemeral',
    replace_original: false,
    text: 'A &lt;b&gt; &amp; c',
  })
})
