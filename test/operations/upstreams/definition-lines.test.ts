import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { canonical } from '../../../src/gate/canonical.ts'
import { definitionLines } from '../../../src/operations/upstreams/definition-lines.ts'

const linesOf = (before: unknown, now: unknown) =>
  definitionLines({ definition: canonical(now as never), reviewed_definition: canonical(before as never) })

test('values that differ are shown, each below the one that it replaces', () => {
  expect(linesOf({ a: 1, b: { c: 'x' } }, { a: 1, b: { c: 'y' }, d: [] })).toEqual([
    { change: 'removed', at: '/b/c', value: '"x"' },
    { change: 'added', at: '/b/c', value: '"y"' },
    { change: 'added', at: '/d', value: '[]' },
  ])
})

test('an object that became a list with the same values is shown', () => {
  expect(linesOf({ a: { 0: 'x' } }, { a: ['x'] })).toEqual([
    { change: 'removed', at: '/a', value: '{…}' },
    { change: 'added', at: '/a', value: '[…]' },
  ])
})

test('two definitions have no line exactly if they are the same', () => {
  const key = fc.constantFrom('0', '1', 'a', '', '/', '~', '~1')
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(0, '0', null, true, ''),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(key, tie('value'), { maxKeys: 2, noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(value, value, (before, now) => {
      expect(linesOf(before, now).length === 0).toBe(canonical(before as never) === canonical(now as never))
    }),
    { numRuns: 2_000 },
  )
})
