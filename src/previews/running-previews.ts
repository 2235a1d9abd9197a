import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Db } from '../db/connect.ts'
import { type PreviewRow, readPreview, runPreview } from '../db/queries/previews/previews.ts'
import { limits } from '../limits.ts'
import { type PreviewDriver, PreviewFailure, type RunningPreview } from './driver.ts'
import { type PreviewEnding, endPreview, previewEndings } from './end-preview.ts'
import type { ServedPreview } from './gateway.ts'
import type { HostFolder } from './host-folder.ts'
import { type StartedPreview, startWithDriver } from './start-with-driver.ts'
import { withinBeat } from './within-beat.ts'
import type { Workspaces } from '../workspaces/store.ts'
import { timeLimit } from '../waiting/time-limit.ts'

/** The previews of one host. The end of each preview is recorded. */
export interface RunningPreviews {
  /**
   * Starts a preview, once: a repeated call waits for the first. A failure ends the preview.
   * @returns its state: `running`, or the final state
   */
  boot(account: string, previewId: string): Promise<string>
  /** Resolves once the preview has ended, for any reason, or `signal` aborts. Until then it counts as watched. */
  untilEnded(previewId: string, signal: AbortSignal): Promise<void>
  /** Ends a preview: it is unreachable immediately, and when this resolves nothing of it is left. */
  end(account: string, previewId: string, ending: PreviewEnding): Promise<void>
  /**
   * Stops accepting previews: a preview that is booted from now on ends immediately with this ending. Resolves once the
   * same ending is recorded for all running previews, as far as the database answers. `end` then ends each of them.
   */
  close(ending: PreviewEnding): Promise<void>
  /** A preview that viewers can reach. */
  find(previewId: string): ServedPreview | undefined
  list(): { account: string; previewId: string; accessedAt: Date; unwatchedMs: number; isRunning: boolean }[]
}

interface Entry {
  account: string
  previewId: string
  /** The started preview; undefined if the start failed. Never rejects. */
  started: Promise<RunningPreview | undefined>
  booted: Promise<string>
  served: ServedPreview | undefined
  /** Aborted as soon as the preview must end. */
  over: AbortController
  ended: Promise<void> | undefined
  watchers: number
  /** When its workflow last watched it. */
  watchedAt: number
}

/** The dependencies of a host. */
export interface HostDeps {
  config: Config
  db: Db
  log: Logger
  workspaces: Workspaces
  now: () => Date
}

interface HostOf extends HostDeps {
  hostId: string
  drivers: PreviewDriver[]
  folder: HostFolder
}

/** What a host knows of its previews. */
interface State {
  host: HostOf
  entries: Map<string, Entry>
  /** Endings that could not be recorded yet, by preview. */
  unwritten: Map<string, PreviewEnding>
}

export function runningPreviews(host: HostOf): RunningPreviews {
  const state: State = { host, entries: new Map(), unwritten: new Map() }
  const { entries } = state
  let closing: PreviewEnding | undefined

  return {
    async boot(account, previewId) {
      const known = entries.get(previewId)
      if (known) return known.booted
      const row = await readPreview(host.db, account, previewId, limits.previewHostDeadMs)
      if (!row || row.host_id !== host.hostId || row.state !== 'starting') return row?.state ?? 'stopped'
      // Meanwhile another call may have started the same preview, or the host may have been closed.
      const first = entries.get(previewId)
      if (first) return first.booted
      if (closing) return (await endPreview(host.db, account, previewId, closing))?.state ?? 'stopped'
      return begin(state, row).booted
    },
    async untilEnded(previewId, signal) {
      const entry = entries.get(previewId)
      if (!entry) return
      entry.watchers++
      await aborted(AbortSignal.any([entry.over.signal, signal]))
      entry.watchers--
      entry.watchedAt = host.now().getTime()
      if (entry.over.signal.aborted) await entry.ended
    },
    end: (account, previewId, ending) => end(state, { account, previewId }, ending),
    async close(ending) {
      closing = ending
      const living = [...entries.values()].filter(({ ended }) => !ended)
      await Promise.allSettled(living.map((entry) => foretell(state, entry, ending)))
    },
    find(previewId) {
      const entry = entries.get(previewId)
      return entry?.over.signal.aborted ? undefined : entry?.served
    },
    list: () =>
      [...entries.values()].map(({ account, previewId, served, watchers, watchedAt }) => ({
        account,
        previewId,
        accessedAt: served?.accessedAt ?? host.now(),
        unwatchedMs: served && watchers === 0 ? host.now().getTime() - watchedAt : 0,
        isRunning: served !== undefined,
      })),
  }
}

