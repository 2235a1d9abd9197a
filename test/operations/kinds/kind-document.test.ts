import { expect, test } from '@jest/globals'
import { actionKinds } from '../../../src/actions/registry.ts'
import { cardLabels } from '../../../src/consent/card.ts'
import { checkExecutorUrl } from '../../../src/executors/checked-url.ts'
import { limits } from '../../../src/limits.ts'
import { kindNamesOfGate } from '../../../src/operations/kinds/kind-document.ts'
import { parseKindDocument } from '../../../src/operations/kinds/declared-kinds.ts'
import { creditNote, customerDeletion } from '../../support/declared-kind.ts'
import { testRows } from '../../support/rows.ts'

/** The refusal of a document, as its field and its sentence; undefined where it is accepted. */
function refusal(document: unknown): string | undefined {
  try {
    parseKindDocument(document)
    return undefined
  } catch (error) {
    const { code, param, message } = error as { code: string; param?: string; message: string }
    return `${code} ${param}: ${message}`
  }
}

const withPayload = (payload: unknown) => customerDeletion({ payload, subject: undefined, card: [] })
const withField = (field: unknown) =>
  withPayload({ type: 'object', properties: { field }, required: ['field'] })
const withLabel = (label: string) =>
  customerDeletion({ card: [{ label, value: '/customer/id', format: 'text' }] })

test('documents of a kind with an amount and of one without are accepted as they are', () => {
  expect(parseKindDocument(customerDeletion())).toEqual(customerDeletion())
  expect(parseKindDocument(creditNote())).toEqual(creditNote())
})

testRows([...actionKinds.map(({ kind }) => kind), 'preview', 'capability_check', 'upstream_tool', 'other'])(
  'a kind of the gate cannot be declared',
  (kind) => {
    expect(kindNamesOfGate).toContain(kind)
    expect(refusal(customerDeletion({ kind }))).toMatch(/^invalid kind: kind is a kind of the gate/)
  },
)

testRows(['ab', 'Delete', '1st', 'delete-customer', 'x'.repeat(41), '__proto__', 'café', 'a b', ''])(
  'a kind has a plain name',
  (kind) => {
    expect(refusal(customerDeletion({ kind }))).toMatch(/^invalid kind: kind must be 3 to 40/)
  },
)

testRows([
  ['a pattern', { type: 'string', pattern: '^(a+)+$' }, 'pattern'],
  ['a reference', { $ref: '#' }, 'type'],
  ['a remote reference', { $ref: 'https://example.com/schema.json' }, 'type'],
  ['alternatives', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'type'],
  ['alternatives beside a type', { type: 'string', oneOf: [] }, 'oneOf'],
  ['several types', { type: ['string', 'null'] }, 'type'],
  ['a format that is not checked', { type: 'string', format: 'regex' }, 'format'],
  ['definitions', { type: 'object', properties: {}, $defs: {} }, '$defs'],
  ['fields by pattern', { type: 'object', properties: {}, patternProperties: {} }, 'patternProperties'],
  ['open fields', { type: 'object', properties: {}, additionalProperties: true }, 'additionalProperties'],
  ['unbounded text', { type: 'string', maxLength: 1_000_000 }, 'maxLength'],
  ['an unbounded list', { type: 'array', items: { type: 'string' }, maxItems: 1e9 }, 'maxItems'],
  ['a list of anything', { type: 'array' }, 'items'],
  ['values of another type', { type: 'string', enum: [1] }, 'enum'],
])('a payload is described with the keywords that the gate knows', (_what, field, keyword) => {
  expect(refusal(withField(field))).toContain(`payload.properties.field.${keyword}`)
})

test('a bound that is too large is refused in words of the gate', () => {
  for (const type of ['integer', 'number'])
    expect(refusal(withField({ type, maximum: 1e20 }))).toBe(
      `invalid payload.properties.field.maximum: payload.properties.field.maximum must be at most ${Number.MAX_SAFE_INTEGER}.`,
    )
})

