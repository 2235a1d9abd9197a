import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { payloadOf } from '../../src/actions/declared/payload-schema.ts'
import { parseKindDocument } from '../../src/operations/kinds/declared-kinds.ts'
import { parseInput, parseSent } from '../../src/operations/parse.ts'
import { defaultRules } from '../../src/operations/policy/parse-policy-document.ts'
import { policyDocument } from '../../src/operations/policy/policy-document.ts'
import { ruleDocument } from '../../src/operations/upstreams/rule-document.ts'
import { creditNote, customerDeletion } from '../support/declared-kind.ts'
import { testRows } from '../support/rows.ts'

const ofPolicy = policyDocument(defaultRules(new Map()))
const policyOf = (document: object) => parseInput(ofPolicy, document)
const ruleOfTool = (document: object) => parseInput(ruleDocument, document)
const rule = { tool: 'Bash', decision: 'allow', note: 'n' }

testRows<[(document: any) => unknown, object, object]>([
  [
    parseKindDocument,
    customerDeletion({ subject: null, amount: null }),
    customerDeletion({ subject: undefined }),
  ],
  [
    parseKindDocument,
    customerDeletion({ default_rule: { tier: 'write', consent: null } }),
    customerDeletion({ default_rule: { tier: 'write' } }),
  ],
  [
    parseKindDocument,
    creditNote({ executor: { type: 'webhook', url: 'https://example.com/do', status_url: null } }),
    creditNote({ executor: { type: 'webhook', url: 'https://example.com/do' } }),
  ],
  [
    parseKindDocument,
    customerDeletion({
      payload: payloadWith({ type: 'integer', minimum: null, enum: null, description: null }),
    }),
    customerDeletion({ payload: payloadWith({ type: 'integer' }) }),
  ],
  [policyOf, { currency: null, kinds: null, runner: null }, {}],
  [
    policyOf,
    {
      kinds: {
        refund: { tier: null, bands: { usd: [{ up_to_cents: null, tier: 'write', consent: null }] } },
      },
    },
    { kinds: { refund: { bands: { usd: [{ tier: 'write' }] } } } },
  ],
  [
    policyOf,
    {
      kinds: {
        refund: { bands: { usd: [{ tier: 'write' }] }, velocity: { actions_per_day: 3, account: null } },
      },
    },
    { kinds: { refund: { bands: { usd: [{ tier: 'write' }] }, velocity: { actions_per_day: 3 } } } },
  ],
  // Null is a value here: no limit at all.
  [
    policyOf,
    { kinds: { refund: { bands: { usd: [{ tier: 'write' }] }, velocity: { actions_per_day: null } } } },
    { kinds: { refund: { bands: { usd: [{ tier: 'write' }] }, velocity: 'off' } } },
  ],
  [policyOf, { runner: { rules: [{ ...rule, tier: null }], record: null } }, { runner: { rules: [rule] } }],
  [ruleOfTool, { rule: 'allow', requires: null, amount: null, is_idempotent: null }, { rule: 'allow' }],
  [
    ruleOfTool,
    { rule: 'confirm', requires: { tier: 'write', bands: null, velocity: null } },
    { rule: 'confirm', requires: { tier: 'write' } },
  ],
])('null in an optional field of a document means absent', (parse, document, without) =>
  expect(parse(document)).toEqual(parse(without)),
)

function payloadWith(field: object): object {
  const { payload } = customerDeletion() as { payload: { properties: object } }
  return { ...payload, properties: { ...payload.properties, n: field } }
}

testRows<[(document: any) => unknown, object, string]>([
  [parseKindDocument, customerDeletion({ title: null }), 'title is required.'],
  [parseKindDocument, customerDeletion({ default_rule: { tier: null } }), 'default_rule.tier is required.'],
  [parseKindDocument, customerDeletion({ default_rule: null }), 'default_rule is required.'],
  [
    parseKindDocument,
    customerDeletion({ executor: { type: 'webhook', url: null } }),
    'executor.url is required.',
  ],
  [parseKindDocument, customerDeletion({ executor: { type: null } }), 'executor.type is required.'],
  // In a schema null is a value, which no payload can have.
  [
    parseKindDocument,
    customerDeletion({ payload: payloadWith({ type: 'string', const: null }) }),
    'payload.properties.n.const is required.',
  ],
  [policyOf, { kinds: { broadcast: { tier: null } } }, 'kinds.broadcast.tier is required.'],
  [policyOf, { currencies: ['usd', null] }, 'currencies.1 is required.'],
  // Without its pattern, the rule would allow every call.
  [
    policyOf,
    { runner: { rules: [{ ...rule, match: { command: null } }] } },
    'runner.rules.0.match.command is required.',
  ],
  [policyOf, { unheard_of: null }, 'unknown field unheard_of.'],
  [ruleOfTool, { rule: null }, 'rule is required.'],
  [
    ruleOfTool,
    { rule: 'confirm', amount: { cents: '/a', currency: { always: null } } },
    'amount.currency must be',
  ],
])('null in a required field is a missing field, and elsewhere stays what it is', (parse, document, says) =>
  expect(() => parse(document)).toThrow(says),
)

const lines = payloadOf({
  type: 'object',
  properties: {
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: { sku: { type: 'string' }, count: { type: 'integer' }, note: { type: 'string' } },
        required: ['sku'],
      },
    },
  },
  required: ['lines'],
})

test('null is absent in each object of a list, too, and an empty text only where an agent sends it', () => {
  const given = { lines: [{ sku: 'a', count: null, note: null }, { sku: 'b' }] }
  expect(parseInput(lines, given)).toEqual({ lines: [{ sku: 'a' }, { sku: 'b' }] })
  expect(given.lines[0]).toEqual({ sku: 'a', count: null, note: null })
  expect(parseSent(lines, { lines: [{ sku: 'a', note: '' }] })).toEqual({ lines: [{ sku: 'a' }] })
  expect(() => parseInput(lines, { lines: [{ sku: 'a', note: '' }] })).toThrow(/^lines\.0\.note must/)
  expect(() => parseInput(lines, { lines: [{ sku: null }] })).toThrow('lines.0.sku is required.')
})

test('a value of another type is refused once, by its type', () => {
  const schema = z.strictObject({ name: z.string('must be a text').min(1, 'must have a letter'), n: z.int() })
  expect(() => parseInput(schema, { name: [], n: '5' })).toThrow(
    /^name must be a text; n must be a number: send it as a number, without quotation marks\.$/,
  )
})

test('a name of the caller is shown without what cannot be seen', () => {
  expect(() => parseInput(z.strictObject({}), { 'a\u202Eb': 1 })).toThrow('unknown field a⟨U+202E⟩b.')
})
