import { afterEach, describe, expect, test } from '@jest/globals'
import type { SMTPServerOptions } from 'smtp-server'
import type { SmtpServer } from '../../src/network/smtp-server.ts'
import { checkSmtpServer } from '../../src/providers/smtp/check.ts'
import { type SmtpChannelOptions, smtpChannel } from '../../src/providers/smtp/channel.ts'
import { rateLimiter } from '../../src/providers/rate-limiter.ts'
import { sendNotice } from '../../src/providers/send-notice.ts'
import { ofAnother, ofThisMachine } from '../support/mail-certificates.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { firstOutcome, outcomesOf, sliceFor } from './slices.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => void (await Promise.all(stops.splice(0).map((stop) => stop()))))

async function started(tls?: SmtpServer['tls'], options?: Parameters<typeof startMailServer>[1]) {
  const server = await startMailServer(tls, options)
  stops.push(server.stop)
  return server
}

const channelTo = ({ at }: MailServer, options: Partial<SmtpChannelOptions> = {}) =>
  smtpChannel({ server: at, from: 'Gate <gate@acme.example>', ca: ofThisMachine.cert, ...options })

const header = (raw: string, name: string) =>
  new RegExp(`^${name}: ((?:.|\\r\\n[ \\t])*)`, 'mi').exec(raw)?.[1]?.replaceAll('\r\n', '')

test.each(['starttls', 'implicit'] as const)('a mail goes out signed in and under TLS (%s)', async (tls) => {
  const server = await started(tls)
  const channel = channelTo(server)
  const slice = sliceFor(channel, { text: 'Lunch is at noon.\n.\n..\nPlätze: 4 😀' })
  const outcome = await firstOutcome(channel.send(slice))
  const [mail] = server.mails
  expect(mail).toMatchObject({
    from: 'gate@acme.example',
    to: ['ada@example.com'],
    user: 'gate',
    isSecure: true,
  })
  expect(header(mail!.raw, 'From')).toBe('Gate <gate@acme.example>')
  expect(header(mail!.raw, 'To')).toBe('ada@example.com')
  expect(header(mail!.raw, 'Subject')).toBe('Message from Ada')
  expect(header(mail!.raw, 'X-Gate-Action')).toBe('42')
  expect(header(mail!.raw, 'Auto-Submitted')).toBe('auto-generated')
  expect(outcome).toEqual({ state: 'ok', providerId: header(mail!.raw, 'Message-ID')!.slice(1, -1) })
  expect(mail!.raw).toContain('Pl=C3=A4tze: 4 =F0=9F=98=80')
})

test('the same delivery is the same message to its last byte, another one has another Message-ID', async () => {
  const server = await started()
  const slice = sliceFor(channelTo(server))
  await channelTo(server).send(slice)
  await channelTo(server, { from: 'Other <other@acme.example>' }).send(slice)
  await channelTo(server).send(sliceFor(channelTo(server)))
  const [first, again, other] = server.mails.map(({ raw }) => raw)
  expect(again).toBe(first)
  expect(header(other!, 'Message-ID')).not.toBe(header(first!, 'Message-ID'))
})

describe('nobody gets mail or password', () => {
  const rows: [string, SmtpServer['tls'], SMTPServerOptions, Partial<SmtpChannelOptions>, object][] = [
    [
      'without STARTTLS',
      'starttls',
      { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] },
      {},
      { code: 'not_secure' },
    ],
    [
      'with a certificate of another server',
      'starttls',
      ofAnother,
      { ca: ofAnother.cert },
      { code: 'not_secure' },
    ],
    ['the same from the first byte', 'implicit', ofAnother, { ca: ofAnother.cert }, { code: 'not_secure' }],
    ['with a certificate of nobody we trust', 'implicit', {}, { ca: ofAnother.cert }, { code: 'not_secure' }],
    ['that speaks no TLS where it should', 'implicit', { secure: false }, {}, {}],
  ]
  test.each(rows)('of a server %s', async (_name, tls, given, options, expected) => {
    const tried: string[] = []
    const server = await started(tls, {
      ...given,
      onAuth: ({ password }, _session, done) => {
        tried.push(password ?? '')
        done(null, { user: 'x' })
      },
    })
    const channel = channelTo(server, { connectMs: 2_000, ...options })
    const outcome = await firstOutcome(channel.send(sliceFor(channel)))
    expect(outcome).toMatchObject({ state: 'not_done', retryAfterMs: expect.any(Number), ...expected })
    expect([server.mails, tried]).toEqual([[], []])
  })
})

test('a connection that breaks after the last dot is unknown; a second copy of a notice has the same Message-ID', async () => {
  const server = await started('starttls', {
    onTaken: (breakConnection, taken) => taken === 1 && breakConnection(),
  })
  const channel = channelTo(server)
  const message = channel.freezeNotice({ subject: 'Sign in', text: 'Here' })
  const notice = { key: 'k', message, address: 'ada@example.com', attemptedAt: new Date() }
  expect(await sendNotice(channel, notice)).toEqual({ state: 'unknown', code: 'connection_lost' })
  expect(await sendNotice(channel, notice)).toMatchObject({ state: 'ok' })
  const [first, again] = server.mails
  expect(again!.raw).toBe(first!.raw)
})

