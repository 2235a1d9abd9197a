import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { testRows } from '../support/rows.ts'

const root = join(import.meta.dirname, '../..')
const run = (...args: string[]) =>
  spawnSync(process.execPath, ['--import', './test/support/run-ts.js', 'test/faults/run.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
  })

testRows<[string[], number, RegExp]>([
  [['--help'], 0, /^Usage: npm run test:faults/],
  [['-h'], 0, /^Usage: npm run test:faults/],
  [['--seeds', '1'], 2, /--seeds.*\n\nUsage: npm run test:faults/s],
  [['extra'], 2, /extra.*\n\nUsage: npm run test:faults/s],
  [['--faults', 'many'], 2, /^--faults must be a number\n\nUsage/],
  [['--seed', 'x'], 2, /^--seed must be a whole number\n\nUsage/],
])('the options of test:faults are printed, and a wrong one is no stack', (args, code, text) => {
  const { status, stdout, stderr } = run(...args)
  expect([status, code === 0 ? stdout : stderr]).toEqual([code, expect.stringMatching(text)])
  expect(stdout + stderr).not.toMatch(/^\s+at /m)
})
