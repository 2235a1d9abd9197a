import type { ProcessName } from '../../support/supervisor.ts'
import { processes } from '../schedule/steps.ts'
import { linesOfLogs } from '../system/logs.ts'
import { type Level, levelOf } from '../system/processes.ts'
import type { System } from '../system/system.ts'
import type { Demand } from './record.ts'

export type Levels = Record<ProcessName, Level>

export const levelsOf = ({ service }: System): Levels =>
  Object.fromEntries(processes.map((name) => [name, levelOf(service.pidOf(name))])) as Levels

/** Beyond what a process held before the load: what its pools and caches may hold. */
const moreMb = 250
const moreDescriptors = 60

/** Memory and descriptors are back at their level. */
export function judgeLevels(before: Levels, after: Levels, demand: Demand): void {
  for (const name of processes) {
    const [was, is] = [before[name], after[name]]
    const what = () => [name, was, is]
    demand(is.residentMb <= was.residentMb + moreMb, 'memory is back at its level', what)
    demand(is.descriptors <= was.descriptors + moreDescriptors, 'descriptors are back at their level', what)
  }
}

export const linesOfLevels = (before: Levels, after: Levels): string =>
  processes
    .map((name) => {
      const [was, is] = [before[name], after[name]]
      return `${name}: ${was.residentMb} to ${is.residentMb} MB, ${was.descriptors} to ${is.descriptors} descriptors`
    })
    .join('; ')

const ofProgramming = /\b(TypeError|ReferenceError|RangeError|AssertionError|SyntaxError)\b|unhandled/i
/** How Node tells that a connection failed. */
const ofTheNetwork = /TypeError(: |","message":")(fetch failed|terminated)/g

/** No fault of the surroundings makes a program do what its author did not mean. */
export function judgeLogs(dataDir: string, demand: Demand): void {
  const lines = linesOfLogs(dataDir, (line) => ofProgramming.test(line.replaceAll(ofTheNetwork, '')))
  demand(lines.length === 0, 'no process logs an error of programming', () => lines.slice(0, 3).join('\n'))
}
