import { expect, test } from '@jest/globals'
import { type ObjectSchema, payloadOf } from '../../../src/actions/declared/payload-schema.ts'
import { cardText } from '../../../src/consent/card.ts'
import type { KindDocument } from '../../../src/gate/declared/declared-kind.ts'
import { parseKindDocument } from '../../../src/operations/kinds/declared-kinds.ts'
import { diffKinds, kindLines } from '../../../src/operations/kinds/kind-lines.ts'
import { parseInput } from '../../../src/operations/parse.ts'
import { payloadFields } from '../../../src/operations/kinds/payload-words.ts'
import { sampleCard } from '../../../src/operations/kinds/sample-card.ts'
import { samplePayload } from '../../../src/operations/kinds/sample-payload.ts'
import { creditNote, customerDeletion } from '../../support/declared-kind.ts'
import { testRows } from '../../support/rows.ts'

const everyField = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    short: { type: 'string', maxLength: 3 },
    long: { type: 'string', minLength: 900, maxLength: 900 },
    chosen: { type: 'string', enum: ['b', 'a'] },
    fixed: { type: 'string', const: 'always' },
    day: { type: 'string', format: 'date' },
    time: { type: 'string', format: 'date-time' },
    mail: { type: 'string', format: 'email' },
    site: { type: 'string', format: 'uri' },
    uuid: { type: 'string', format: 'uuid' },
    small: { type: 'integer', maximum: 7 },
    large: { type: 'integer', minimum: 20_000, maximum: 30_000 },
    step: { type: 'integer', enum: [3, 1] },
    share: { type: 'number', minimum: 0, maximum: 1 },
    one: { type: 'number', const: 1 },
    any: { type: 'integer' },
    yes: { type: 'boolean' },
    no: { type: 'boolean', const: false },
    lines: {
      type: 'array',
      items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
      minItems: 2,
    },
    nothing: { type: 'array', items: { type: 'string' }, maxItems: 0 },
  },
  required: ['text', 'lines'],
}
const parsed = (document: Record<string, unknown>): KindDocument => parseKindDocument(document)
const ofEveryField = parsed(customerDeletion({ payload: everyField, subject: undefined, card: [] }))

test.each([
  ['one with objects', parsed(customerDeletion())],
  ['one with an amount', parsed(creditNote())],
  ['one with every type of field', ofEveryField],
])('the made-up payload of a document could be proposed: %s', (_, document) => {
  const payload = samplePayload(document)
  expect(payloadOf(document.payload as unknown as ObjectSchema).safeParse(payload).error).toBeUndefined()
})

test('a number that was sent as text is refused with what to send', () => {
  const schema = payloadOf({
    type: 'object',
    properties: { whole: { type: 'integer' }, part: { type: 'number', maximum: 5 } },
  } as unknown as ObjectSchema)
  const refused = (given: object) => () => parseInput(schema, given)
  const advice = 'send it as a number, without quotation marks'
  expect(refused({ whole: '1000' })).toThrow(`whole must be a whole number: ${advice}.`)
  expect(refused({ part: '-1.5' })).toThrow(`part must be a number: ${advice}.`)
  expect(refused({ whole: 'ten' })).toThrow('whole must be a whole number.')
  expect(refused({ whole: true })).toThrow('whole must be a whole number.')
  expect(parseInput(schema, { whole: 1_000, part: 1.5 })).toEqual({ whole: 1_000, part: 1.5 })
})

test('the fields of a payload are described with their bounds', () => {
  const words = payloadFields(ofEveryField).map(
    ({ pointer, isRequired, holds }) => `${pointer} ${isRequired ? 'required' : 'optional'}: ${holds}`,
  )
  expect(words).toEqual([
    '/text required: text, 1 to 500 characters',
    '/short optional: text, 1 to 3 characters',
    '/long optional: text, 900 characters',
    '/chosen optional: one of: b, a',
    '/fixed optional: always always',
    '/day optional: date',
    '/time optional: time with a time zone',
    '/mail optional: e-mail address, 1 to 500 characters',
    '/site optional: web address, 1 to 500 characters',
    '/uuid optional: UUID',
    '/small optional: whole number, at most 7',
    '/large optional: whole number, 20000 to 30000',
    '/step optional: one of: 3, 1',
    '/share optional: number, 0 to 1',
    '/one optional: always 1',
    '/any optional: whole number',
    '/yes optional: true or false',
    '/no optional: always false',
    '/lines required: list, 2 to 20 items',
    '/lines/* required: object',
    '/lines/*/sku required: text, 1 to 500 characters',
    '/nothing optional: list, 0 items',
    '/nothing/* required: text, 1 to 500 characters',
  ])
})

testRows([
  ['title', { title: 'Archive a customer' }],
  ['description', { description: 'Another.' }],
  [
    'a field',
    { payload: { ...everyField, properties: { ...everyField.properties, more: { type: 'boolean' } } } },
  ],
  ['a required field', { payload: { ...everyField, required: ['text'] } }],
  [
    'subject',
    {
      subject: '/text',
      payload: {
        ...everyField,
        properties: { ...everyField.properties, text: { type: 'string', maxLength: 9 } },
      },
    },
  ],
  ['card', { card: [{ label: 'Text', value: '/text', format: 'text' }] }],
  ['rule', { default_rule: { tier: 'write', consent: 'page' } }],
  ['expiry', { expires_after_hours: 3 }],
  ['lease', { executor: { type: 'claim', lease_minutes: 11 } }],
  ['executor', { executor: { type: 'webhook', url: 'https://one.example/' } }],
])('a change is a line of the comparison', (_, change) => {
  const after = parsed({ ...(ofEveryField as unknown as Record<string, unknown>), ...change })
  expect(diffKinds(ofEveryField, after).filter((line) => line.change === 'added')).not.toEqual([])
  expect(diffKinds(ofEveryField, ofEveryField).every((line) => line.change === 'same')).toBe(true)
})

test('bands, the amount and where answers are asked for are lines too', () => {
  const lines = kindLines(
    parsed(
      creditNote({
        executor: { type: 'webhook', url: 'https://one.example/', status_url: 'https://one.example/{id}' },
      }),
    ),
  )
  expect(lines).toEqual(
    expect.arrayContaining([
      'amount: whole cents at /cents, currency at /currency',
      'default rule up to 100.00 USD: guarded_write, consent agent_attested',
      'default rule above 1,000.00 USD: denied for every tier',
      'executor: webhook, https://one.example/',
      'lost answers are asked for at https://one.example/{id}',
    ]),
  )
})

test('the order of the fields in a document is no change', () => {
  const { properties } = everyField
  const turned = Object.fromEntries(Object.entries(properties).toReversed())
  const document = parsed(
    customerDeletion({ payload: { ...everyField, properties: turned }, subject: undefined, card: [] }),
  )
  expect(kindLines(document)).toEqual(kindLines(ofEveryField))
})

test('the example of a card has its title, its lines, its amount and every other field', () => {
  const text = cardText(
    sampleCard(parsed(creditNote()), {
      version: 3,
      accountName: 'Acme',
      now: new Date('2026-01-01T00:00:00Z'),
    }),
  )
  expect(text).toContain('Credit note')
  expect(text).toMatch(/│ Example.\n┊ customer/)
  expect(text).toContain('Amount: 125.00 USD')
  expect(text).toContain('Kind: credit_note, version 3')
  expect(text).toContain('Account: Acme')
})
