import type { Db } from '../db/connect.ts'
import {
  type HostBeat,
  type HostEndReason,
  beatPreviewHost,
  filterLiveHosts,
  removePreviewHost,
} from '../db/queries/previews/preview-hosts.ts'
import { randomBase62 } from '../keys/api-key.ts'
import { limits } from '../limits.ts'
import type { PreviewDriver } from './driver.ts'
import { type PreviewEnding, previewEndings } from './end-preview.ts'
import { hostFolder, removeDeadHosts } from './host-folder.ts'
import { withinBeat } from './within-beat.ts'
import { openGateway } from './open-gateway.ts'
import { type HostDeps, type RunningPreviews, runningPreviews } from './running-previews.ts'
import type { PreviewDrivers } from './drivers.ts'

/** How often a host removes the files of dead hosts. */
const previewSweepMs = 60_000

/** A process that runs previews. */
export interface PreviewHost extends Pick<RunningPreviews, 'boot' | 'untilEnded' | 'end'> {
  hostId: string
  /** The address of its gateway. */
  url: string
  /** Ends its previews and removes their files. */
  stop(): Promise<void>
}

/**
 * Opens the gateway, starts the heartbeat, and removes the files of dead hosts.
 * @throws Error that names PREVIEW_PORT if it is in use; errors of the database, with nothing left open
 */
export async function startPreviewHost(parts: HostDeps, ways: PreviewDrivers): Promise<PreviewHost> {
  const { config, db, log, now } = parts
  const hostId = `host_${randomBase62(16)}`
  const { drivers, unavailable } = await probe(ways.drivers)
  for (const [mode, reason] of Object.entries(unavailable))
    log.warn({ mode, reason }, 'previews of this mode cannot run on this host')
  const folder = await hostFolder(config.DATA_DIR, hostId)
  const previews = runningPreviews({ ...parts, hostId, drivers, folder })
  const gateway = await openGateway(config, log, { find: previews.find, proxy: ways.proxy, now }).catch(
    async (error) => {
      await folder.removeAll()
      throw error
    },
  )
  const modes = drivers.map(({ mode }) => mode)
  const row = hostRow(db, hostId, () => ({
    gatewayUrl: gateway.url,
    modes,
    unavailable,
    previews: previews.list(),
  }))
  const sweep = () => sweepDeadHosts(parts, hostId)
  try {
    await row.beat()
    await sweep()
  } catch (error) {
    // An open gateway would block its port for the next attempt.
    await Promise.allSettled([gateway.stop(), folder.removeAll(), withinBeat(row.remove())])
    throw error
  }
  const sweeping = setInterval(() => void sweep(), previewSweepMs)
  const heart = keepBeating(parts, previews, row.beat)
  return {
    hostId,
    url: gateway.url,
    boot: previews.boot,
    untilEnded: previews.untilEnded,
    end: previews.end,
    async stop() {
      clearInterval(sweeping)
      // Recorded first: without the row of its host, a preview that ends slowly would be recorded as lost.
      await Promise.all([previews.close(previewEndings.hostStopped), heart.stop()])
      // From here on no preview is placed on this host. A failure is retried below.
      await withinBeat(row.remove()).catch(() => undefined)
      const ends = previews
        .list()
        .map((one) => previews.end(one.account, one.previewId, previewEndings.hostStopped))
      await Promise.allSettled(ends)
      await gateway.stop()
      await folder.removeAll()
      await withinBeat(row.remove())
    },
  }
}

interface HostRow {
  /** Sends a heartbeat. Returns the previews that must end. */
  beat(): Promise<{ previewId: string; ending: PreviewEnding }[]>
  /** Removes the row for good: a later heartbeat does not add it again. */
  remove(): Promise<void>
}

