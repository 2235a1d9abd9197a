import { setTimeout as sleep } from 'node:timers/promises'
import type { Dice } from '../schedule/dice.ts'

/** When the lanes of the workload go on: they pause while everything is to come to rest, and stop at the end. */
export interface Pace {
  /** Waits its turn. False: the run is over. */
  turn(): Promise<boolean>
  /** Waits until no lane is under way, and holds them. */
  hold(): Promise<void>
  release(): void
  stop(): Promise<void>
}

/** @param meanMs  between two requests of a lane */
export function makePace(lanes: number, chance: Dice, meanMs: number): Pace {
  const now = { state: 'running', resting: 0 } as { state: 'running' | 'held' | 'stopped'; resting: number }
  let gate = opened()
  const allRest = async () => {
    while (now.resting < lanes) await sleep(20)
  }
  return {
    async turn() {
      now.resting++
      await sleep(chance.int(0, 2 * meanMs))
      while (now.state === 'held') await gate.promise
      if (now.state === 'stopped') return false
      now.resting--
      return true
    },
    async hold() {
      now.state = 'held'
      await allRest()
    },
    release() {
      now.state = 'running'
      gate.resolve()
      gate = opened()
    },
    async stop() {
      now.state = 'stopped'
      gate.resolve()
      await allRest()
    },
  }
}

/** What `Promise.withResolvers` makes, which Node 20 does not have. */
function opened() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => void (resolve = done))
  return { promise, resolve }
}
