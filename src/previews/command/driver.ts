import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { GateError } from '../../errors.ts'
import { type PreviewDriver, PreviewFailure, type PreviewTarget, type RunningPreview } from '../driver.ts'
import { detectCommand } from './detect.ts'
import { type Host, lookAtHost } from './host.ts'
import { makeMountPoints, makePlaces, openCopy, removePlaces, writeOrders } from './prepare.ts'
import { type Places, placesIn } from './places.ts'
import { probeWalls, readableWithin } from './probe.ts'
import { untilReady } from './ready.ts'
import { type WalledProcess, startInWalls } from './walled-process.ts'
import { seccompFilter } from './seccomp.ts'
import { appPort, innerWall, scratch, wallCommand } from './walls.ts'

export interface CommandOptions {
  /** The memory of all processes of a preview together, including the files that they write. */
  memoryMiB: number
  /** The processor time of each process. */
  cpuSeconds: number
  /** Folders of the service that previews must not read. */
  keptFrom: string[]
}

/** Runs the app of a workspace inside two bubblewrap walls, without a network. Linux only. */
export function commandDriver(options: CommandOptions): PreviewDriver {
  return {
    mode: 'command',
    probe: async () => (await readableWithin(options.keptFrom)) ?? probeWalls(),
    async start(spec, signal) {
      const filter = seccompFilter()
      if (!filter || process.platform !== 'linux') {
        throw new PreviewFailure('unavailable', 'Previews that run a command require Linux on x64 or arm64.')
      }
      endEarly(signal)
      // A workspace without a command is served directly, so it is not copied first.
      await detectCommand(spec.files, listen)
      const host = await lookAtHost()
      const places = placesIn(await realpath(spec.folder))
      try {
        await makePlaces(places, host)
        await spec.files.materialize(places.copy).catch(asFailure)
        const orders = await ordersFor(host, places, options)
        await writeOrders(places, { ...orders, filter, memoryMiB: options.memoryMiB })
        endEarly(signal)
        return await run(host, places, signal)
      } catch (error) {
        await removePlaces(places)
        throw error
      }
    },
  }
}

const appHost = '127.0.0.1'
const listen = { host: appHost, port: appPort }

async function ordersFor(host: Host, places: Places, { memoryMiB, cpuSeconds }: CommandOptions) {
  const app = await detectCommand(openCopy(places), listen)
  const writable = await makeMountPoints(places, app.writable)
  const variables = { ...surroundings, ...app.variables, PORT: String(appPort), HOST: appHost }
  // A heap limit below the memory limit: when the heap is full, Node reports that in the log.
  const heap = `--max-old-space-size=${Math.floor(memoryMiB * 0.75)}`
  const command = [host.nodeWithin, heap, ...app.nodeArgs]
  return { command: innerWall(host, { command, variables, writable, cpuSeconds }), writable }
}

/** The environment of the app. A script can override it, except for the address to listen on. */
const surroundings = {
  HOME: scratch.home.replace(scratch.tmp, '/tmp'),
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  NODE_ENV: 'development',
  NO_COLOR: '1',
  BROWSER: 'none',
  NEXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
}

async function run(host: Host, places: Places, signal: AbortSignal): Promise<RunningPreview> {
  // Opened before there is a process, which a failure here would leave running.
  const door = await open(places.door, 'r')
  const walled = await startInWalls(wallCommand(host, places)).catch(async (error: unknown) => {
    await door.close()
    throw error
  })
  const target = targetAt(places, door)
  let removed: Promise<void> | undefined
  const stop = async () => {
    await walled.stop()
    removed ??= door.close().then(() => removePlaces(places))
    await removed
  }
  try {
    await becomesReady(walled, target, signal)
  } catch (error) {
    await stop()
    throw error
  }
  return { target, stop, logTail: walled.logTail, ended: unasked(walled) }
}

/** A socket address is limited to 107 bytes: a longer path is shortened through the open folder's descriptor. */
function targetAt({ door }: Places, handle: FileHandle): Extract<PreviewTarget, { kind: 'unix' }> {
  const path = join(door, socketName)
  const socketPath = Buffer.byteLength(path) > 107 ? `/proc/self/fd/${handle.fd}/${socketName}` : path
  return { kind: 'unix', socketPath, host: `${appHost}:${appPort}` }
}

const socketName = 'gate.sock'

/** @throws PreviewFailure if the app or the attempt ended */
async function becomesReady(
  walled: WalledProcess,
  { socketPath, host }: Extract<PreviewTarget, { kind: 'unix' }>,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const ready = untilReady(socketPath, host, AbortSignal.any([signal, over.signal])).then(
    () => undefined,
    () => 'aborted' as const,
  )
  const outcome = await Promise.race([ready, walled.ended])
  over.abort()
  if (outcome === undefined) return
  if (outcome === 'aborted') endEarly(signal, walled.logTail())
  const { error, exitCode } = await walled.ended
  const logTail = walled.logTail()
  if (error === 'out_of_memory') {
    throw new PreviewFailure('out_of_memory', 'The app used more memory than a preview can have.', {
      logTail,
    })
  }
  const how = exitCode === null ? 'by a signal' : `with code ${exitCode}`
  const message = `The app ended ${how} before it answered a request. See its log.`
  throw new PreviewFailure('exited', message, { exitCode, logTail })
}

/** @throws PreviewFailure `boot_timeout` */
function endEarly(signal: AbortSignal, logTail = ''): void {
  if (!signal.aborted) return
  const message = `The app did not answer on port ${appPort} in time.`
  throw new PreviewFailure('boot_timeout', message, { logTail })
}

/** Stays pending if the end was requested. */
const unasked = (walled: WalledProcess): RunningPreview['ended'] =>
  new Promise((resolve) => {
    void walled.ended.then((end) => {
      if (!walled.isStopping()) resolve(end)
    })
  })

function asFailure(error: unknown): never {
  if (error instanceof GateError && error.code === 'too_large') {
    throw new PreviewFailure('too_large', error.message)
  }
  throw error
}