function begin(state: State, row: PreviewRow): Entry {
  const over = new AbortController()
  // Every running answer listens for the end.
  setMaxListeners(0, over.signal)
  const boot = timeLimit(state.host.config.PREVIEW_BOOT_MS, over.signal)
  const driven = startWithDriver(state.host, row, boot.signal).finally(boot.clear)
  const entry: Entry = {
    account: row.account_id,
    previewId: row.preview_id,
    started: driven.then(({ running }) => running).catch(() => undefined),
    booted: driven.then(
      (made) => serve(state, entry, row, made),
      (error: unknown) => fail(state, entry, error),
    ),
    served: undefined,
    over,
    ended: undefined,
    watchers: 0,
    watchedAt: state.host.now().getTime(),
  }
  state.entries.set(row.preview_id, entry)
  return entry
}

async function serve(
  state: State,
  entry: Entry,
  row: PreviewRow,
  { driver, running }: StartedPreview,
): Promise<string> {
  const { db, hostId, log, now } = state.host
  const { account, previewId, over } = entry
  if (over.signal.aborted) return 'stopped'
  // Before it is recorded as running, because viewers may then open its link immediately.
  entry.served = {
    secret: row.link_secret!,
    target: running.target,
    endsAt: new Date(row.started_at.getTime() + limits.previewTotalMs),
    accessedAt: now(),
    signal: over.signal,
  }
  entry.watchedAt = now().getTime()
  const recorded = await runPreview(db, { account, previewId, hostId, mode: driver.mode }).catch(
    async (error) => {
      await end(state, entry, previewEndings.hostLost)
      throw error
    },
  )
  if (recorded !== 'running') {
    await end(state, entry, previewEndings.stopped)
    return recorded
  }
  void running.ended
    .then(({ error, exitCode }) => end(state, entry, { state: 'failed', error, exitCode }))
    .catch((error: unknown) =>
      log.warn({ err: error, preview: previewId }, 'the end of a preview could not be recorded yet'),
    )
  return recorded
}

async function fail(state: State, entry: Entry, error: unknown): Promise<string> {
  if (!(error instanceof PreviewFailure))
    state.host.log.error({ err: error, preview: entry.previewId }, 'a preview failed to start')
  await end(state, entry, endingOfFailure(error))
  return 'failed'
}

async function end(
  state: State,
  { account, previewId }: { account: string; previewId: string },
  ending: PreviewEnding,
): Promise<void> {
  const { host, entries, unwritten } = state
  const entry = entries.get(previewId)
  if (entry) return (entry.ended ??= finish(state, entry, ending))
  await endPreview(host.db, account, previewId, unwritten.get(previewId) ?? ending)
  unwritten.delete(previewId)
}

async function finish(state: State, entry: Entry, ending: PreviewEnding): Promise<void> {
  const { account, previewId } = entry
  entry.over.abort()
  let recorded = ending
  try {
    const running = await entry.started
    await running?.stop()
    recorded = { ...ending, logTail: ending.logTail ?? running?.logTail() }
    await state.host.folder.remove(previewId)
    await withinBeat(endPreview(state.host.db, account, previewId, recorded))
  } catch (error) {
    keepUnwritten(state, previewId, recorded)
    throw error
  } finally {
    state.entries.delete(previewId)
  }
}

/** Remembers how it ended until its workflow asks again. If this host is gone by then, it counts as lost. */
function keepUnwritten({ unwritten }: State, previewId: string, ending: PreviewEnding): void {
  unwritten.set(previewId, ending)
  const [oldest] = unwritten.keys()
  if (oldest !== undefined && unwritten.size > limits.previewsPerHostMax) unwritten.delete(oldest)
}

/** Records how a preview ends before it ends. */
async function foretell({ host }: State, entry: Entry, ending: PreviewEnding): Promise<void> {
  // A preview that is not running yet may take long to start.
  const running = entry.served && (await entry.started)
  const logTail = running?.logTail()
  await withinBeat(endPreview(host.db, entry.account, entry.previewId, { ...ending, logTail }))
}

function endingOfFailure(error: unknown): PreviewEnding {
  if (!(error instanceof PreviewFailure)) return { state: 'failed', error: 'unavailable' }
  return { state: 'failed', error: error.code, exitCode: error.exitCode, logTail: error.logTail }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
