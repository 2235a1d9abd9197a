import type { Logger } from 'pino'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs `stop` at the first signal, then exits with 0, or with 1 if it failed. Further signals are ignored.
 * @param stop  gets the name of the signal
 * @param failed  rejects if a part of the service fails; then the process also stops, with 1
 */
export function stopOnSignal(
  log: Pick<Logger, 'info' | 'error'>,
  stop: (why: string) => Promise<void>,
  failed: Promise<unknown>,
): void {
  let isStopping = false
  const end = async (why: string, code: number) => {
    if (isStopping) return
    isStopping = true
    log.info({ why }, 'stopping')
    try {
      await stop(why)
      process.exit(code)
    } catch (error) {
      log.error({ err: error }, 'shutdown failed')
      process.exit(1)
    }
  }
  for (const signal of signals) process.on(signal, () => void end(signal, 0))
  failed.catch((error: unknown) => {
    if (isStopping) return
    log.error({ err: error }, 'a part of the service failed; the process stops')
    void end('a part failed', 1)
  })
}
