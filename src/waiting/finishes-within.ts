/**
 * Waits for work, at most `ms`. The work itself is not stopped. The wait alone does not keep the process running.
 * @returns whether the work ended in time
 * @throws what the work throws in time; what it throws later is not seen
 */
export function finishesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, false)
    timer.unref()
    work.finally(() => clearTimeout(timer)).then(() => resolve(true), reject)
  })
}
