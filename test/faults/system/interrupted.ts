import { rmSync } from 'node:fs'
import { constants } from 'node:os'
import { diskOf, unmountDisk } from './disk.ts'
import { signalFamily, startedBy } from './processes.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** How long the database server has for the end that it chooses itself. */
const chosenEndMs = 5_000

/**
 * Where this process is interrupted, ends what the run has started, and then this process: servers have process groups of their
 * own, so no terminal ends them. Without a pause for anything else: it would start again what was ended here.
 * @param folder  of the run
 * @returns ends the watch for signals
 */
export function endOnSignal(folder: string): () => void {
  const end = (signal: NodeJS.Signals) => {
    const begin = performance.now()
    for (let left = startedBy(process.pid); left.length > 0; left = startedBy(process.pid)) {
      for (const { pid, command } of left) {
        const mayChoose = command.includes('postgres -D') && performance.now() < begin + chosenEndMs
        signalFamily(pid, mayChoose ? 'SIGQUIT' : 'SIGKILL')
        if (mayChoose) signalFamily(pid, 'SIGCONT')
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
    unmountDisk(diskOf(folder))
    rmSync(folder, { recursive: true, force: true })
    process.stderr.write(`${signal}: what this run started has ended\n`)
    process.exit(128 + constants.signals[signal])
  }
  for (const signal of signals) process.once(signal, end)
  return () => {
    for (const signal of signals) process.off(signal, end)
  }
}
