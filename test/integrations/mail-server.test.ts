import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readMailServer } from '../../src/integrations/mail-server.ts'
import { smtpServerOf, smtpUrlFault } from '../../src/network/smtp-server.ts'
import { testRows } from '../support/rows.ts'

const entered = { server: 'smtp.acme.example', user: 'gate', key: 'hush' }

testRows<[string, string, number, string]>([
  ['smtp.acme.example', 'smtp.acme.example', 465, 'implicit'],
  [' SMTP.acme.example:587 ', 'smtp.acme.example', 587, 'starttls'],
  ['smtp.acme.example:25', 'smtp.acme.example', 25, 'starttls'],
  ['smtp.acme.example:2465', 'smtp.acme.example', 2465, 'implicit'],
])('a server is reached under TLS at its port', (server, host, port, tls) => {
  const { address } = readMailServer({ ...entered, server })
  expect(smtpUrlFault(address)).toBeUndefined()
  expect(smtpServerOf(address)).toEqual({ host, port, tls, login: { user: 'gate', password: 'hush' } })
})

testRows<[object, string]>([
  [{ server: '' }, 'server'],
  [{ server: 'localhost' }, 'server'],
  [{ server: '127.0.0.1:587' }, 'server'],
  [{ server: '[::1]:587' }, 'server'],
  [{ server: '0x7f000001' }, 'server'],
  [{ server: 'smtp.acme.example:6379' }, 'server'],
  [{ server: 'smtp.acme.example:465/x' }, 'server'],
  [{ server: 'user@smtp.acme.example' }, 'server'],
  [{ server: 'smtp.acme.example\r\nX' }, 'server'],
  [{ user: ' ' }, 'user'],
  [{ user: 'a\r\nb' }, 'user'],
  [{ key: '' }, 'key'],
  [{ key: 'x'.repeat(1_001) }, 'key'],
])('what is wrong is said of its field, and never repeats the password', (wrong, param) => {
  const read = () => readMailServer({ ...entered, ...wrong })
  expect(read).toThrow(expect.objectContaining({ code: 'invalid', param }))
  expect(read).not.toThrow('hush')
})

test('any user and password come back as they were entered', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 100 })
    .filter((one) => !/\p{Cc}/u.test(one))
  fc.assert(
    fc.property(text, text, (user, key) => {
      fc.pre(user.trim() !== '')
      const { login } = smtpServerOf(readMailServer({ ...entered, user, key }).address)
      expect(login).toEqual({ user: user.trim(), password: key })
    }),
  )
})

testRows<[string, boolean]>([
  ['smtps://mail.example', true],
  ['smtp://127.0.0.1:1025', true],
  ['http://mail.example', false],
  ['smtps://user@mail.example', false],
  ['smtps://mail.example/path', false],
  ['smtps://mail.example?tls=no', false],
  ['smtps://u%0d%0a:p@mail.example', false],
  ['smtps://u:%zz@mail.example', false],
])('an address of the environment is good or not', (address, isGood) => {
  expect(smtpUrlFault(address) === undefined).toBe(isGood)
})

test('mail goes without TLS to this machine alone', () => {
  expect(smtpServerOf('smtp://localhost:1025', true).tls).toBe('off')
  expect(() => smtpServerOf('smtp://mail.example', true)).toThrow('SMTP_TLS=off')
  expect(() => smtpServerOf('smtps://localhost', true)).toThrow('SMTP_TLS=off')
})
