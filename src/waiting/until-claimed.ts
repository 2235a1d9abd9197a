/** The time of one decision: whichever comes first holds, its end or the claim of a step that cannot be taken back. */
export interface DecisionTime {
  /**
   * Takes such a step, which may last for the time left. From here on the end waits for it.
   * @param step  returns undefined where it was not taken
   * @throws what `late` returns, where the time had ended before the step, or ended during one that was not taken
   */
  claim<T>(step: (leftMs: number) => Promise<T | undefined>): Promise<T | undefined>
}

/**
 * Waits for work, at most `ms`, and as long as it must while it claims a step. The work itself is not stopped: after the end it can claim
 * none.
 * @throws what `late` returns if the time ends; otherwise what the work throws
 */
export function untilClaimed<T>(
  ms: number,
  work: (time: DecisionTime) => Promise<T>,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const endsAt = performance.now() + ms
    let isClaimed = false
    const requireTime = (): number => {
      const leftMs = endsAt - performance.now()
      if (leftMs <= 0) throw late()
      return leftMs
    }
    const time: DecisionTime = {
      async claim(step) {
        const leftMs = requireTime()
        isClaimed = true
        const done = await step(leftMs)
        isClaimed = done !== undefined
        if (!isClaimed) requireTime()
        return done
      },
    }
    const timer = setTimeout(() => isClaimed || reject(late()), ms)
    void work(time)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
