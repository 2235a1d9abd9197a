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
 * The chances of each step. Those down to `heal` are TigerBeetle's, with shorter sleeps and earlier restarts, and with lost
 * connections in place of lost packets, which TCP hides; the others are ours.
 * @source src/testing/vortex/supervisor.zig of tigerbeetle/tigerbeetle
 */
const weights: Record<Exclude<StepName, 'quiesce'>, number> = {
  sleep: 10,
  kill: 4,
  restart: 6,
  pause: 3,
  resume: 10,
  delay: 3,
  cut: 3,
  blackhole: 3,
  heal: 10,
  swallow: 6,
  provider: 5,
  terminate: 3,
  clock: 2,
  fill_disk: 1,
  restore_temporal: 1,
  schedulers: 2,
}

export interface Plan {
  seed: number
  /** Until the schedule has that many. */
  faults: number
  /** After so many faults everything heals, comes to rest and is judged. */
  restEvery: number
  /** Steps that this machine cannot do: their weight is 0. */
  impossible: ReadonlySet<StepName>
}

/** What a schedule knows of the system: enough to choose only what can be done. */
interface State {
  down: Set<PartName>
  paused: Set<PartName>
}

/** The schedule of a seed. Pure: the same for the same plan. */
export function deriveSchedule({ seed, faults, restEvery, impossible }: Plan): Step[] {
  const chance = dice(seed, 'schedule')
  let state: State = { down: new Set(), paused: new Set() }
  const steps: Step[] = []
  for (let count = 0; count < faults;) {
    const step = makeStep(chance.weighted(weightsIn(state, impossible)), state, chance)
    note(state, step)
    steps.push(step)
    if (!faultNames.has(step.do)) continue
    count++
    if (count % restEvery !== 0 || count === faults) continue
    steps.push({ do: 'quiesce' })
    state = { down: new Set(), paused: new Set() }
  }
  return steps
}

function weightsIn(state: State, impossible: Plan['impossible']): typeof weights {
  const possible = { ...weights }
  for (const name of Object.keys(weights) as (keyof typeof weights)[])
    if (impossible.has(name)) possible[name] = 0
  possible.restart *= state.down.size
  possible.resume *= state.paused.size
  if (running(state).length === 0) possible.kill = possible.pause = 0
  if (isAway(state, 'postgres')) possible.terminate = possible.fill_disk = 0
  if (isAway(state, 'temporal')) possible.restore_temporal = possible.schedulers = 0
  return possible
}

const isAway = (state: State, part: PartName) => state.down.has(part) || state.paused.has(part)
const running = (state: State) => parts.filter((part) => !isAway(state, part))

function makeStep(name: keyof typeof weights, state: State, chance: Dice): Step {
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
      return { do: name }
  }
}

/** What the schedule knows after a step. */
function note(state: State, step: Step): void {
  switch (step.do) {
    case 'kill':
      return void state.down.add(step.part)
    case 'restart':
      return void state.down.delete(step.part)
    case 'pause':
      return void state.paused.add(step.part)
    case 'resume':
      return void state.paused.delete(step.part)
  }
}
