import type { PartName } from '../../support/supervisor.ts'
import { type Dice, dice } from './dice.ts'
import {
  type Step,
  type StepName,
  edgeNames,
  faultNames,
  parts,
  processes,
  providerFaults,
  providers,
} from './steps.ts'

/**
 * The chances of each step. The first ten are TigerBeetle's, with shorter sleeps; the others are ours.
 * @source src/testing/vortex/supervisor.zig of tigerbeetle/tigerbeetle
 */
const weights: Record<StepName, number> = {
  sleep: 10,
  kill: 4,
  restart: 3,
  pause: 3,
  resume: 10,
  delay: 3,
  cut: 3,
  blackhole: 3,
  heal: 10,
  quiesce: 1,
  swallow: 6,
  provider: 5,
  terminate: 3,
  clock: 2,
  fill_disk: 1,
  restore_temporal: 1,
  schedulers: 2,
}

/** What this machine cannot do: its weight is 0. */
export type Impossible = ReadonlySet<StepName>

/** What a schedule knows of the system: enough to choose only what can be done. */
interface State {
  down: Set<PartName>
  paused: Set<PartName>
  sinceQuiesce: number
}

const faultsBetweenQuiesces = 50

/** The schedule of a seed, until it has that many faults. Pure: the same for the same seed. */
export function deriveSchedule(seed: number, faults: number, impossible: Impossible): Step[] {
  const chance = dice(seed, 'schedule')
  const state: State = { down: new Set(), paused: new Set(), sinceQuiesce: 0 }
  const steps: Step[] = []
  for (let count = 0; count < faults;) {
    const name = chance.weighted(weightsIn(state, impossible))
    const step = makeStep(name, state, chance)
    note(state, step)
    steps.push(step)
    if (faultNames.has(step.do)) count++
  }
  return steps
}

function weightsIn(state: State, impossible: Impossible): Record<StepName, number> {
  const possible = { ...weights }
  for (const name of impossible) possible[name] = 0
  possible.restart *= state.down.size
  possible.resume *= state.paused.size
  if (running(state).length === 0) possible.kill = possible.pause = 0
  if (state.sinceQuiesce < faultsBetweenQuiesces) possible.quiesce = 0
  if (isAway(state, 'postgres')) possible.terminate = possible.fill_disk = 0
  if (isAway(state, 'temporal')) possible.restore_temporal = possible.schedulers = 0
  return possible
}

const isAway = (state: State, part: PartName) => state.down.has(part) || state.paused.has(part)
const running = (state: State) => parts.filter((part) => !isAway(state, part))

function makeStep(name: StepName, state: State, chance: Dice): Step {
  switch (name) {
    case 'sleep':
      return { do: name, ms: chance.int(0, 2_000) }
    case 'kill':
    case 'pause':
      return { do: name, part: chance.pick(running(state)) }
    case 'restart':
      return { do: name, part: chance.pick([...state.down]) }
    case 'resume':
      return { do: name, part: chance.pick([...state.paused]) }
    case 'delay':
      return { do: name, edge: chance.pick(edgeNames), ms: chance.int(10, 500), jitterMs: chance.int(0, 50) }
    case 'cut':
    case 'swallow':
    case 'blackhole':
      return { do: name, edge: chance.pick(edgeNames), ms: chance.int(200, 4_000) }
    case 'provider':
      return {
        do: name,
        provider: chance.pick(providers),
        fault: chance.pick(providerFaults),
        calls: chance.int(1, 4),
      }
    case 'terminate':
      return { do: name, of: chance.pick([...processes, 'all'] as const) }
    case 'clock':
      return { do: name, of: chance.pick(processes), seconds: chance.pick([-90, 0, 90]) }
    case 'fill_disk':
      return { do: name, ms: chance.int(500, 3_000) }
    case 'restore_temporal':
    case 'schedulers':
    case 'heal':
    case 'quiesce':
      return { do: name }
  }
}

/** What the schedule knows after a step. */
function note(state: State, step: Step): void {
  if (faultNames.has(step.do)) state.sinceQuiesce++
  switch (step.do) {
    case 'kill':
      return void state.down.add(step.part)
    case 'restart':
      return void state.down.delete(step.part)
    case 'pause':
      return void state.paused.add(step.part)
    case 'resume':
      return void state.paused.delete(step.part)
    case 'quiesce':
      state.down.clear()
      state.paused.clear()
      state.sinceQuiesce = 0
  }
}
