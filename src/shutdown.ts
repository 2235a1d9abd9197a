import type { Logger } from 'pino'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs `stop` at the first signal, then exits: 0 when it went well, 1 when it failed. Later signals change nothing.
 * @param failed  rejects when a part dies of itself; then the process stops too, with 1
 */
export function stopOnSignal(
  log: Pick<Logger, 'info' | 'error'>,
  stop: () => Promise<void>,
  failed: Promise<unknown>,
): void {
  let isStopping = false
  const end = async (why: string, code: number) => {
    if (isStopping) return
    isStopping = true
    log.info(`stopping: ${why}`)
    try {
      await stop()
      process.exit(code)
    } catch (error) {
      log.error({ err: error }, 'could not stop in order')
      process.exit(1)
    }
  }
  for (const signal of signals) process.on(signal, () => void end(signal, 0))
  failed.catch((error: unknown) => {
    if (isStopping) return
    log.error({ err: error }, 'a part of the service died')
    void end('a part died', 1)
  })
}
