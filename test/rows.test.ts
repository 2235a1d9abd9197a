import { expect, test } from '@jest/globals'
import { testRows, wrongRows } from './support/rows.ts'

const isEven = (number: unknown) => expect(Number(number) % 2).toBe(0)

test('every row of a table is checked, and each wrong one is listed with what was expected and received', async () => {
  expect(await wrongRows([2, 3, 4, 5], isEven)).toEqual([
    expect.stringMatching(/^2\. 3\n {3}Expected: 0\n {3}Received: 1\n {3}at line 4$/),
    expect.stringMatching(/^4\. 5\n {3}Expected: 0\n {3}Received: 1\n {3}at line 4$/),
  ])
})

test('a row that throws is wrong, whatever it throws, and whenever', async () => {
  const refuse = (name: unknown) => Promise.reject(name === 'error' ? new Error('No.') : name)
  expect(await wrongRows([['error'], ['text']], refuse)).toEqual([
    expect.stringContaining("1. 'error'\n   No.\n"),
    "2. 'text'\n   'text'",
  ])
})

test('a table without rows is refused: it would prove nothing', async () => {
  await expect(wrongRows([], isEven)).rejects.toThrow('The table has no rows.')
})

test('what a row needs of its own is made between two rows', async () => {
  const steps: unknown[] = []
  const between = [() => steps.push('take down'), () => steps.push('set up')]
  await wrongRows([['a'], ['b']], (name) => steps.push(name), between)
  expect(steps).toEqual(['a', 'take down', 'set up', 'b'])
})

testRows<[string, string, number]>([
  ['a row is a list of', 'arguments', 2],
  ['as', 'test.each', 2],
])('a table is one test', (first, second, count) => {
  expect([first, second]).toHaveLength(count)
})
