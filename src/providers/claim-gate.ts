/**
 * Lets recipients be claimed only shortly before their turn under a rate limit: those of a worker that dies before they had
 * their turn count as perhaps sent to.
 */
export interface ClaimGate {
  /** How many one claim may take: what is sent in about a second. */
  most: number
  /** Whether `enter` would wait. */
  isShut(): boolean
  /**
   * Waits, first come first served, until fewer than `most` of those that were let in have yet to get their turn, and lets in
   * `most`. @returns whether it did: not if the signal was aborted
   */
  enter(signal: AbortSignal): Promise<boolean>
  /** Notes that this many had their turn, or were not claimed. */
  leave(count: number): void
}

export function claimGate(most: number): ClaimGate {
  const waiting = new Set<() => void>()
  let within = 0
  const isShut = () => within >= most || waiting.size > 0
  const letIn = () => {
    for (const go of waiting) {
      if (within >= most) return
      waiting.delete(go)
      within += most
      go()
    }
  }
  return {
    most,
    isShut,
    async enter(signal) {
      if (signal.aborted) return false
      const isIn = await new Promise<boolean>((resolve) => {
        const go = () => {
          signal.removeEventListener('abort', giveUp)
          resolve(true)
        }
        const giveUp = () => {
          waiting.delete(go)
          resolve(false)
        }
        signal.addEventListener('abort', giveUp, { once: true })
        waiting.add(go)
        letIn()
      })
      return isIn
    },
    leave(count) {
      within -= count
      letIn()
    },
  }
}
