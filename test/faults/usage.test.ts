import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { testRows } from '../support/rows.ts'

const root = join(import.meta.dirname, '../..')
const run = (file: string, ...args: string[]) =>
  spawnSync(process.execPath, ['--import', './test/support/run-ts.js', `test/faults/${file}`, ...args], {
    cwd: root,
    encoding: 'utf8',
  })

testRows<[string[], number, RegExp]>([
  [['plants/find.ts', '--help'], 0, /^Usage: npm run test:faults:plants.*effect-before-intent/s],
  [['plants/find.ts', '--nope'], 2, /^There is no bug --nope\.\n\nUsage: npm run test:faults:plants/],
  [['plants/find.ts', 'claim-given-twice', 'constructor'], 2, /^There is no bug constructor/],
  [['run.ts', '--help'], 0, /^Usage: npm run test:faults/],
  [['run.ts', '-h'], 0, /^Usage: npm run test:faults/],
  [['run.ts', '--seeds', '1'], 2, /--seeds.*\n\nUsage: npm run test:faults/s],
  [['run.ts', 'extra'], 2, /extra.*\n\nUsage: npm run test:faults/s],
  [['run.ts', '--faults', 'many'], 2, /^--faults must be a number\n\nUsage/],
  [['run.ts', '--seed', 'x'], 2, /^--seed must be a whole number\n\nUsage/],
])(
  'the options of test:faults and of its plants are printed, and a wrong one is no stack',
  ([file, ...args], code, text) => {
    const { status, stdout, stderr } = run(file!, ...args)
    expect([status, code === 0 ? stdout : stderr]).toEqual([code, expect.stringMatching(text)])
    expect(stdout + stderr).not.toMatch(/^\s+at /m)
  },
)
