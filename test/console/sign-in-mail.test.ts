import '../support/one-realm.ts'
import { afterEach, expect, test } from '@jest/globals'
import { noticeOf } from '../../src/operations/sign-in/mail-links.ts'
import { connect, ringOf } from '../support/connect.ts'
import { mailsTo, startConsole, visitor } from '../support/console.ts'
import { type GateOptions, type TestGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

let gate: TestGate
let isRunning = false
afterEach(async () => {
  if (isRunning) await gate.stop()
  isRunning = false
})

async function start(options: GateOptions): Promise<void> {
  gate = await startConsole(options)
  isRunning = true
}

/** Two accounts that know one mailbox, the first of which has connected its own e-mail. */
async function twoAccounts(options: GateOptions) {
  await start({ workers: true, env: { SECRETS_KEYS: ringOf('k1') }, ...options })
  const [own, other] = [await gate.account(), await gate.account()]
  for (const account of [own, other]) await account.addMember({ email: 'ada@example.com', tier: 'write' })
  await connect(own.client, { email: 'ada@example.com' }, 'resend')
  await visitor(gate).send('/console/sign-in', { email: 'ada@example.com' })
}

const linksIn = (text: string) => text.match(/\/console\/sign-in\/[\w-]{43}/g)!

test("links go out through the service's own e-mail, not through what an account connected: who holds that would read them", async () => {
  await twoAccounts({})
  await until('the mail', async () => mailsTo(gate, 'ada@example.com')[0])
  await gate.deps.behind.idle()
  expect(mailsTo(gate, 'ada@example.com').map(({ text }) => linksIn(text).length)).toEqual([2])
}, 60_000)

test('where the service has no e-mail, nothing is sent, whatever an account connected', async () => {
  await twoAccounts({ channels: {} })
  await gate.deps.behind.idle()
  expect(mailsTo(gate, 'ada@example.com')).toEqual([])
}, 60_000)

test('a mail that was not sent for the moment is sent again, once', async () => {
  const sent: string[] = []
  const outcomes = [
    { state: 'not_done', code: 'ratelimited', retryAfterMs: 1 },
    { state: 'unknown', code: 'timeout' },
    { state: 'ok', providerId: 'x' },
  ] as const
  await start({
    channels: {
      email: {
        channel: 'email',
        credential: 'c',
        isIdempotent: true,
        freeze: () => ({}),
        freezeNotice: (notice) => ({ text: notice.text }),
        send: async ({ key }) => ({ outcomes: [outcomes[sent.push(key) - 1]!] }),
        reconcile: async () => ({ outcomes: [] }),
      },
    },
  })
  const { addMember } = await gate.account()
  await addMember({ email: 'ada@example.com' })
  await visitor(gate).send('/console/sign-in', { email: 'ada@example.com' })
  await until('the third try', async () => sent.length === 3)
  await gate.deps.behind.idle()
  expect([sent.length, new Set(sent).size]).toEqual([3, 1])
}, 30_000)

test('the mail says what it is for, that it works once, and what to do where nobody asked', () => {
  const link = { accountName: 'Acme', isAdmin: true, url: 'https://gate.example/console/sign-in/x' }
  expect(noticeOf([link], 'gate.example')).toEqual({
    subject: 'Sign in to Acme',
    text: expect.stringMatching(
      /Acme \(as an administrator\) at gate\.example\. It works once, for 15 minutes\. If you did not ask for it, do nothing/,
    ),
    link: { label: 'Sign in', url: link.url },
  })
  const both = noticeOf(
    [link, { ...link, accountName: 'Beta', isAdmin: false, url: 'https://b' }],
    'gate.example',
  )
  expect(both.text).toContain(
    'Acme (as an administrator):\nhttps://gate.example/console/sign-in/x\n\nBeta:\nhttps://b',
  )
  expect(both.subject).not.toContain('Acme')
})
