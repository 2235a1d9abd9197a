import { afterAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { payloadOf } from '../../src/actions/declared/payload-schema.ts'
import { actionKinds } from '../../src/actions/registry.ts'
import { nouns } from '../../src/cli/nouns.ts'
import { UsageError } from '../../src/cli/verb.ts'
import { readConfig } from '../../src/config.ts'
import { pages } from '../../src/console/pages.ts'
import { environment } from '../../src/environment/environment.ts'
import { GateError } from '../../src/errors.ts'
import { parseKindDocument } from '../../src/operations/kinds/declared-kinds.ts'
import { parseInput, parseSent } from '../../src/operations/parse.ts'
import { defaultRules } from '../../src/operations/policy/parse-policy-document.ts'
import { policyDocument } from '../../src/operations/policy/policy-document.ts'
import { operations } from '../../src/operations/registry.ts'
import { ruleDocument } from '../../src/operations/upstreams/rule-document.ts'
import { isProblem } from '../../src/runner-hooks/dialect.ts'
import { runnerDialects } from '../../src/runner-hooks/registry.ts'
import { unnamed } from '../../src/text/issue-words.ts'
import { jsonSchema } from '../../src/transports/json-schema.ts'
import { consistencyQuery, epochConsistencyQuery, proofQuery } from '../../src/transports/ledger-routes.ts'
import { toolInput } from '../../src/transports/mcp/input.ts'
import { callQuery, outcomeQuery } from '../../src/transports/runner/runner-query.ts'
import { nearlyFitting } from '../fuzz/from-schema.ts'
import { hostileTexts } from '../fuzz/runs.ts'
import { creditNote, customerDeletion } from '../support/declared-kind.ts'
import { type Spoilt, foreignWords, spoilts } from '../support/spoilt-inputs.ts'

/** The same inputs each time: a sentence is wrong or it is not. */
const sampled = { seed: 38, numRuns: 150 }

const wrong: string[] = []
let said = 0
afterAll(() => expect(said).toBeGreaterThan(2_000))

/** What the sentence of a refusal has: a field, and what it must be. */
const namesField = /^[@A-Za-z_-][^ ]* |^unknown field |^The field /
const saysForm =
  /\bis required\b|\bmust (?:not )?\w|unknown field|\bhas (?!the unknown)|\bis (?:for|not for|given|nested too deep)\b|\bName the member\b/

function check(sentence: string, from: unknown): void {
  said += 1
  const lack = lackOf(sentence)
  if (lack !== undefined) wrong.push(`${lack}: ${sentence} (${JSON.stringify(from)?.slice(0, 200)})`)
}

function lackOf(sentence: string): string | undefined {
  if (foreignWords.test(withoutQuoted(sentence))) return 'foreign word'
  if (sentence.includes(unnamed) || !saysForm.test(sentence)) return 'no form'
  return namesField.test(sentence) ? undefined : 'no field'
}

/** The names of unknown fields are the caller's. */
const withoutQuoted = (sentence: string): string =>
  sentence.replaceAll(/unknown field [^;]*/g, 'unknown field')

function refusalOf(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof GateError || error instanceof UsageError) return error.message
    throw error
  }
}

function expectPlain(inputs: Iterable<Spoilt>, read: (input: any) => unknown): void {
  wrong.length = 0
  for (const { input } of inputs) {
    const sentence = refusalOf(() => read(input))
    if (sentence !== undefined) check(sentence, input)
  }
  expect(wrong.slice(0, 20)).toEqual([])
}

const served = operations(actionKinds)

test('an operation says of each wrong input which field it is and what it must be', () => {
  for (const operation of served)
    for (const schema of [operation.input, toolInput(operation)]) {
      const inputs = fc.sample(nearlyFitting(jsonSchema(schema), {}), sampled)
      expectPlain(
        inputs.flatMap((input, n) => [{ input }, ...(n < 3 ? spoilts(input) : [])]),
        (input) => parseSent(schema, input),
      )
    }
})

test('so does the payload of each kind, and of a kind that an account declares', () => {
  const declared = [customerDeletion(), creditNote()].map(({ payload }) => payloadOf(payload as never))
  for (const schema of [...actionKinds.map(({ payload }) => payload), ...declared, payloadOf(everyField)])
    expectPlain(
      fc
        .sample(nearlyFitting(jsonSchema(schema), {}), sampled)
        .flatMap((input, n) => [{ input }, ...(n < 5 ? spoilts(input) : [])]),
      (input) => parseSent(schema, input),
    )
})

