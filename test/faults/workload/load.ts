import { apiClient } from '../../support/api-client.ts'
import { type Dice, dice } from '../schedule/dice.ts'
import type { System } from '../system/system.ts'
import { type Scene, makeScenes } from './accounts.ts'
import { administratorTurn } from './administrators.ts'
import { agentTurn, proposeForApproval } from './agents.ts'
import { approverTurn, nameDeputies } from './approvers.ts'
import { patienceMs } from './answers.ts'
import { executorTurn } from './executors.ts'
import type { Intent, Journal } from './journal.ts'
import { mandateTurn } from './mandates.ts'
import { memberTurn, memberView } from './members.ts'
import { passedCallTurn } from './notes.ts'
import { type Pace, makePace } from './pace.ts'
import { hookTurn } from './tool-calls.ts'

/** What a lane of the workload works with. */
export interface Lane {
  system: System
  journal: Journal
  chance: Dice
  scenes: readonly Scene[]
  /** A client of one of the two APIs, by chance. */
  clientOf(key: string): ReturnType<typeof apiClient>
  /** An API's address, by chance. */
  anyApi(): string
  /** Intents whose row is known to be there, for later decisions and repeats. */
  open: Map<Intent, number>
}

export interface Load {
  pace: Pace
  scenes: readonly Scene[]
}

/**
 * The turns of the lanes: eight hands of agents, and one that calls tools; two of members, two for mandates, and four for what
 * others must approve; one administrator, one runner, and two of executors.
 */
const turns: ((lane: Lane) => Promise<void>)[] = [
  ...Array.from({ length: 8 }, () => agentTurn),
  memberTurn,
  memberTurn,
  mandateTurn,
  mandateTurn,
  proposeForApproval,
  approverTurn,
  approverTurn,
  approverTurn,
  administratorTurn,
  hookTurn,
  passedCallTurn,
  executorTurn,
  executorTurn,
]

const accounts = 2
const meanMs = 250

/** Starts the workload: agents over REST and MCP, members, administrators, executors and a runner's hook, by the seed. */
export async function startLoad(system: System, journal: Journal, seed: number): Promise<Load> {
  const scenes = await makeScenes(system, accounts)
  const pace = makePace(turns.length, dice(seed, 'pace'), meanMs)
  const open = new Map<Intent, number>()
  memberView(system)
  const laneOf = (name: string): Lane => {
    const chance = dice(seed, name)
    const anyApi = () => system.service.urlOf(chance.pick(apisUp(system)))
    const clientOf = (key: string) => apiClient(anyApi(), key, patienceMs)
    return { system, journal, chance, scenes, open, anyApi, clientOf }
  }
  await nameDeputies(laneOf('deputies'))
  turns.forEach((turn, n) => void run(turn, laneOf(`lane ${n}`), pace))
  return { pace, scenes }
}

/** A caller tries the other API where one refuses connections. */
function apisUp({ service }: System): ('api' | 'api2')[] {
  const dead = new Set<string>(service.dead())
  const up = (['api', 'api2'] as const).filter((name) => !dead.has(name))
  return up.length > 0 ? up : ['api', 'api2']
}

async function run(turn: (lane: Lane) => Promise<void>, lane: Lane, pace: Pace): Promise<void> {
  while (await pace.turn()) {
    try {
      await turn(lane)
    } catch (error) {
      // This is no answer that a caller gets: the harness itself is wrong.
      lane.journal.odd('the workload itself works', (error as Error).stack ?? String(error))
    }
  }
}
