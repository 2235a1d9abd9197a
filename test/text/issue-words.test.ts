import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { issueWords, sentences } from '../../src/text/issue-words.ts'
import { testRows } from '../support/rows.ts'

const wordsFor = (schema: z.ZodType, input: unknown, options = { reportInput: true }): string =>
  issueWords(schema.safeParse(input, options).error!.issues[0]!)

const always = z.strictObject({ always: z.enum(['usd', 'eur']) })
const either = z.discriminatedUnion('type', [
  z.object({ type: z.literal('webhook'), url: z.url() }),
  z.object({ type: z.literal('claim') }),
])

testRows<[z.ZodType, unknown, string]>([
  [z.string(), 5, 'must be a string'],
  [z.string(), undefined, 'is required'],
  [z.string('must be a text'), undefined, 'is required'],
  [z.string('must be a text'), null, 'is required'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.int(), 1e20, `must be at most ${Number.MAX_SAFE_INTEGER}`],
  [z.number(), Number.NaN, 'must be a number'],
  [z.boolean(), 1, 'must be true or false'],
  [z.array(z.string()), {}, 'must be an array'],
  [z.tuple([z.string()]), 'a', 'must be an array'],
  [z.object({}), [], 'must be an object'],
  [z.record(z.string(), z.string()), 'a', 'must be an object'],
  [z.null(), 'a', 'must be null'],
  [z.never(), 'a', 'must be left out'],
  [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  [z.enum(['a', 'b']), undefined, 'is required'],
  [z.enum(['a', 'b'], 'must be a or b'), null, 'is required'],
  [z.literal('a'), 'b', 'must be "a"'],
  [z.literal([1, 2]), 3, 'must be one of 1, 2'],
  [z.email(), 'a', 'must be an e-mail address'],
  [z.url(), 'a', 'must be an absolute URL'],
  [z.uuid(), 'a', 'must be a UUID'],
  [z.iso.date(), 'a', 'must be a date, such as 2026-01-31'],
  [z.iso.datetime(), 'a', 'must be a time, such as 2026-01-31T12:00:00Z'],
  [z.string().regex(/a+b/), 'c', 'is not accepted'],
  [z.string().refine(() => false), 'c', 'is not accepted'],
  [z.string().refine(() => false, 'must be other'), 'c', 'must be other'],
  [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  [z.number().lt(5), 5, 'must be less than 5'],
  [z.number().gt(5), 5, 'must be more than 5'],
  [z.string().max(1), 'ab', 'must have at most 1 character'],
  [z.array(z.int()).min(2), [1], 'must have at least 2 items'],
  [z.array(z.int()).length(2), [1], 'must have exactly 2 items'],
  [z.union([z.string(), z.number()]), true, 'must be a string or a number'],
  [z.union([z.string(), z.number()]), undefined, 'is required'],
  [z.union([z.string(), always]), 5, 'must be a string or an object'],
  [z.union([z.string(), always]), { always: 'gbp' }, 'is not accepted'],
  [either, { type: 'mail' }, 'must be one of webhook, claim'],
  [either, {}, 'is required'],
  [either, { type: null }, 'is required'],
  [z.record(z.enum(['a']), z.int()).optional(), { a: 'x' }, 'must be a number'],
  [z.record(z.string().max(1), z.int()), { ab: 1 }, 'has a name that must have at most 1 character'],
  [z.map(z.string(), z.int()), new Map([['a', 'x']]), 'must be a number'],
  [z.strictObject({}), { a: 1, b: 2 }, 'has the unknown field a, b'],
])('each kind of issue is said in words of the gate', (schema, input, words) =>
  expect(wordsFor(schema, input)).toBe(words),
)

testRows<[z.ZodType, unknown, string]>([
  [z.int(), '5', 'must be a number: send it as a number, without quotation marks'],
  [z.int('must be cents'), '5', 'must be cents: send it as a number, without quotation marks'],
  [z.number('must be a share'), ' -0.5 ', 'must be a share: send it as a number, without quotation marks'],
  [z.literal([1, 2]), '1', 'must be one of 1, 2: send it as a number, without quotation marks'],
  [z.int(), 'five', 'must be a number'],
  [z.int(), '5 USD', 'must be a number'],
  [z.boolean(), 'true', 'must be true or false: send it without quotation marks'],
  [z.literal(false), 'False', 'must be false: send it without quotation marks'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.object({}), '{"a":1}', 'must be an object: send it as an object, not as text'],
  [z.record(z.string(), z.int()), ' {} ', 'must be an object: send it as an object, not as text'],
  [z.object({}), 'ada@example.com', 'must be an object'],
  [z.array(z.int()), '[1]', 'must be an array: send it as an array, not as text'],
  [z.string(), 5, 'must be a string'],
  [z.enum(['a']), '1', 'must be "a"'],
])('a value that was sent as its text is refused with what to send', (schema, input, words) =>
  expect(wordsFor(schema, input)).toBe(words),
)

test('an issue without its input says that a field is missing', () => {
  expect(wordsFor(z.string(), undefined, { reportInput: false })).toBe('is required')
  expect(wordsFor(z.string(), null, { reportInput: false })).toBe('is required')
  expect(wordsFor(z.string(), 5, { reportInput: false })).toBe('must be a string')
})

test('there is a sentence for each kind of issue that the validator has', () => {
  const codes = Object.keys(sentences).toSorted()
  expect(codes).toEqual(
    // The type of the table lists them; this line is what a newer validator must be compared with.
    'custom invalid_element invalid_format invalid_key invalid_type invalid_union invalid_value not_multiple_of too_big too_small unrecognized_keys'.split(
      ' ',
    ),
  )
})
