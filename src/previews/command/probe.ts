import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finishesWithin } from '../../waiting/finishes-within.ts'
import { limits } from '../../limits.ts'
import type { Availability } from '../driver.ts'
import { lookAtHost } from './host.ts'
import { makePlaces, writeOrders } from './prepare.ts'
import { placesIn } from './places.ts'
import { startInWalls } from './walled-process.ts'
import { seccompFilter } from './seccomp.ts'
import { innerWall, wallCommand } from './walls.ts'

const previewProbeMs = 10_000

/** Tries both walls with a program that exits immediately. */
export async function probeWalls(): Promise<Availability> {
  if (process.platform !== 'linux') return unavailable('previews that run a command require Linux')
  const filter = seccompFilter()
  if (!filter) return unavailable(`there is no system call filter for ${process.arch}`)
  const folder = await mkdtemp(join(tmpdir(), 'gate-probe-'))
  try {
    const host = await lookAtHost()
    const places = placesIn(folder)
    await makePlaces(places, host)
    const app = { command: ['true'], variables: {}, writable: [], cpuSeconds: 10 }
    const command = innerWall(host, app)
    await writeOrders(places, { command, writable: [], memoryMiB: limits.previewMemoryMiBMin, filter })
    const walled = await startInWalls(wallCommand(host, places))
    const hasEnded = await finishesWithin(previewProbeMs, walled.ended)
    await walled.stop()
    if (hasEnded && (await walled.ended).exitCode === 0) return { isAvailable: true }
    return unavailable(walled.logTail().trim().split('\n')[0] || 'bubblewrap does not answer')
  } catch (error) {
    return unavailable((error as Error).message)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Previews can read the system's program folders, so the service's data must not be there. Undefined if it is not. */
export async function readableWithin(folders: string[]): Promise<Availability | undefined> {
  for (const folder of folders) {
    const real = await realpath(folder).catch(() => folder)
    if (/^\/(usr|bin|sbin|lib\w*)(\/|$)/.test(real))
      return unavailable(`${folder} is inside a system folder that previews can read; move it elsewhere`)
  }
  return undefined
}

const unavailable = (reason: string): Availability => ({
  isAvailable: false,
  reason: reason.replace(
    /^spawn (\w+) ENOENT$|^setpriv: failed to execute (\w+): No such.*$/,
    '$1$2 is not installed',
  ),
})