const everyField = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 2, maxLength: 3 },
    chosen: { type: 'string', enum: ['b', 'a'] },
    day: { type: 'string', format: 'date' },
    time: { type: 'string', format: 'date-time' },
    mail: { type: 'string', format: 'email' },
    site: { type: 'string', format: 'uri' },
    uuid: { type: 'string', format: 'uuid' },
    step: { type: 'integer', enum: [3, 1] },
    share: { type: 'number', minimum: 0, maximum: 1 },
    yes: { type: 'boolean' },
    no: { type: 'boolean', const: false },
    lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } }, minItems: 2 },
  },
  required: ['text', 'chosen', 'lines'],
} as never

test('so does the document of a declared kind', () =>
  expectPlain([...spoilts(customerDeletion()), ...spoilts(creditNote())], parseKindDocument))

test('so do a policy and the rule of a tool', () => {
  const ofPolicy = policyDocument(defaultRules(new Map()))
  expectPlain(spoilts(policy), (input) => parseInput(ofPolicy, input))
  expectPlain(spoilts(toolRule), (input) => parseInput(ruleDocument, input))
})

const bands = { usd: [{ up_to_cents: 100, tier: 'write', consent: 'chat' }, { tier: 'write' }] }
const toolRule = {
  rule: 'confirm',
  requires: { bands, velocity: { actions_per_day: 1, account: { cents_per_day: { usd: 1 } } } },
  amount: { cents: '/amount', currency: { always: 'usd' } },
  subject: '/customer',
  is_idempotent: true,
}
const policy = {
  version: 1,
  currency: 'usd',
  currencies: ['usd', 'eur'],
  expires_after_hours: 1,
  open_max_per_member: 5,
  mailbox_settles_after_hours: 2,
  ask_when_proposed: true,
  kinds: {
    refund: toolRule.requires,
    broadcast: { tier: 'write', channels: 'email', consent: 'chat' },
    preview: { tier: 'write' },
  },
  runner: {
    rules: [
      {
        tool: 'Bash',
        match: { command: { prefix: 'git ' }, cwd: '/work' },
        tier: 'write',
        decision: 'allow',
        note: 'n',
      },
      { tool: '*', match: { path: { one_of: ['a'] } }, decision: 'consent', consent: 'chat', note: 'n' },
    ],
    record: 'all',
  },
}

test('so do queries, forms of the console and hooks of runners', () => {
  const queries = [
    [proofQuery, { wait: 'sealed' }],
    [consistencyQuery, { from: '1', to: '2' }],
    [epochConsistencyQuery, { from: '1', to: '2' }],
    [outcomeQuery, { runner: 'claude', as: 'text' }],
    [callQuery, { runner: 'claude', as: 'text', wait: '5', version: '1', headless: '1', files: 'able' }],
  ] as const
  for (const [schema, base] of queries)
    expectPlain([...spoilts(base), ...texts(schema.shape)], (input) => parseInput(schema, input))
  for (const { form, query } of pages)
    for (const schema of [form, query])
      if (schema) expectPlain(texts(schema.shape), (input) => parseInput(schema, input))
})

/** Each field of a form with each hostile text, and without it. */
function texts(fields: object): Spoilt[] {
  const names = Object.keys(fields)
  const filled = Object.fromEntries(names.map((name) => [name, 'a']))
  return names.flatMap((name) => [
    ...hostileTexts.map((text) => ({ input: { ...filled, [name]: text } })),
    { input: Object.fromEntries(names.filter((other) => other !== name).map((other) => [other, 'a'])) },
    { input: { ...filled, more: '1' } },
  ])
}

test('so does a hook of each runner', () => {
  const body = {
    session_id: 's',
    cwd: '/work',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_use_id: 't',
  }
  for (const dialect of Object.values(runnerDialects))
    expectPlain(spoilts(body), (input) => {
      const call = dialect.readCall(input, { version: null })
      if (isProblem(call) && call.problem.startsWith('The field'))
        throw new GateError('invalid', call.problem)
    })
})

test('so does an option of the command line, and a variable of the environment', async () => {
  const verbs = await Promise.all(Object.values(nouns).map((load) => load()))
  const options = verbs
    .flatMap((ofNoun) => Object.values(ofNoun))
    .flatMap((verb) => Object.entries(verb.options))
  for (const [name, option] of options)
    expectPlain(
      [...hostileTexts.map((text) => ({ input: [text] })), { input: ['a', 'b'] }, { input: undefined }],
      (input) => option.read(name, input),
    )
  for (const name of Object.keys(environment.shape))
    expectPlain(
      hostileTexts.map((text) => ({ input: text })),
      (input) => {
        try {
          readConfig({ [name]: input })
        } catch (error) {
          throw new GateError(
            'invalid',
            (error as Error).message.replace(/^The environment is not valid: /, ''),
          )
        }
      },
    )
})