testRows(['with space', 'a/b', 'a~b', '', 'ü'])('a field of a payload has a plain name', (name) => {
  const properties = JSON.parse(`{${JSON.stringify(name)}: {"type": "string"}}`)
  expect(refusal(withPayload({ type: 'object', properties }))).toMatch(/^invalid payload\.properties/)
})

test('a field named __proto__ is refused, not dropped', () => {
  const document = JSON.parse(JSON.stringify(customerDeletion()).replace('"why"', '"__proto__"'))
  expect(refusal(document)).toMatch(/^invalid undefined: .*__proto__/)
})

test('a name that every object of JavaScript has is none of a kind or a field', () => {
  expect(refusal(customerDeletion({ kind: 'constructor' }))).toMatch(
    /^invalid kind: kind is a name that every object/,
  )
  for (const name of ['constructor', 'toString', 'valueOf', 'hasOwnProperty']) {
    const properties = { [name]: { type: 'string' } }
    expect(refusal(withPayload({ type: 'object', properties }))).toMatch(
      `invalid payload: payload has a field /${name}, a name that every object in JavaScript has`,
    )
    expect(refusal(withField({ type: 'object', properties }))).toContain(`has a field /field/${name}, a name`)
  }
})

test.each(['actor', 'rationale', 'idempotency_key'])(
  'a payload cannot have the field %s, which is an argument of every tool that proposes',
  (name) => {
    const payload = { type: 'object', properties: { [name]: { type: 'string' } } }
    expect(refusal(withPayload(payload))).toContain(`has a field ${name}`)
  },
)

test('a schema that runs away is refused before anything walks through it', () => {
  const deep = JSON.parse(`${'{"type":"array","items":'.repeat(20_000)}{}${'}'.repeat(20_000)}`)
  expect(refusal(withField(deep))).toMatch(/levels deep/)
  const levels = (n: number): unknown =>
    n === 0 ? { type: 'string' } : { type: 'object', properties: { in: levels(n - 1) } }
  expect(refusal(withField(levels(limits.declaredDepthMax)))).toMatch(/at most 4 levels deep/)
  const wide = Object.fromEntries(Array.from({ length: 61 }, (_, n) => [`f${n}`, { type: 'string' }]))
  expect(refusal(withPayload({ type: 'object', properties: wide }))).toMatch(/at most 60 fields/)
})

testRows([
  '/nowhere',
  '/customer/nowhere',
  '/customer/id/length',
  '/keep_invoices/x',
  '/constructor',
  '/customer/toString',
])('a pointer cannot lead out of the payload', (value) => {
  const card = [{ label: 'Where', value, format: 'text' }]
  expect(refusal(customerDeletion({ card }))).toMatch(/^invalid card\.0\.value: .*must lead to a field/)
  expect(refusal(customerDeletion({ subject: value }))).toMatch(
    /^invalid subject: subject must lead to a field/,
  )
})

testRows([
  '',
  '/',
  'customer',
  '#/customer',
  '/customer/',
  '/__proto__/x',
  '/a~1b',
  '/customer/0/id',
  '//id',
])('a pointer must have the form of one', (value) => {
  expect(refusal(customerDeletion({ subject: value }))).toMatch(
    /^invalid subject: subject must be a JSON Pointer/,
  )
})

test('a subject is short, because it is indexed', () => {
  const { payload } = creditNote() as { payload: { properties: object } }
  const withCustomer = (customer: unknown) =>
    creditNote({ payload: { ...payload, properties: { ...payload.properties, customer } } })
  expect(refusal(withCustomer({ type: 'string', maxLength: 255 }))).toBeUndefined()
  expect(refusal(withCustomer({ type: 'string', maxLength: 256 }))).toMatch(/maxLength of at most 255/)
  expect(refusal(withCustomer({ type: 'string' }))).toMatch(/maxLength of at most 255/)
  expect(refusal(withCustomer({ type: 'string', enum: ['x'.repeat(256)] }))).toMatch(
    /maxLength of at most 255/,
  )
})

test('the values of a subject are texts that amounts can be added up by', () => {
  const { payload } = creditNote() as { payload: { properties: object } }
  const withValues = (values: string[]) => {
    const customer = { type: 'string', enum: values }
    return creditNote({ payload: { ...payload, properties: { ...payload.properties, customer } } })
  }
  expect(refusal(withValues(['cus_1', 'cus_2']))).toBeUndefined()
  expect(refusal(withValues(['cus_1', 'cus_1 ']))).toMatch(/^invalid subject: .*white space/)
})

