import { expect, test } from '@jest/globals'
import { asciiAddress, shownAddress } from '../../src/text/mail-address.ts'
import { email } from '../../src/operations/entered-fields.ts'
import { testRows } from '../support/rows.ts'

testRows([
  ['ada@bücher.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example (bücher.example)'],
  ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example (bücher.example)'],
  ['ada@bu\u0308cher.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example (bücher.example)'],
  ['a.b+c@пример.рф', 'a.b+c@xn--e1afmkfd.xn--p1ai', 'a.b+c@xn--e1afmkfd.xn--p1ai (пример.рф)'],
  ['x@例え。テスト', 'x@xn--r8jz45g.xn--zckzah', 'x@xn--r8jz45g.xn--zckzah (例え.テスト)'],
  ['x@faß.example', 'x@xn--fa-hia.example', 'x@xn--fa-hia.example (faß.example)'],
  ['x@xn--bcher-kva.example', 'x@xn--bcher-kva.example', 'x@xn--bcher-kva.example (bücher.example)'],
  ['Ada@Example.com', 'Ada@Example.com', 'Ada@Example.com'],
])('an international domain is stored in ASCII, and both are shown: %s', (given, stored, shown) => {
  expect(email.parse(given)).toBe(stored)
  expect(email.parse(stored)).toBe(stored)
  expect(shownAddress(stored)).toBe(shown)
})

testRows<[string, RegExp]>([
  ['ada', /^must be an e-mail address$/],
  ['@bücher.example', /^must be an e-mail address$/],
  ['ada@', /^must be an e-mail address$/],
  ['jürgen@example.com', /only ASCII characters before the @, and "ü" is none/],
  ['юрий@пример.рф', /only ASCII characters before the @, and "ю" is none/],
  ['ada@bücher..example', /a name on each side of every dot, and "bücher\.\.example" has a dot too many/],
  ['ada@.bücher.example', /has a dot too many/],
  ['ada@bücher。.example', /has a dot too many/],
  ['ada@example..com', /"example\.\.com" has a dot too many/],
  ['ada@example.com.', /has a dot too many/],
  ['ada@bücher.example/x', /a domain after the @ that exists in the DNS/],
  ['ada@bücher .example', /a domain after the @ that exists/],
  ['ada@ex\u200bample.com', /a domain after the @ that exists/],
  ['ada@b\u034Fücher.example', /a domain after the @ that exists/],
  ['ada@bu\u034F\u0308cher.example', /a domain after the @ that exists/],
  ['ada@ｂücher.example', /a domain after the @ that exists/],
  ['ada@example.com\u034F', /a domain after the @ that exists/],
  ['ada@xn--a.example', /a domain after the @ that exists/],
  ['ada@mail.XN--zzzz.example', /a domain after the @ that exists/],
  ['ada@xn--.example', /a domain after the @ that exists/],
  ['ada@１２７.1', /a domain after the @ that exists/],
  ['ada@a_ü.example', /a domain after the @ that exists/],
  [`ada@${'ü'.repeat(80)}.example`, /./],
])('a text that is no address is refused with what to enter: %s', (given, problem) => {
  const { success, error } = email.safeParse(given)
  expect(success).toBe(false)
  expect(error!.issues[0]!.message).toMatch(problem)
})

test('a text that is no address stays as it is', () => {
  for (const text of ['', '@', 'U0ADA', 'ä', 'a@b@c', 'a@ü/', '\u0000@ü'])
    expect(asciiAddress(text)).toBe(text === '\u0000@ü' ? '\u0000@xn--tda' : text)
})
