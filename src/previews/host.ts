import type { Db } from '../db/connect.ts'
import {
  type HostBeat,
  type Verdict,
  beatPreviewHost,
  livePreviewHosts,
  removePreviewHost,
} from '../db/queries/previews/preview-hosts.ts'
import { randomBase62 } from '../keys/api-key.ts'
import { limits } from '../limits.ts'
import type { PreviewDriver } from './driver.ts'
import { type PreviewEnding, endings } from './end-preview.ts'
import { hostFolder, removeDeadHosts } from './host-folder.ts'
import { withDeadline } from './with-deadline.ts'
import { openGateway } from './open-gateway.ts'
import { type HostParts, type RunningPreviews, runningPreviews } from './running-previews.ts'
import type { PreviewDrivers } from './drivers.ts'

/** A process that runs previews, from its start to its end. */
export interface PreviewHost extends Pick<RunningPreviews, 'boot' | 'untilEnded' | 'end'> {
  hostId: string
  /** Where its gateway is reached. */
  url: string
  /** Ends its previews, and leaves nothing. */
  stop(): Promise<void>
}

/**
 * Opens the gateway, says that this host lives, and removes what dead ones left.
 * @throws Error that names PREVIEW_PORT where that is taken; what the database throws, with nothing left open or behind
 */
export async function startPreviewHost(parts: HostParts, ways: PreviewDrivers): Promise<PreviewHost> {
  const { config, db, log } = parts
  const hostId = `host_${randomBase62(16)}`
  const { drivers, unavailable } = await probe(ways.drivers)
  for (const [mode, reason] of Object.entries(unavailable))
    log.warn({ mode, reason }, 'previews: unavailable')
  const folder = await hostFolder(config.DATA_DIR, hostId)
  const previews = runningPreviews({ ...parts, hostId, drivers, folder })
  const gateway = await openGateway(config, log, { find: previews.find, proxy: ways.proxy }).catch(
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
    // A gateway that stayed open would keep its port from the next try.
    await Promise.allSettled([gateway.stop(), folder.removeAll(), withDeadline(row.remove())])
    throw error
  }
  const sweeping = setInterval(() => void sweep(), limits.previewSweepMs)
  const heart = keepBeating(parts, previews, row.beat)
  return {
    hostId,
    url: gateway.url,
    boot: previews.boot,
    untilEnded: previews.untilEnded,
    end: previews.end,
    async stop() {
      clearInterval(sweeping)
      // Written first: without its host's row, one that takes long to end would be taken for lost.
      await Promise.all([previews.close(endings.hostStopped), heart.stop()])
      // So that nothing is placed here any more. What fails is tried again below.
      await withDeadline(row.remove()).catch(() => undefined)
      const ends = previews.list().map((one) => previews.end(one.account, one.previewId, endings.hostStopped))
      await Promise.allSettled(ends)
      await gateway.stop()
      await folder.removeAll()
      await withDeadline(row.remove())
    },
  }
}

interface HostRow {
  /** Says that this host lives. Answers what is to end. */
  beat(): Promise<{ previewId: string; ending: PreviewEnding }[]>
  /** Removes it for good: no beat puts it back. */
  remove(): Promise<void>
}

/** What the database knows of this host. */
function hostRow(db: Db, hostId: string, now: () => Omit<HostBeat, 'hostId'>): HostRow {
  let isRemoved = false
  const remove = () => removePreviewHost(db, hostId)
  return {
    async beat() {
      if (isRemoved) return []
      try {
        const told = await beatPreviewHost(db, { hostId, ...now() })
        return told.map(({ preview_id, verdict }) => ({ previewId: preview_id, ending: endingOf[verdict] }))
      } finally {
        // It was under way meanwhile, and may have come after the removal.
        if (isRemoved) await remove()
      }
    },
    async remove() {
      isRemoved = true
      await remove()
    },
  }
}

/** What it does not remove, as it is not found dead yet after a power cut, a later one does. */
async function sweepDeadHosts({ config, db, log }: HostParts, hostId: string): Promise<void> {
  const live = (ids: string[]) => livePreviewHosts(db, ids, limits.previewHostDeadMs)
  try {
    const { removed, kept } = await removeDeadHosts(config.DATA_DIR, hostId, live)
    for (const { host, error } of kept)
      log.warn({ err: error, host }, 'the folder of a dead preview host could not be removed')
    for (const dead of removed) await removePreviewHost(db, dead)
  } catch (error) {
    log.warn({ err: error }, 'dead preview hosts stay for now')
  }
}

const endingOf: Record<Verdict, PreviewEnding> = {
  stopping: endings.stopped,
  suspended: endings.suspended,
  expired: endings.timeOver,
  over: endings.stopped,
}

/** The ways that this machine has, and why it lacks the others. */
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

/** Says every few seconds that this host lives, and ends what is to end: so told, not looked at, or declared dead with us. */
function keepBeating(
  { config, log }: HostParts,
  previews: RunningPreviews,
  beat: HostRow['beat'],
): { stop(): Promise<void> } {
  let heardAt = Date.now()
  let busy: Promise<void> | undefined

  async function once(): Promise<void> {
    const told = await withDeadline(beat()).then(
      (answer) => {
        heardAt = Date.now()
        return new Map(answer.map(({ previewId, ending }) => [previewId, ending]))
      },
      (error: unknown) => {
        log.warn({ err: error }, 'a preview host could not say that it lives')
        return new Map<string, PreviewEnding>()
      },
    )
    // Soon others will take this host for dead, and start its previews elsewhere.
    const isLost = Date.now() - heardAt > limits.previewUnheardMs
    for (const { account, previewId, accessedAt, unwatchedMs, isRunning } of previews.list()) {
      const isIdle = isRunning && Date.now() - accessedAt.getTime() > config.PREVIEW_IDLE_MS
      // Its workflow was ended by hand, or Temporal is away for long.
      const isForsaken = unwatchedMs > limits.previewUnwatchedMs
      const ending =
        isLost || isForsaken ? endings.hostLost : (told.get(previewId) ?? (isIdle ? endings.idle : undefined))
      if (!ending) continue
      previews
        .end(account, previewId, ending)
        .catch((error: unknown) =>
          log.warn({ err: error, preview: previewId }, 'a preview ended, which is not written yet'),
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
