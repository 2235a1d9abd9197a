import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { deriveSchedule } from './schedule/derive.ts'
import { superviseFaults } from './supervise.ts'
import { impossibleHere } from './system/impossible.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
const faults = 30

test(`a minute of faults leaves nothing lost, nothing done twice and nothing untrue (SEED=${seed})`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'))
  const impossible = new Set(impossibleHere().map(({ step }) => step))
  const steps = deriveSchedule({ seed, faults, restEvery: faults, impossible })
  const verdict = await superviseFaults({ seed, steps, folder })
  expect([verdict.faults, verdict.violations]).toEqual([faults, []])
}, 900_000)
