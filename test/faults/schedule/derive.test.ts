import { expect, test } from '@jest/globals'
import { deriveSchedule } from './derive.ts'
import { type StepName, faultNames, lineOf } from './steps.ts'

const never: ReadonlySet<StepName> = new Set()
const plan = { seed: 7, faults: 400, restEvery: 50, impossible: never }

test('a seed gives one schedule, and another seed another one', () => {
  const linesOf = (of: number) => deriveSchedule({ ...plan, seed: of }).map(lineOf)
  expect(linesOf(7)).toEqual(linesOf(7))
  expect(linesOf(7)).not.toEqual(linesOf(8))
})

test('every fault comes in a long schedule, and none that this machine cannot do', () => {
  const namesIn = (impossible: ReadonlySet<StepName>) =>
    new Set(deriveSchedule({ ...plan, impossible }).map((step) => step.do))
  for (const name of faultNames) expect(namesIn(never)).toContain(name)
  expect(namesIn(new Set(['fill_disk']))).not.toContain('fill_disk')
})

test('a part is killed or stopped only while it runs, and comes back only when it was', () => {
  const away = new Map<string, string>()
  for (const step of deriveSchedule(plan)) {
    if (step.do === 'quiesce') away.clear()
    if (!('part' in step)) continue
    const needed = { kill: undefined, pause: undefined, restart: 'kill', resume: 'pause' }[step.do]
    expect([step, away.get(step.part)]).toEqual([step, needed])
    if (needed === undefined) away.set(step.part, step.do)
    else away.delete(step.part)
  }
})
