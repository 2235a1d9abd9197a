import { afterEach, expect, test } from '@jest/globals'
import { limits } from '../../src/limits.ts'
import { type MailAsker, mailsPerHour } from '../../src/operations/sign-in/mail-budget.ts'
import { noticeOf } from '../../src/operations/sign-in/mail-links.ts'
import type { DeliveryChannel, DeliveryOutcome } from '../../src/providers/ports.ts'
import { connect, ringOf } from '../support/connect.ts'
import { invitation, mailsTo, startConsole, visitor } from '../support/console.ts'
import type { GateOptions, TestGate } from '../support/gate.ts'
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
  await connect(gate, own.client, { email: 'ada@example.com' }, 'resend')
  await visitor(gate).send('/console/sign-in', { email: 'ada@example.com' })
}

const linksIn = (text: string) => text.match(/\/console\/sign-in\/[\w-]{43}/g)!

test("links go out through the service's own e-mail, not through what an account connected: who holds that would read them", async () => {
  await twoAccounts({})
  await until('the mail', async () => mailsTo(gate, 'ada@example.com')[0])
  await gate.deps.background.idle()
  expect(mailsTo(gate, 'ada@example.com').map(({ text }) => linksIn(text).length)).toEqual([2])
}, 60_000)

test('where the service has no e-mail, nothing is sent, whatever an account connected', async () => {
  await twoAccounts({ channels: {} })
  await gate.deps.background.idle()
  expect(mailsTo(gate, 'ada@example.com')).toEqual([])
}, 60_000)

/** An e-mail of the service's own that does as it is told, and keeps the keys of what it was to send. */
function ownEmail(outcomeOf: (sent: number) => DeliveryOutcome) {
  const sent: string[] = []
  const email: DeliveryChannel = {
    channel: 'email',
    credential: 'c',
    isIdempotent: true,
    mayRepeatNotice: true,
    freeze: () => ({}),
    freezeNotice: (notice) => ({ text: notice.text }),
    send: async ({ key }) => ({ outcomes: [outcomeOf(sent.push(key))] }),
    reconcile: async () => ({ outcomes: [] }),
  }
  return { sent, channels: { email } }
}

const ok: DeliveryOutcome = { state: 'ok', providerId: 'x' }
const timeout: DeliveryOutcome = { state: 'unknown', code: 'timeout' }

/** Asks so many times, one after the other. */
async function ask(email: string, times = 1): Promise<void> {
  for (let n = 0; n < times; n++) {
    const { status, headers } = await visitor(gate).send('/console/sign-in', { email })
    expect([status, headers.get('location')]).toEqual([303, '/console/sign-in/sent'])
    await gate.deps.background.idle()
  }
}

test('a mail that was not sent for the moment is sent again, once', async () => {
  const outcomes: DeliveryOutcome[] = [
    { state: 'not_done', code: 'ratelimited', retryAfterMs: 1 },
    timeout,
    ok,
  ]
  const { sent, channels } = ownEmail((n) => outcomes[n - 1]!)
  await start({ channels })
  const { addMember } = await gate.account()
  await addMember({ email: 'ada@example.com' })
  await ask('ada@example.com')
  expect([sent.length, new Set(sent).size]).toEqual([3, 1])
}, 30_000)

test('a link whose mail was certainly not sent does not count, as often as that happens', async () => {
  const failed = limits.signInMailsPerAskerMax + 1
  const { sent, channels } = ownEmail((n) => (n <= failed ? { state: 'not_done', code: 'refused' } : ok))
  await start({ channels })
  const { addMember } = await gate.account()
  await addMember({ email: 'ada@example.com' })
  await ask('ada@example.com', failed)
  expect(await gate.database.asSuperuser('select from gate_private.sign_in_link')).toEqual([])
  for (let n = 0; n < limits.signInMailsOfStrangersMax + 2; n++) await ask('ada@example.com')
  expect(sent).toHaveLength(failed + limits.signInMailsOfStrangersMax)
}, 30_000)

test('a link whose mail was perhaps sent stays good, also where it was refused when it was sent again', async () => {
  const outcomes: DeliveryOutcome[] = [timeout, { state: 'not_done', code: 'refused' }]
  const { sent, channels } = ownEmail((n) => outcomes[n - 1]!)
  await start({ channels })
  const { addMember } = await gate.account()
  await addMember({ email: 'ada@example.com' })
  await ask('ada@example.com')
  expect(sent).toHaveLength(2)
  expect(await gate.database.asSuperuser('select from gate_private.sign_in_link')).toHaveLength(1)
}, 30_000)

test('a process sends a limited number of mails an hour to unknown networks, over all mailboxes, and makes no links beyond it', async () => {
  const { sent, channels } = ownEmail(() => ok)
  await start({ channels })
  const { account, addMember } = await gate.account()
  const most = limits.signInMailsPerHourOfStrangersMax
  for (let n = 0; n < most + 3; n++) {
    const email = `person${n}@example.com`
    await addMember({ email })
    await ask(email)
  }
  expect(sent).toHaveLength(most)
  const links = await gate.database.asSuperuser('select from gate_private.sign_in_link')
  expect(links).toHaveLength(most)
  // Some mails are kept for those who ask from where they signed in before.
  const owner = visitor(gate)
  await owner.send(await invitation(gate, account, 'root@example.com'))
  await owner.send('/console/sign-in', { email: 'root@example.com' })
  await gate.deps.background.idle()
  expect(sent).toHaveLength(most + 1)
}, 60_000)

test('mails are counted by the hour that passed, and not where they were not sent', () => {
  let now = 0
  const bounds = { max: 4, ofStrangersMax: 3, ofStrangerMax: 2 }
  const budget = mailsPerHour(bounds, () => now)
  const from = (network: string, isKnown = false) => ({ network, isKnown })
  const [a, b, known] = [from('a'), from('b'), from('a', true)]
  const taken = (...askers: MailAsker[]) => askers.map((asker) => budget.take(asker))
  expect(taken(a, a, a, b, b)).toEqual([true, true, false, true, false])
  expect(taken(known, known)).toEqual([true, false])
  budget.giveBack(b)
  expect(taken(a, b, b)).toEqual([false, true, false])
  now = 3_600_000
  expect(taken(a, a, a)).toEqual([true, true, false])
})

test('the mail says what it is for, that it works once, and what to do where nobody asked', () => {
  const link = { accountName: 'Acme', isAdmin: true, url: 'https://gate.example/console/sign-in/x' }
  expect(noticeOf([link], 'gate.example')).toEqual({
    subject: 'Sign in to Acme',
    text: expect.stringMatching(
      /Acme \(as an administrator\) at gate\.example\. It works once and expires after 15 minutes\. If you did not request it, ignore this e-mail\./,
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
