import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Run, runAttacks } from '#attack'
import { projectRoot } from '../../src/process/root.ts'
import { readPage } from '../docs/markdown.ts'
import { withAttacks } from './attacks-table.ts'
import { type AttackedGate, attackedGate } from './scene.ts'

let attacked: AttackedGate
let run: Run
beforeAll(async () => {
  attacked = await attackedGate()
  const { gate, adapters, scene, secrets } = attacked
  run = await runAttacks({ url: gate.api.url, adapters, scene, secrets })
}, 170_000)
afterAll(() => attacked.gate.stop())

test('none of the attacks on a real gate succeeds, over REST or MCP', () => {
  const failed = run.results.filter(({ verdict }) => verdict === 'failed')
  expect(failed.map(({ id, transport, reason }) => `${transport} ${id}: ${reason}`)).toEqual([])
})

test('every attack applies over one of the two', () => {
  const passed = new Set(run.results.filter(({ verdict }) => verdict === 'passed').map(({ id }) => id))
  const never = run.results.filter(({ id }) => !passed.has(id))
  expect(never.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([])
})

test('the table in docs/attacks.md is this run; otherwise run npm run docs:attacks', () => {
  const page = readPage('docs/attacks.md')
  const expected = withAttacks(page, run)
  if (process.env['ATTACKS_WRITE']) writeFileSync(join(projectRoot, 'docs/attacks.md'), expected)
  else expect(page).toBe(expected)
})

test('no key is in the evidence', () => {
  const text = JSON.stringify(run)
  for (const secret of attacked.secrets) expect(text).not.toContain(secret)
})

test('nothing is left open', async () => {
  expect(run.left_open).toEqual([])
  const { body } = await attacked.gate.database
    .asSuperuser(`select count(*)::int as open from gate.action where status = 'proposed'`)
    .then((rows: any) => ({ body: rows }))
  expect(body).toEqual([{ open: 0 }])
})
