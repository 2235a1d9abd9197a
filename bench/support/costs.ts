import type { Slice } from './load.ts'
import type { Peer } from './peers.ts'
import { processorMs } from './processor-time.ts'
import type { Services } from './services.ts'

/** The processor time of the calls of one side, by process. */
export interface Costs {
  /** Runs a slice, and counts what the processes use until they rest again. */
  of(slice: () => Promise<Slice>): Promise<Slice>
  /** Forgets what was counted: a warm-up. */
  forget(): void
  /** Milliseconds per call of each process. `load` is this one. */
  perCall(): Record<string, number>
}

export function costsOf(services: Services, peer?: Peer): Costs {
  let calls = 0
  let used: Record<string, number> = {}
  const now = () => ({
    ...services.processorMs(),
    ...(peer ? { peer: processorMs([peer.pid]) } : {}),
    load: processorMs([process.pid]),
  })
  return {
    async of(slice) {
      await services.quiet()
      const before: Record<string, number> = now()
      const made = await slice()
      const load = processorMs([process.pid])
      await services.quiet()
      // The cost of waiting in this process is not counted.
      for (const [part, ms] of Object.entries({ ...now(), load }))
        used[part] = (used[part] ?? 0) + ms - before[part]!
      calls += made.latenciesMs.length
      return made
    },
    forget() {
      calls = 0
      used = {}
    },
    perCall: () => Object.fromEntries(Object.entries(used).map(([part, ms]) => [part, ms / calls])),
  }
}
