import { expect, test } from '@jest/globals'
import { atJsonPointer } from '../../src/gate/declared/json-pointer.ts'
import { stricter } from '../../src/gate/requirement.ts'
import { requiredBy, weightOfCall } from '../../src/gate/declared/upstream-call.ts'

const order = { a: { 'b/c': [10, { '~d': 'deep' }] }, empty: { '': 1 }, zero: 0, none: null }

test.each([
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
])('the pointer %j names %j', (pointer, value) => {
  expect(atJsonPointer(order, pointer)).toEqual(value)
})

const amount = { cents: '/cents', currency: '/currency' }

test.each([
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
])('the amount of %j is %j', (args, weight) => {
  expect(weightOfCall({ amount }, args)).toEqual(weight)
})

test('a subject is text, whatever its type', () => {
  const of = (id: unknown) => weightOfCall({ subject: '/id' }, { id: id as never })
  expect([of('o1'), of(7), of(['a']), of(null), weightOfCall({}, { id: 1 })]).toEqual([
    { subject: 'o1' },
    { subject: '7' },
    { subject: '["a"]' },
    {},
    {},
  ])
})

test('a rule that requires nothing of its own requires what every reviewed tool does', () => {
  expect(requiredBy({ rule: 'confirm' })).toEqual({ tier: 'write', consent: 'chat' })
})

test('of two rules for one action the stricter decides', () => {
  const cleared = (consent: 'agent_attested' | 'chat' | 'page') =>
    ({ allowed: true, rule: consent, needed: 'write', consent }) as const
  const refused = { allowed: false, code: 'kind_off', rule: 'off', needed: null, consent: null } as const
  expect(stricter(cleared('chat'), cleared('page'))).toEqual(cleared('page'))
  expect(stricter(cleared('page'), cleared('chat'))).toEqual(cleared('page'))
  expect(stricter(refused, cleared('page'))).toEqual(refused)
  expect(stricter(cleared('page'), refused)).toEqual(refused)
})
