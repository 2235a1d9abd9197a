import { createHash } from 'node:crypto'

/** Chances that are the same for the same seed. */
export interface Dice {
  /** A number in [0, 1). */
  random(): number
  /** A whole number, both ends included. */
  int(min: number, max: number): number
  pick<T>(choices: readonly T[]): T
  /** One of the names, by weight. */
  weighted<Name extends string>(weights: Record<Name, number>): Name
  isTrue(chance: number): boolean
}

/** @param name  of the stream: two streams of one seed know nothing of each other */
export function dice(seed: number, name: string): Dice {
  const random = mulberry32(createHash('sha256').update(`${seed} ${name}`).digest().readInt32LE())
  return {
    random,
    int: (min, max) => min + Math.floor(random() * (max - min + 1)),
    pick: (choices) => choices[Math.floor(random() * choices.length)]!,
    weighted(weights) {
      const entries = Object.entries(weights) as [never, number][]
      let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name
      }
      throw new Error('nothing is possible')
    },
    isTrue: (chance) => random() < chance,
  }
}

/** @source mulberry32 */
function mulberry32(state: number): () => number {
  let a = state
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
