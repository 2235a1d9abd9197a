/**
 * Waits for work, at most `ms`. The work itself is not stopped.
 * @throws what `late` returns if the work takes longer; otherwise what the work throws
 */
export function withDeadline<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer))
}
