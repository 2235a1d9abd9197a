import type { ProposalInput } from './names.ts'

/** Starts of workflows that wait: for a decision, for a moment in which nobody proposes, and for their turn. */
export interface LaterStarts {
  /** Above the maximum nothing is added. */
  add(proposal: ProposalInput): void
  drop(uuid: string): void
  dropAll(): void
  /** Starts what is due, as far as there is room. To be called when there is room again. */
  startDue(): void
  /** Starts what waits, due or not, as far as there is room. */
  startAll(): void
}

/**
 * A start takes several processes' time, and nobody waits for it: answers to proposals go first.
 * @param afterMs  how long a start waits at least
 * @param calmMs  how long nobody may have proposed before one is due
 * @param latestMs  after which one is due in any case
 */
export function laterStarts(options: {
  afterMs: number
  calmMs: number
  latestMs: number
  waitingMax: number
  hasRoom: () => boolean
  start: (proposal: ProposalInput) => void
}): LaterStarts {
  const { afterMs, calmMs, latestMs, hasRoom, start } = options
  // Proposals in the order in which they become due.
  const waiting = new Map<string, { proposal: ProposalInput; addedAt: number }>()
  let lastAddedAt = 0
  let timer: NodeJS.Timeout | undefined

  const untilDue = (addedAt: number): number => {
    const now = performance.now()
    const untilCalm = Math.min(lastAddedAt + calmMs, addedAt + latestMs)
    return Math.max(addedAt + afterMs, untilCalm) - now
  }

  function startWhile(isDue: (addedAt: number) => boolean): void {
    for (const [uuid, { proposal, addedAt }] of waiting) {
      if (!hasRoom() || !isDue(addedAt)) break
      waiting.delete(uuid)
      start(proposal)
    }
    lookAgain()
  }

  /** Sets the timer for the next start. Without room there is none: the next look comes when there is room. */
  function lookAgain(): void {
    clearTimeout(timer)
    const [next] = waiting.values()
    if (next && hasRoom()) timer = setTimeout(startDue, Math.max(1, Math.ceil(untilDue(next.addedAt))))
  }

  const startDue = (): void => startWhile((addedAt) => untilDue(addedAt) <= 0)

  return {
    add(proposal) {
      lastAddedAt = performance.now()
      if (waiting.size >= options.waitingMax) return
      waiting.set(proposal.uuid, { proposal, addedAt: lastAddedAt })
      if (waiting.size === 1) lookAgain()
    },
    drop: (uuid) => void waiting.delete(uuid),
    dropAll() {
      waiting.clear()
      clearTimeout(timer)
    },
    startDue,
    startAll: () => startWhile(() => true),
  }
}