test('the values of a text with a format are in it: a card shows them by it', () => {
  const times = (values: string[]) => withField({ type: 'string', format: 'date-time', enum: values })
  expect(refusal(times(['2026-01-31T12:00:00Z']))).toBeUndefined()
  expect(refusal(times(['2026-01-31T12:00:00Z', 'soon']))).toMatch(
    /has a value that is not in its format at \/field/,
  )
  expect(refusal(withField({ type: 'string', format: 'date', const: 'soon' }))).toMatch(/not in its format/)
})

test.each(['\u0000', '\ud800', '\u001b[31m', '\u0085'])(
  'a document has no text that cannot be stored or shown: %j',
  (odd) => {
    expect(refusal(customerDeletion({ description: `Delete ${odd}` }))).toMatch(/must be valid Unicode/)
    expect(refusal(withField({ type: 'string', enum: [`a${odd}`] }))).toMatch(/must be valid Unicode/)
  },
)

test('a subject is in every payload, and a text', () => {
  expect(refusal(customerDeletion({ subject: '/why' }))).toMatch(/must lead to a required string/)
  expect(refusal(creditNote({ subject: '/cents' }))).toMatch(/must lead to a required string/)
})

testRows([
  ['optional', { required: ['customer', 'currency'] }],
  ['negative', { cents: { type: 'integer', minimum: -1, maximum: 10 } }],
  ['without a lower bound', { cents: { type: 'integer', maximum: 10 } }],
  ['without an upper bound', { cents: { type: 'integer', minimum: 0 } }],
  ['a fraction', { cents: { type: 'number', minimum: 0, maximum: 10 } }],
  ['text', { cents: { type: 'string' } }],
])(
  'an amount is a required integer with bounds',
  (_what, { required, ...fields }: Record<string, unknown>) => {
    const { payload } = creditNote() as { payload: { properties: object; required: string[] } }
    const changed = {
      ...payload,
      properties: { ...payload.properties, ...fields },
      required: required ?? payload.required,
    }
    expect(refusal(creditNote({ payload: changed }))).toMatch(
      /^invalid amount\.cents: .*must lead to a required integer/,
    )
  },
)

test('what a member may change is a single value that the card has a line for, and neither subject nor currency', () => {
  const line = (value: string) => ({ label: `Line ${value.slice(1)}`, value, format: 'text' })
  const note = (...editable: string[]) =>
    creditNote({ card: [line('/customer'), line('/cents'), line('/currency')], editable })
  expect(refusal(note('/cents'))).toBeUndefined()
  for (const at of ['/customer', '/currency'])
    expect(refusal(note(at))).toMatch(/^invalid editable\.0: .*must not lead to the subject or the currency/)
  expect(refusal(note('/cents', '/cents'))).toMatch(/must not name a field twice/)
  expect(refusal(note('/nothing'))).toMatch(/must lead to a field of the payload/)
  expect(refusal(creditNote({ editable: ['/cents'] }))).toMatch(
    /must lead to a field that the card has a line for/,
  )
  expect(refusal(customerDeletion({ editable: ['/customer'] }))).toMatch(/must lead to a single value/)
})

test('a currency is one of the supported ones, for every payload', () => {
  const always = (currency: string) =>
    creditNote({ amount: { cents: '/cents', currency: { always: currency } } })
  expect(refusal(always('eur'))).toBeUndefined()
  expect(refusal(always('jpy'))).toMatch(/^invalid amount\.currency/)
  expect(refusal(creditNote({ amount: { cents: '/cents', currency: '/customer' } }))).toMatch(
    /^invalid amount\.currency: .*must lead to a required string whose enum/,
  )
})

