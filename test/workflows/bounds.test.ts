import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { limits } from '../../src/limits.ts'
import { projectRoot } from '../../src/process/root.ts'
import { workflowLimits } from '../../src/temporal/workflow-limits.ts'
import { testRows } from '../support/rows.ts'

const folder = join(projectRoot, 'workflows')
const sources = readdirSync(folder).filter((file) => file.endsWith('.ts'))

/** A duration in words, or a number with thousands. */
const bound = /['"`]\d+ ?(?:ms|millisecond|second|minute|hour|day)s?['"`]|\b\d+_\d{3}\b/

testRows(sources)('workflows state no bound of their own', (file) => {
  expect(readFileSync(join(folder, file), 'utf8').match(bound)?.[0]).toBeUndefined()
})

test('no bound stands both among those of workflows and those of the service', () => {
  expect(Object.keys(workflowLimits).filter((name) => name in limits)).toEqual([])
})
