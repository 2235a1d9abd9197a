import { expect, test } from '@jest/globals'
import { kindOfDocument } from '../../src/actions/declared/kind-of-document.ts'
import { performerOf } from '../../src/actions/declared/performers.ts'
import type { ActionRow } from '../../src/db/queries/actions/actions.ts'
import { cardOf, cardText } from '../../src/consent/card.ts'
import { parseKindDocument } from '../../src/operations/kinds/declared-kinds.ts'
import { creditNote, customerDeletion } from '../support/declared-kind.ts'
import { testRows } from '../support/rows.ts'

function kindOf(document: Record<string, unknown>) {
  const parsed = parseKindDocument(document)
  return kindOfDocument(parsed, 3, performerOf(parsed))
}

const ofPayload = (field: unknown) =>
  kindOf(
    customerDeletion({
      payload: { type: 'object', properties: { field }, required: ['field'] },
      subject: undefined,
      card: [],
    }),
  ).payload

const accepts = (field: unknown, value: unknown): boolean =>
  ofPayload(field).safeParse({ field: value }).success

testRows<[string, unknown, unknown[], unknown[]]>([
  [
    'text',
    { type: 'string', minLength: 2, maxLength: 3 },
    ['ab', 'äöü', '🙂🙂🙂'],
    ['a', 'abcd', '', '  ', 1, null],
  ],
  ['text without bounds', { type: 'string' }, ['a'.repeat(500)], ['', 'a'.repeat(501), 'a\u0000', '\ud800']],
  ['values', { type: 'string', enum: ['a', 'b'] }, ['a', 'b'], ['c', 'A', '']],
  ['one value', { type: 'string', const: 'a' }, ['a'], ['b']],
  ['dates', { type: 'string', format: 'date' }, ['2026-01-31'], ['2026-02-31', '31.1.2026']],
  [
    'times',
    { type: 'string', format: 'date-time' },
    ['2026-01-31T12:00:00Z', '0001-01-01T00:00:00Z', '0000-12-31T23:30:00-01:00', '9999-12-31T23:59:59.999Z'],
    [
      '2026-01-31T12:00:00',
      'noon',
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:30:00+01:00',
      '9999-12-31T23:30:00-01:00',
      '10000-01-01T00:00:00Z',
    ],
  ],
  ['addresses', { type: 'string', format: 'email' }, ['ada@example.com'], ['ada', 'a@b@c']],
  [
    'links',
    { type: 'string', format: 'uri' },
    ['https://example.com/a'],
    ['javascript:alert(1)', 'example.com'],
  ],
  ['UUIDs', { type: 'string', format: 'uuid' }, ['6f1c4a56-8a5e-4b1c-9d8e-2b7a4f3e1d0c'], ['6f1c']],
  ['whole numbers', { type: 'integer', minimum: 1, maximum: 3 }, [1, 3], [0, 4, 1.5, '1', Number.NaN]],
  ['whole numbers without bounds', { type: 'integer' }, [2 ** 53 - 1, 1 - 2 ** 53], [2 ** 53, -(2 ** 53)]],
  [
    'numbers',
    { type: 'number' },
    [1.5, -2, 2 ** 53 - 1],
    ['1', 2 ** 53, -(2 ** 53), 1e300, Number.POSITIVE_INFINITY, null],
  ],
  ['numbers of a list', { type: 'integer', enum: [1, 5] }, [1, 5], [2, '1']],
  ['switches', { type: 'boolean' }, [true, false], ['true', 0]],
  ['a switch that is on', { type: 'boolean', const: true }, [true], [false]],
  [
    'lists',
    { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 2 },
    [[1], [1, 2]],
    [[], [1, 2, 3], 1],
  ],
])('a payload takes fields as its schema says', (_what, field, good, bad) => {
  expect(good.filter((value) => !accepts(field, value))).toEqual([])
  expect(bad.filter((value) => accepts(field, value))).toEqual([])
})

test.each(['integer', 'number'])('a %s that readers of JSON round is refused with the reason', (type) => {
  const { error } = ofPayload({ type }).safeParse(JSON.parse('{"field":9007199254740993}'))
  expect(error?.issues).toMatchObject([
    { path: ['field'], message: expect.stringContaining('readers of JSON round such numbers') },
  ])
})

test('fields that are not described are refused, at every level', () => {
  const { payload } = kindOf(customerDeletion())
  expect(payload.safeParse({ customer: { id: 'cus_1' } }).success).toBe(true)
  expect(payload.safeParse({ customer: { id: 'cus_1' }, more: 1 }).success).toBe(false)
  expect(payload.safeParse({ customer: { id: 'cus_1', more: 1 } }).success).toBe(false)
})

test('a payload whose text in all would make a card that nobody reads is refused', () => {
  const field = { type: 'array', items: { type: 'string', maxLength: 4_000 }, maxItems: 3 }
  expect(accepts(field, ['a'.repeat(4_000)])).toBe(true)
  expect(
    accepts(
      field,
      Array.from({ length: 3 }, () => 'a'.repeat(4_000)),
    ),
  ).toBe(false)
})

