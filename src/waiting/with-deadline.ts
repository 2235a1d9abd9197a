/**
 * Waits for work, at most `ms`. The work itself is not stopped.
 * @throws what `late` returns if the work takes longer; otherwise what the work throws
 */
export function withDeadline<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms)
    const settle = (end: () => void) => {
      clearTimeout(timer)
      end()
    }
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    )
  })
}
