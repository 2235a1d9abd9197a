import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'
import { testRows } from '../support/rows.ts'

testRows<[string[], number, 'stdout' | 'stderr']>([
  [['--help'], 0, 'stdout'],
  [['-h'], 0, 'stdout'],
  [['--port', '8080'], 2, 'stderr'],
])('npm start with arguments starts nothing, and says where its settings are', (given, status, stream) => {
  const done = spawnSync(process.execPath, [join(projectRoot, 'bin/start.js'), ...given], {
    encoding: 'utf8',
  })
  expect([done.status, done[stream]]).toEqual([status, expect.stringContaining('docs/configuration.md')])
})