testRows([
  ...Object.values(cardLabels),
  'amount',
  'AMOUNT',
  'Am0unt',
  'D1gest',
  'Âmount',
  'Amount -',
  'Amount()',
  'A mount',
  'Tier',
  'Member',
  'Expires',
  'Status',
  'Requested-by',
])('a line of a card cannot have a label that passes for the gate’s', (label) => {
  expect(refusal(withLabel(label))).toMatch(/^invalid card\.0\.label: .*is a label that the gate uses/)
})

testRows([
  'Amount: 1.00 EUR',
  'Customer\nAmount',
  'Customer\u2028Amount',
  'Аmount',
  'Am\u200bount',
  'Am\u00adount',
  'Ａmount',
  ' Customer',
  'Customer  name',
  '*Customer*',
  '<b>Customer</b>',
  '',
  'x'.repeat(41),
])('a label is one plain line', (label) => {
  expect(refusal(withLabel(label))).toMatch(/^invalid card\.0\.label/)
})

test('a title is a plain line, too, and no label of the gate', () => {
  expect(refusal(customerDeletion({ title: 'Amount: 1.00 EUR' }))).toMatch(/^invalid title/)
  expect(refusal(customerDeletion({ title: 'Digest' }))).toMatch(/^invalid title/)
})

test.each([
  ['money', '/keep_invoices'],
  ['time', '/why'],
  ['url', '/keep_invoices'],
  ['text', '/customer'],
])('a line shows nothing as %s that is not', (format, value) => {
  const card = [{ label: 'What', value, format }]
  expect(refusal(customerDeletion({ card }))).toMatch(/^invalid card\.0\.value/)
})

test('only a kind with an amount has bands', () => {
  const { default_rule: bands } = creditNote()
  expect(refusal(customerDeletion({ default_rule: bands }))).toMatch(/^invalid default_rule/)
  const rule = { tier: 'write', consent: 'page' }
  expect(refusal(creditNote({ default_rule: rule }))).toBeUndefined()
})

testRows([
  [{ type: 'webhook', url: 'ftp://example.com' }, 'executor.url'],
  [{ type: 'webhook', url: 'http://example.com/' }, 'executor.url'],
  [{ type: 'webhook', url: 'https://user:pw@example.com/' }, 'executor.url'],
  [{ type: 'webhook' }, 'executor.url'],
  [{ type: 'claim' }, 'executor.lease_minutes'],
  [{ type: 'claim', lease_minutes: 0 }, 'executor.lease_minutes'],
  [{ type: 'shell', command: 'rm -rf /' }, 'executor.type'],
  [{ type: 'claim', lease_minutes: 5, secret: 'x' }, 'executor.secret'],
])('an executor is a webhook or a claim', (executor, param) => {
  expect(refusal(customerDeletion({ executor }))).toContain(param)
})

testRows([
  ['http://127.0.0.1/', true],
  ['http://127.0.0.2:8080/hook', true],
  ['http://127.255.255.254/', true],
  ['http://127.1/', true],
  ['http://0x7f000002/', true],
  ['http://[::1]:9000/', true],
  ['http://[0:0:0:0:0:0:0:1]/', true],
  ['http://localhost/', true],
  ['http://localhost.:8080/', true],
  ['http://LOCALHOST/', true],
  ['http://[::ffff:127.0.0.1]/', false],
  ['http://128.0.0.1/', false],
  ['http://126.255.255.255/', false],
  ['http://0.0.0.0/', false],
  ['http://a.localhost/', false],
  ['http://127.0.0.1.example.com/', false],
  ['https://example.com/#part', false],
])(
  'plain http leads to this machine alone, and a document and the calls agree on what that is',
  (url, isTaken) => {
    const here = ['127.0.0.0/8', '::1']
    expect(checkExecutorUrl(url, here) === undefined).toBe(isTaken)
    for (const executor of [
      { type: 'webhook', url },
      { type: 'webhook', url: 'https://example.com/', status_url: url },
    ])
      expect(refusal(customerDeletion({ executor })) === undefined).toBe(isTaken)
  },
)

test('a field that a document does not know is refused', () => {
  expect(refusal(customerDeletion({ secret: 'x' }))).toMatch(/^invalid secret: unknown field secret/)
  expect(refusal('customer_deletion')).toMatch(/^invalid/)
  expect(refusal(null)).toMatch(/^invalid/)
})
