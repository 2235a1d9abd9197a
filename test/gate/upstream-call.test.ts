import { expect, test } from '@jest/globals'
import { atJsonPointer, hasLookalike } from '../../src/gate/declared/json-pointer.ts'
import { stricter } from '../../src/gate/requirement.ts'
import { requiredBy, weightOfCall, whyUnweighed } from '../../src/gate/declared/upstream-call.ts'
import { testRows } from '../support/rows.ts'

const order = { a: { 'b/c': [10, { '~d': 'deep' }] }, empty: { '': 1 }, zero: 0, none: null }

testRows([
  ['/a/b~1c/0', 10],
  ['/a/b~1c/1/~0d', 'deep'],
  ['/empty/', 1],
  ['/zero', 0],
  ['/none', null],
  ['', order],
  ['/a/b~1c/2', undefined],
  ['/a/b~1c/-', undefined],
  ['/a/b~1c/00', undefined],
  ['/a/b~1c/length', undefined],
  ['/zero/toFixed', undefined],
  ['/none/x', undefined],
  ['/constructor', undefined],
  ['/__proto__/toString', undefined],
])('a pointer names the value that it leads to', (pointer, value) => {
  expect(atJsonPointer(order, pointer)).toEqual(value)
})

const amount = { cents: '/cents', currency: '/currency' }

testRows([
  [
    { cents: 0, currency: 'EUR' },
    { amount_cents: 0, currency: 'eur' },
  ],
  [
    { cents: 1_250, currency: 'usd' },
    { amount_cents: 1_250, currency: 'usd' },
  ],
  [{ cents: -1, currency: 'usd' }, {}],
  [{ cents: 1.5, currency: 'usd' }, {}],
  [{ cents: '100', currency: 'usd' }, {}],
  [{ cents: 2 ** 53, currency: 'usd' }, {}],
  [{ cents: 100, currency: 'jpy' }, {}],
  [{ cents: 100 }, {}],
  [{}, {}],
])('the amount of a call is read from its arguments', (args, weight) => {
  expect(weightOfCall({ amount }, args)).toEqual(weight)
})

test('a subject is a text or a whole number, which name the same; a list names none', () => {
  const of = (id: unknown) => weightOfCall({ subject: '/id' }, { id: id as never })
  expect([of('7'), of(7), of(['7']), of({ id: 7 }), of(1.5), of(true), of(null)]).toEqual([
    { subject: '7' },
    { subject: '7' },
    ...Array.from({ length: 5 }, () => ({})),
  ])
  expect(weightOfCall({}, { id: 1 })).toEqual({})
})

const whyNot = (rule: Parameters<typeof whyUnweighed>[0], args: unknown) =>
  whyUnweighed(rule, args as never, 255)?.code

testRows([
  [{ cents: 100, currency: 'USD' }, undefined],
  [{ cents: '100', currency: 'usd' }, 'amount_unknown'],
  [{ cents: 1.5, currency: 'usd' }, 'amount_unknown'],
  [{ cents: -1, currency: 'usd' }, 'amount_unknown'],
  [{ currency: 'usd' }, 'amount_unknown'],
  [{ cents: 100 }, 'amount_unknown'],
  [{ cents: 100, currency: ['usd'] }, 'amount_unknown'],
  [{ cents: 100, currency: 'jpy' }, 'currency_unsupported'],
  [{ cents: 100, currency: 'usd', CENTS: 500_000 }, 'amount_unknown'],
  [{ cents: 100, currency: 'usd', Currency: 'eur' }, 'amount_unknown'],
])('a rule that names an amount cannot weigh arguments without it', (args, code) => {
  expect(whyNot({ amount }, args)).toBe(code)
})

testRows([
  [{ id: 'o1' }, undefined],
  [{ id: 7 }, undefined],
  [{}, 'subject_unknown'],
  [{ id: null }, 'subject_unknown'],
  [{ id: ['o1'] }, 'subject_unknown'],
  [{ id: 7.5 }, 'subject_unknown'],
  [{ id: 'x'.repeat(256) }, 'subject_unknown'],
  [{ id: 'o1', ID: 'o2' }, 'subject_unknown'],
])('a rule that names a subject cannot add up arguments without it', (args, code) => {
  expect(whyNot({ subject: '/id' }, args)).toBe(code)
})

testRows([
  ['/amount', { amount: 1, Amount: 2 }],
  ['/key', { key: 1, '\u212aey': 2 }],
  ['/cents', { cents: 1, centſ: 2 }],
  ['/id', { id: 1, ıd: 2 }],
  ['/id', { id: 1, İd: 2 }],
  ['/order/cents', { order: { cents: 1 }, Order: { cents: 2 } }],
  ['/lines/0/cents', { lines: [{ cents: 1, Cents: 2 }] }],
])('another field that differs only in capitals is found beside the one that is named', (pointer, args) => {
  expect(hasLookalike(args, pointer)).toBe(true)
  expect(hasLookalike(args, '/other')).toBe(false)
})

test('fields of other names, and of other objects, are none', () => {
  expect(hasLookalike({ cents: 1, centsOff: 2, deep: { CENTS: 3 } }, '/cents')).toBe(false)
})

test('a rule that requires nothing of its own requires what every reviewed tool does', () => {
  expect(requiredBy({ rule: 'confirm' })).toEqual({ tier: 'write', consent: 'chat' })
})

test('the stricter of two rules for one action decides', () => {
  const cleared = (consent: 'agent_attested' | 'chat' | 'page') =>
    ({ allowed: true, rule: consent, needed: 'write', consent }) as const
  const refused = { allowed: false, code: 'kind_off', rule: 'off', needed: null, consent: null } as const
  expect(stricter(cleared('chat'), cleared('page'))).toEqual(cleared('page'))
  expect(stricter(cleared('page'), cleared('chat'))).toEqual(cleared('page'))
  expect(stricter(refused, cleared('page'))).toEqual(refused)
  expect(stricter(cleared('page'), refused)).toEqual(refused)
})
