import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createEmulator, type Emulator } from 'emulate'
import { resendChannel } from '../../src/providers/resend/channel.ts'
import { slackChannel } from '../../src/providers/slack/channel.ts'
import { firstOutcome, outcomesOf, sliceFor } from './slices.ts'

describe("Slack, as somebody else's emulator understands it", () => {
  let emulator: Emulator
  let ada: string
  const channelTo = () =>
    slackChannel({ token: 'xoxb-test', apiUrl: `${emulator.url}/api/`, reconcileDelayMs: 0 })
  beforeAll(
    async () => void (emulator = await createEmulator({ service: 'slack', port: 0, seed: slackSeed })),
  )
  afterAll(() => emulator.close())
  beforeEach(async () => {
    emulator.reset()
    ada = (await call('users.lookupByEmail', { email: 'ada@example.com' })).user.id
  })

  test('a broadcast arrives once, found again by its delivery id, its markup inert', async () => {
    const channel = channelTo()
    const slice = sliceFor(channel, { addresses: [ada], text: '<!channel> & <@U1>\n\tsecond line' })
    const sent = await firstOutcome(channel.send(slice))
    expect(sent).toMatchObject({ state: 'ok', providerId: expect.stringMatching(/^\d+\.\d+$/) })
    expect(await firstOutcome(channelTo().reconcile(slice))).toEqual(sent)

    const { channel: direct } = await call('conversations.open', { users: ada })
    const { messages } = await call('conversations.history', { channel: direct.id })
    expect(messages).toHaveLength(1)
    expect(messages[0].text).toBe('&lt;!channel&gt; &amp; &lt;@U1&gt;\n\tsecond line')
    expect(JSON.stringify(messages[0])).not.toContain('<!channel>')
    expect(messages[0].metadata.event_payload).toEqual({
      delivery_id: slice.recipients[0]!.deliveryId,
      action_number: 42,
    })
  })

  test('a person who does not exist is not done, the others are delivered', async () => {
    const channel = channelTo()
    const outcomes = await outcomesOf(channel.send(sliceFor(channel, { addresses: ['UNOBODY', ada] })))
    expect(outcomes).toEqual([
      { state: 'not_done', code: 'user_not_found' },
      { state: 'ok', providerId: expect.any(String) },
    ])
  })

  test('a message nobody sent is not found', async () => {
    const channel = channelTo()
    const lookedUp = await firstOutcome(channel.reconcile(sliceFor(channel, { addresses: [ada] })))
    expect(lookedUp).toEqual({ state: 'unknown', code: 'not_in_history' })
  })

  async function call(method: string, body: Record<string, string>) {
    const answer = await fetch(`${emulator.url}/api/${method}`, {
      method: 'POST',
      headers: { authorization: 'Bearer xoxb-test' },
      body: new URLSearchParams(body),
    })
    return (await answer.json()) as any
  }
})

describe("Resend, as somebody else's emulator understands it", () => {
  let emulator: Emulator
  beforeAll(async () => void (emulator = await createEmulator({ service: 'resend', port: 0 })))
  afterAll(() => emulator.close())
  beforeEach(() => emulator.reset())
  const channelTo = () =>
    resendChannel({ apiKey: 're_test', baseUrl: emulator.url, from: 'Gate <gate@example.com>' })
  const people = Array.from({ length: 100 }, (_, index) => `member${index}@example.com`)

  test('a hundred members get one e-mail each, and a repeat of the slice gets the same answer', async () => {
    const channel = channelTo()
    const slice = sliceFor(channel, {
      addresses: people,
      proposerName: 'Ada\r\nBcc: x@y.z',
      text: '<b>"Hi"</b>',
    })
    const outcomes = await outcomesOf(channel.send(slice))
    expect(
      new Set(outcomes.map((outcome) => (outcome.state === 'ok' ? outcome.providerId : 'none'))).size,
    ).toBe(100)
    expect(await outcomesOf(channelTo().send(slice))).toEqual(outcomes)

    const emails = await sentEmails()
    expect(emails.map(({ to }) => to).sort()).toEqual(people.map((address) => [address]).sort())
    for (const email of emails) {
      expect(email).toMatchObject({ subject: 'Message from Ada Bcc: x@y.z', text: '<b>"Hi"</b>' })
      expect(email.html).toContain('&lt;b&gt;&quot;Hi&quot;&lt;/b&gt;')
    }
  })

  test('another message under a used key is refused, and its fate called unknown', async () => {
    const channel = channelTo()
    await channel.send(sliceFor(channel, { key: 'act_1_email_0', text: 'first' }))
    const second = await firstOutcome(
      channel.send(sliceFor(channel, { key: 'act_1_email_0', text: 'second' })),
    )
    expect(second).toEqual({ state: 'unknown', code: 'invalid_idempotent_request' })
    expect((await sentEmails()).map(({ text }) => text)).toEqual(['first'])
  })

  test('a key longer than Resend allows is not done', async () => {
    const channel = channelTo()
    const outcome = await firstOutcome(channel.send(sliceFor(channel, { key: 'k'.repeat(257) })))
    expect(outcome).toMatchObject({ state: 'not_done' })
    expect(await sentEmails()).toEqual([])
  })

  async function sentEmails(): Promise<{ to: string[]; subject: string; text: string; html: string }[]> {
    const read = async (path: string) =>
      (await (
        await fetch(`${emulator.url}${path}`, { headers: { authorization: 'Bearer re_test' } })
      ).json()) as any
    const { data } = await read('/emails?limit=100')
    return Promise.all(data.map(({ id }: { id: string }) => read(`/emails/${id}`)))
  }
})

const slackSeed = {
  slack: {
    users: [
      { name: 'gate', email: 'gate@example.com' },
      { name: 'ada', email: 'ada@example.com' },
    ],
    tokens: [
      {
        token: 'xoxb-test',
        user: 'gate',
        scopes: ['chat:write', 'im:write', 'im:history', 'users:read.email'],
      },
    ],
  },
}
