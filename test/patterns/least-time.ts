export const some = (count: number, part: string | ((at: number) => string)): string =>
  typeof part === 'string' ? part.repeat(count) : Array.from({ length: count }, (_, at) => part(at)).join('')

/** The processor time in milliseconds: the least of several. */
export function leastTime(work: () => unknown, times = 4): number {
  return Math.min(
    ...Array.from({ length: times }, () => {
      const from = process.cpuUsage()
      work()
      return process.cpuUsage(from).user / 1_000
    }),
  )
}
