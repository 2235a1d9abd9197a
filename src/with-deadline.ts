/**
 * Waits for work, at most so long. The work itself is not stopped.
 * @throws Error what `late` makes, where the work takes longer; else whatever the work throws
 */
export function withDeadline<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer))
}
