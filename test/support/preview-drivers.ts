import {
  type PreviewEnd,
  PreviewFailure,
  type PreviewFailureCode,
  type RunningPreview,
} from '../../src/previews/driver.ts'
import { staticDriver } from '../../src/previews/static-driver.ts'
import type { PreviewDrivers } from '../../src/previews/drivers.ts'

/** A way to run previews whose process is the test: it boots, fails and exits when it is told to. */
export interface DirectedDrivers extends PreviewDrivers {
  /** What the next starts do; `leave` leaves it to static. */
  next: 'run' | 'leave' | 'hang' | { fail: PreviewFailureCode; exitCode?: number; logTail?: string }
  /** A start that hangs and is given up ends once this is settled. */
  mayEnd: Promise<void>
  /** Ends what runs, as a process that exits by itself. */
  exit(end: PreviewEnd, logTail: string): void
  /** The previews whose process lives. */
  alive: Set<string>
  folders: string[]
}

export function directedDrivers(): DirectedDrivers {
  let exits: (end: PreviewEnd) => void = () => undefined
  let log = ''
  const ways: DirectedDrivers = {
    next: 'leave',
    mayEnd: Promise.resolve(),
    alive: new Set(),
    folders: [],
    exit(end, logTail) {
      log = logTail
      exits(end)
    },
    drivers: [
      {
        mode: 'command',
        probe: async () => ({ isAvailable: true }),
        async start({ previewId, files, folder }, signal): Promise<RunningPreview> {
          ways.folders.push(folder)
          const { next } = ways
          if (next === 'leave') throw new PreviewFailure('no_command', 'Nothing to run.')
          if (next === 'hang') {
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
            await ways.mayEnd
            throw new PreviewFailure('boot_timeout', 'It did not answer in time.', {
              logTail: 'still booting',
            })
          }
          if (next !== 'run') throw new PreviewFailure(next.fail, 'As told.', next)
          ways.alive.add(previewId)
          log = 'listening'
          return {
            target: { kind: 'files', files, root: '' },
            ended: new Promise((resolve) => (exits = resolve)),
            logTail: () => log,
            stop: async () => void ways.alive.delete(previewId),
          }
        },
      },
      staticDriver,
    ],
  }
  return ways
}