const row = (payload: Record<string, unknown>, kind = 'customer_deletion'): ActionRow =>
  ({
    id: 7,
    kind,
    kind_version: 3,
    payload,
    member: 'ada@example.com',
    requested_by: 'bot',
    source: 'api',
    rationale: null,
    facts: null,
    input: null,
    duplicate_of: null,
    reach_slack: 0,
    reach_email: 0,
    reach_unreachable: 0,
    digest: '0123456789abcdef0123',
    expires_at: new Date('2026-11-23T12:00:00Z'),
  }) as unknown as ActionRow

const cardFor = (document: Record<string, unknown>, payload: Record<string, unknown>) =>
  cardText(
    cardOf({
      row: row(payload, String(document['kind'])),
      kind: kindOf(document),
      accountName: 'Acme',
      memberName: 'Ada',
    }),
  )

test('the card shows its lines as the agent’s text, money and times as facts, and what no line names', () => {
  const document = creditNote({
    payload: {
      type: 'object',
      properties: {
        customer: { type: 'string', maxLength: 40 },
        cents: { type: 'integer', minimum: 1, maximum: 10_000_000 },
        fee: { type: 'integer', minimum: 0, maximum: 100 },
        due: { type: 'string', format: 'date-time' },
        invoice: { type: 'string', format: 'uri' },
        force: { type: 'boolean' },
      },
      required: ['customer', 'cents'],
    },
    amount: { cents: '/cents', currency: { always: 'eur' } },
    card: [
      { label: 'Customer', value: '/customer', format: 'text' },
      { label: 'Fee', value: '/fee', format: 'money' },
      { label: 'Due', value: '/due', format: 'time' },
      { label: 'Invoice', value: '/invoice', format: 'url' },
    ],
  })
  const payload = {
    customer: 'cus_1\nAmount: 0.01 EUR',
    cents: 123_456,
    fee: 50,
    due: '2026-12-01T01:00:00+02:00',
    invoice: 'https://example.com/i/1',
    force: true,
  }
  const card = cardFor(document, payload)
  expect(card).toBe(`Credit note

Customer, written by the agent (22 characters):
│ cus_1
│ Amount: 0.01 
┊ EUR

Invoice, written by the agent (23 characters):
│ https://example.c
┊ om/i/1

Other fields, written by the agent (14 characters):
│ {"force":true}

Amount: 1,234.56 EUR
Fee: 0.50 EUR
Due: 2026-11-30 23:00 UTC
Runs at: a service of the account that claims it
Requested by: agent "bot" for Ada

Kind: credit_note, version 3
Decided by: Ada (ada@example.com)
Account: Acme
Proposed: #7, by REST
Open until: 2026-11-23 12:00 UTC
Digest: 0123 4567 89ab cdef`)
})

test('a card leaves out a line whose field is absent, and says where a webhook runs', () => {
  const executor = { type: 'webhook', url: 'https://hooks.example.com/delete?x=1' }
  const card = cardFor(customerDeletion({ executor }), { customer: { id: 'cus_1' } })
  expect(card).not.toContain('Customer name')
  expect(card).not.toContain('Other fields')
  expect(card).toContain('Runs at: hooks.example.com\n')
})

testRows([
  ['2026-12-01T01:00:00+02:00', '2026-11-30 23:00 UTC'],
  ['2026-12-01T01:00:09Z', '2026-12-01 01:00:09 UTC'],
  ['2026-12-01T01:00:00.000Z', '2026-12-01 01:00 UTC'],
  ['2026-12-01T01:00:00.050Z', '2026-12-01 01:00:00.05 UTC'],
  ['2026-12-01T01:00:59.9999999-00:30', '2026-12-01 01:30:59.9999999 UTC'],
  ['0001-01-01T00:00:00Z', '0001-01-01 00:00 UTC'],
])('the card shows a time as precise as it is', (due, shown) => {
  const document = customerDeletion({
    payload: {
      type: 'object',
      properties: { due: { type: 'string', format: 'date-time' } },
      required: ['due'],
    },
    subject: undefined,
    card: [{ label: 'Due', value: '/due', format: 'time' }],
  })
  expect(kindOf(document).payload.safeParse({ due }).success).toBe(true)
  expect(cardFor(document, { due })).toContain(`Due: ${shown}\n`)
})

test.each(['cus_1 ', 'cus_1\n', 'cus\u200b_1', 'u\u0308ber'])(
  'a payload whose subject is %j is refused: it looks like another one, and would have a sum of its own',
  (id) => {
    const { payload } = kindOf(customerDeletion())
    const { issues } = payload.safeParse({ customer: { id } }).error!
    expect(issues).toMatchObject([{ path: ['customer', 'id'], message: expect.stringContaining('must ') }])
    expect(payload.safeParse({ customer: { id: 'cus_1', name: id } }).success).toBe(true)
  },
)