test('a refused login is final, and its words are shown without the password', async () => {
  const server = await started()
  const at = { ...server.at, login: { user: 'gate', password: 'wrong hush' } }
  const channel = channelTo(server, { server: at })
  const addresses = Array.from({ length: 30 }, (_, n) => `member${n}@example.com`)
  const outcomes = await outcomesOf(channel.send(sliceFor(channel, { addresses })))
  expect(outcomes.every((one) => one.state === 'not_done' && one.code === 'login_refused')).toBe(true)
  expect(JSON.stringify(outcomes)).not.toContain('hush')
  expect(outcomes[0]).not.toHaveProperty('retryAfterMs')
  // Nobody is locked out by a try for each recipient.
  expect(server.connected).toBeLessThanOrEqual(3)
  const check = await checkSmtpServer({ server: at, from: 'gate@acme.example', ca: ofThisMachine.cert })
  expect(check).toEqual({ refused: 'login_refused', says: expect.stringMatching(/^535 /) })
})

test('a recipient that the server refuses, or defers, stops no other', async () => {
  const server = await started('starttls', {
    onRcptTo({ address }, _session, done) {
      const code = address.startsWith('gone') ? 550 : address.startsWith('full') ? 452 : 0
      done(code === 0 ? null : Object.assign(new Error(`no mail for ${address}`), { responseCode: code }))
    },
  })
  const channel = channelTo(server)
  const addresses = ['a@x.example', 'gone@x.example', 'b@x.example', 'full@x.example', 'c@x.example']
  const outcomes = await outcomesOf(channel.send(sliceFor(channel, { addresses })))
  expect(outcomes.map(({ state }) => state)).toEqual(['ok', 'not_done', 'ok', 'not_done', 'ok'])
  expect(outcomes[1]).toEqual({ state: 'not_done', code: 'smtp_550', says: '550 no mail for …' })
  expect(outcomes[3]).toMatchObject({ code: 'smtp_452', retryAfterMs: 60_000 })
  expect(server.mails.map(({ to }) => to[0]).toSorted()).toEqual([
    'a@x.example',
    'b@x.example',
    'c@x.example',
  ])
})

test('few connections carry many mails, and an idle one that the server ended is replaced unseen', async () => {
  const server = await started('implicit', { socketTimeout: 300 })
  const channel = channelTo(server, { rateLimiter: rateLimiter({ perSecond: 0 }) })
  const addresses = Array.from({ length: 50 }, (_, n) => `member${n}@example.com`)
  const outcomes = await outcomesOf(channel.send(sliceFor(channel, { addresses })))
  expect(outcomes.every(({ state }) => state === 'ok')).toBe(true)
  expect(new Set(server.mails.map(({ to }) => to[0]))).toEqual(new Set(addresses))
  expect(server.mails).toHaveLength(50)
  expect(server.connected).toBeLessThanOrEqual(4)
})

test('names, subjects and addresses cannot add a header or a recipient', async () => {
  const server = await started()
  const channel = channelTo(server)
  const hostile = [
    'x\r\nBcc: eve@evil.example',
    `${'é'.repeat(500)}\u2028Bcc: eve@evil.example`,
    '"; <eve@evil.example>',
  ]
  for (const proposerName of hostile) await channel.send(sliceFor(channel, { proposerName }))
  const addresses = [
    'ada@example.com\r\nRCPT TO:<eve@evil.example>',
    'ada@example.com> <eve@evil.example',
    'ada@example.com, eve@evil.example',
    'Ada <ada@example.com>',
    '',
  ]
  const outcomes = await outcomesOf(channel.send(sliceFor(channel, { addresses })))
  expect(outcomes).toEqual(addresses.map(() => ({ state: 'not_done', code: 'invalid_address' })))
  const notice = {
    subject: 'Sign in\r\nBcc: eve@evil.example',
    text: `${'long '.repeat(5_000)}\r.\r\n.\r\nQUIT\r\n`,
  }
  const sent = {
    key: 'k',
    message: channel.freezeNotice(notice),
    address: 'ada@example.com',
    attemptedAt: new Date(),
  }
  expect(await sendNotice(channel, sent)).toMatchObject({ state: 'ok' })
  expect(server.mails).toHaveLength(4)
  for (const { raw, to } of server.mails) {
    expect(to).toEqual(['ada@example.com'])
    expect(header(raw, 'Bcc')).toBeUndefined()
    expect(Math.max(...raw.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(998)
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  }
})

test('a message that is too large for the server, or for anyone, is refused before it is sent', async () => {
  const server = await started('starttls', { size: 20_000 })
  const channel = channelTo(server)
  const outcomeOf = (text: string) => firstOutcome(channel.send(sliceFor(channel, { text })))
  expect(await outcomeOf('x'.repeat(30_000))).toMatchObject({ state: 'not_done', code: 'message_too_large' })
  expect(await outcomeOf('x'.repeat(2_000_000))).toEqual({ state: 'not_done', code: 'message_too_large' })
  expect(await outcomeOf('short')).toMatchObject({ state: 'ok' })
  expect(server.mails).toHaveLength(1)
})

test('a server that limits the rate is left alone by everyone for a while', async () => {
  const server = await started('starttls', {
    onMailFrom: (_address, _session, done) =>
      done(Object.assign(new Error('too many'), { responseCode: 421 })),
  })
  const channel = channelTo(server)
  const addresses = Array.from({ length: 20 }, (_, n) => `member${n}@example.com`)
  const outcomes = await outcomesOf(channel.send(sliceFor(channel, { addresses })))
  expect(new Set(outcomes.map((one) => one.state === 'not_done' && one.code))).toEqual(
    new Set(['ratelimited']),
  )
  expect(server.connected).toBeLessThanOrEqual(3)
})