/** The row of this host in the database. */
function hostRow(db: Db, hostId: string, now: () => Omit<HostBeat, 'hostId'>): HostRow {
  let isRemoved = false
  const remove = () => removePreviewHost(db, hostId)
  return {
    async beat() {
      if (isRemoved) return []
      try {
        const mustEnd = await beatPreviewHost(db, { hostId, ...now() })
        return mustEnd.map(({ preview_id, verdict }) => ({
          previewId: preview_id,
          ending: endingOf[verdict],
        }))
      } finally {
        // The heartbeat was still running and may have arrived after the removal.
        if (isRemoved) await remove()
      }
    },
    async remove() {
      isRemoved = true
      await remove()
    },
  }
}

/** After a power failure a host may not count as dead yet; a later start then removes its files. */
async function sweepDeadHosts({ config, db, log }: HostDeps, hostId: string): Promise<void> {
  const live = (ids: string[]) => filterLiveHosts(db, ids, limits.previewHostDeadMs)
  try {
    const { removed, kept } = await removeDeadHosts(config.DATA_DIR, hostId, live)
    for (const { host, error } of kept)
      log.warn({ err: error, host }, 'the folder of a dead preview host could not be removed')
    for (const dead of removed) await removePreviewHost(db, dead)
  } catch (error) {
    log.warn({ err: error }, 'files of dead preview hosts could not be removed')
  }
}

const endingOf: Record<HostEndReason, PreviewEnding> = {
  stopping: previewEndings.stopped,
  suspended: previewEndings.suspended,
  expired: previewEndings.timeOver,
  over: previewEndings.stopped,
}

/** The preview modes that this machine supports, and why it lacks the others. */
async function probe(drivers: PreviewDriver[]) {
  const probed = await Promise.all(drivers.map(async (driver) => ({ driver, found: await driver.probe() })))
  const reasons = probed.flatMap(({ driver, found }) =>
    found.isAvailable ? [] : [[driver.mode, found.reason]],
  )
  return {
    drivers: probed.filter(({ found }) => found.isAvailable).map(({ driver }) => driver),
    unavailable: Object.fromEntries(reasons) as Record<string, string>,
  }
}

/** Sends a heartbeat every few seconds and ends previews: on request, without a watching workflow, or if this host is lost. */
function keepBeating(
  { config, log, now }: HostDeps,
  previews: RunningPreviews,
  beat: HostRow['beat'],
): { stop(): Promise<void> } {
  let answeredAt = now().getTime()
  let busy: Promise<void> | undefined

  async function once(): Promise<void> {
    const mustEnd = await withinBeat(beat()).then(
      (answer) => {
        answeredAt = now().getTime()
        return new Map(answer.map(({ previewId, ending }) => [previewId, ending]))
      },
      (error: unknown) => {
        log.warn({ err: error }, 'preview host heartbeat failed; retrying')
        return new Map<string, PreviewEnding>()
      },
    )
    // Others will soon consider this host dead and start its previews elsewhere.
    const isLost = now().getTime() - answeredAt > limits.previewHeartbeatLostMs
    for (const { account, previewId, accessedAt, unwatchedMs, isRunning } of previews.list()) {
      const isIdle = isRunning && now().getTime() - accessedAt.getTime() > config.PREVIEW_IDLE_MS
      // Its workflow was terminated, or Temporal has been down for long.
      const isUnwatched = unwatchedMs > limits.previewUnwatchedMs
      const ending =
        isLost || isUnwatched
          ? previewEndings.hostLost
          : (mustEnd.get(previewId) ?? (isIdle ? previewEndings.idle : undefined))
      if (!ending) continue
      previews
        .end(account, previewId, ending)
        .catch((error: unknown) =>
          log.warn({ err: error, preview: previewId }, 'the end of a preview could not be recorded yet'),
        )
    }
  }

  const timer = setInterval(() => {
    busy ??= once().finally(() => (busy = undefined))
  }, limits.previewBeatMs)
  return {
    async stop() {
      clearInterval(timer)
      await busy
    },
  }
}
