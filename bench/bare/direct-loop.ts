import { randomUUID } from 'node:crypto'
import { LogLevel, WebClient } from '@slack/web-api'
import { Resend } from 'resend'
import { mapConcurrent } from '../../src/waiting/map-concurrent.ts'

/** The message to this process: what to send. It answers with the elapsed time. */
export interface DirectLoop {
  sandboxUrl: string
  slackIds: string[]
  emails: string[]
  slackConcurrency: number
  emailConcurrency: number
  emailsPerCall: number
  text: string
}
export interface DirectLoopAnswer {
  ms: number
  delivered: number
}

/** Sends a broadcast with the same calls through the same SDKs, without storing anything. */
async function run(loop: DirectLoop): Promise<DirectLoopAnswer> {
  const slack = new WebClient('xoxb-bare', {
    slackApiUrl: new URL('/slack/api/', loop.sandboxUrl).href,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
  })
  const resend = new Resend('re_bare', { baseUrl: new URL('/resend', loop.sandboxUrl).href })
  const startedAt = performance.now()
  const [posted, mailed] = await Promise.all([
    mapConcurrent(loop.slackConcurrency, loop.slackIds, async (user) => {
      const { channel } = await slack.conversations.open({ users: user })
      const answer = await slack.chat.postMessage({
        channel: channel!.id!,
        text: loop.text,
        mrkdwn: false,
        link_names: false,
        unfurl_links: false,
        unfurl_media: false,
        metadata: { event_type: 'bare_broadcast', event_payload: { delivery_id: randomUUID() } },
      })
      return answer.ok ? 1 : 0
    }),
    mapConcurrent(loop.emailConcurrency, batches(loop.emails, loop.emailsPerCall), async (batch) => {
      const { data } = await resend.batch.send(
        batch.map((to) => ({
          from: 'gate@sandbox.example',
          to,
          subject: 'Message from Ada',
          text: loop.text,
          html: `<p>${loop.text}</p>`,
        })),
        { idempotencyKey: randomUUID(), batchValidation: 'permissive' },
      )
      return data?.data.length ?? 0
    }),
  ])
  const delivered = [...posted, ...mailed].reduce((a, b) => a + b, 0)
  return { ms: performance.now() - startedAt, delivered }
}

function batches<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
  )
}

process.on('message', (loop) => {
  run(loop as DirectLoop).then(
    (answer) => process.send!(answer),
    (error: unknown) => process.send!({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('working')
