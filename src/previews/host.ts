import {
  type Verdict,
  beatPreviewHost,
  livePreviewHosts,
  removePreviewHost,
} from '../db/queries/preview-hosts.ts'
import { randomBase62 } from '../keys/api-key.ts'
import { limits } from '../limits.ts'
import { type PreviewDriver } from './driver.ts'
import { type PreviewEnding, endings } from './end-preview.ts'
import { hostFolder, removeDeadHosts } from './host-folder.ts'
import { inTime } from './in-time.ts'
import { openGateway } from './open-gateway.ts'
import { type HostParts, type RunningPreviews, runningPreviews } from './running-previews.ts'
import { type PreviewWays } from './ways.ts'

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
 * @throws Error that names PREVIEW_PORT where that is taken
 */
export async function startPreviewHost(parts: HostParts, ways: PreviewWays): Promise<PreviewHost> {
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
  const beat = async () => {
    const living = previews.list()
    const told = await beatPreviewHost(db, {
      hostId,
      gatewayUrl: gateway.url,
      modes,
      unavailable,
      previews: living,
    })
    return told.map(({ preview_id, verdict }) => ({ previewId: preview_id, ending: endingOf[verdict] }))
  }
  // What it does not find dead yet, as after a power cut, it finds later.
  const sweep = async () => {
    const live = (ids: string[]) => livePreviewHosts(db, ids, limits.previewHostDeadMs)
    for (const dead of await removeDeadHosts(config.DATA_DIR, live)) await removePreviewHost(db, dead)
  }
  await beat()
  await sweep()
  const sweeping = setInterval(
    () => void sweep().catch((error: unknown) => log.warn({ err: error }, 'dead preview hosts stay for now')),
    limits.previewSweepMs,
  )
  const heart = keepBeating(parts, previews, beat)
  return {
    hostId,
    url: gateway.url,
    boot: previews.boot,
    untilEnded: previews.untilEnded,
    end: previews.end,
    async stop() {
      clearInterval(sweeping)
      await heart.stop()
      const ends = previews.list().map((one) => previews.end(one.account, one.previewId, endings.hostStopped))
      await Promise.allSettled(ends)
      await gateway.stop()
      await folder.removeAll()
      await removePreviewHost(db, hostId)
    },
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

type Beat = () => Promise<{ previewId: string; ending: PreviewEnding }[]>

/** Says every few seconds that this host lives, and ends what is to end: so told, not looked at, or declared dead with us. */
function keepBeating(
  { config, log }: HostParts,
  previews: RunningPreviews,
  beat: Beat,
): { stop(): Promise<void> } {
  let heardAt = Date.now()
  let busy: Promise<void> | undefined

  async function once(): Promise<void> {
    const told = await inTime(beat()).then(
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
