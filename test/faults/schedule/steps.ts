import type { PartName, ProcessName } from '../../support/supervisor.ts'

export const processes = ['api', 'api2', 'worker', 'worker2'] as const satisfies ProcessName[]
export const parts = [...processes, 'postgres', 'temporal'] as const satisfies PartName[]

/** What a process reaches over the network: a proxy of ours stands between, one for each pair. */
export const targets = ['database', 'temporal', 'messages', 'money'] as const
export type Target = (typeof targets)[number]
/** What an account names by one address, which every process uses: its executor, and its MCP server. */
const ownTargets = ['webhook', 'notes'] as const
export type OwnTarget = (typeof ownTargets)[number]
/** The administrators' own way to the database is an edge too. */
export type EdgeName = `${ProcessName}-${Target}` | 'admin-database' | OwnTarget

export const edgeNames: readonly EdgeName[] = [
  ...processes.flatMap((name) => targets.map((target) => `${name}-${target}` as const)),
  'admin-database',
  ...ownTargets,
]

/** What goes wrong at a stand-in with its next calls. `work_hang` and `work_drop`: the work is done, the answer is lost. */
export const providerFaults = ['hang', 'drop', 'work_hang', 'work_drop', '500', '429'] as const
export type ProviderFault = (typeof providerFaults)[number]
export const providers = ['slack', 'email', 'stripe', 'webhook', 'notes'] as const
export type ProviderName = (typeof providers)[number]

/** One step of the nemesis. Those with `ms` heal by themselves after that long; the others stay until a later step. */
export type Step =
  | { do: 'sleep'; ms: number }
  | { do: 'kill' | 'restart' | 'pause' | 'resume'; part: PartName }
  /** Every byte of an edge arrives later. */
  | { do: 'delay'; edge: EdgeName; ms: number; jitterMs: number }
  /** Connections are reset, and new ones refused. */
  | { do: 'cut'; edge: EdgeName; ms: number }
  /** What is asked is done, and its answer is lost: execute and timeout. */
  | { do: 'swallow'; edge: EdgeName; ms: number }
  /** Nothing arrives either way. */
  | { do: 'blackhole'; edge: EdgeName; ms: number }
  | { do: 'provider'; provider: ProviderName; fault: ProviderFault; calls: number }
  /** The database ends the connections of a process, or of all. */
  | { do: 'terminate'; of: ProcessName | 'all' }
  | { do: 'clock'; of: ProcessName; seconds: number }
  | { do: 'fill_disk'; ms: number }
  | { do: 'restore_temporal' }
  /** Two further reconcilers at once, beside the one that is scheduled. */
  | { do: 'schedulers' }
  | { do: 'heal' }
  /** Heals everything and demands that every claim ends. */
  | { do: 'quiesce' }

export type StepName = Step['do']

/** Steps that are faults; the others let time pass or heal. */
export const faultNames: ReadonlySet<StepName> = new Set<StepName>([
  'kill',
  'pause',
  'delay',
  'cut',
  'swallow',
  'blackhole',
  'provider',
  'terminate',
  'clock',
  'fill_disk',
  'restore_temporal',
  'schedulers',
])

/** A step as a line of the printed schedule. */
export function lineOf(step: Step, n: number): string {
  const { do: name, ...rest } = step
  const words = Object.entries(rest).map(([key, value]) =>
    key.endsWith('s') && key.length < 9 ? `${key} ${value}` : value,
  )
  return `${String(n).padStart(5)} ${[name, ...words].join(' ')}`
}
