import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Db } from '../db/connect.ts'
import { type PreviewRow, readPreview, runPreview } from '../db/queries/previews/previews.ts'
import { limits } from '../limits.ts'
import { type PreviewDriver, PreviewFailure, type RunningPreview } from './driver.ts'
import { type PreviewEnding, endPreview, endings } from './end-preview.ts'
import type { ServedPreview } from './gateway.ts'
import type { HostFolder } from './host-folder.ts'
import { withinBeat } from './within-beat.ts'
import type { Workspaces } from '../workspaces/store.ts'

/** The previews of one host. Whatever ends one here writes down how it ended. */
export interface RunningPreviews {
  /**
   * Gets a preview to run, once: a repeat waits for the first. A failure is an end like others.
   * @returns its state: `running`, or how it ended
   */
  boot(account: string, previewId: string): Promise<string>
  /** Resolves once the preview has ended, for whatever reason, or `signal` aborts. Until then it counts as watched. */
  untilEnded(previewId: string, signal: AbortSignal): Promise<void>
  /** Ends a preview: from the call on nobody reaches it, and when this resolves it has left nothing. */
  end(account: string, previewId: string, ending: PreviewEnding): Promise<void>
  /**
   * From the call on none begins here: one that is booted ends like this, at once. Resolves once the same is written of
   * those that live, as far as the database answers. They go on, for `end` to end: no other is added to the list.
   */
  close(ending: PreviewEnding): Promise<void>
  /** What viewers may reach. */
  find(previewId: string): ServedPreview | undefined
  list(): { account: string; previewId: string; accessedAt: Date; unwatchedMs: number; isRunning: boolean }[]
}

interface Entry {
  account: string
  previewId: string
  /** What its driver made of it; undefined where that failed. Never rejects. */
  started: Promise<RunningPreview | undefined>
  booted: Promise<string>
  served: ServedPreview | undefined
  /** Aborted as soon as it is to end. */
  over: AbortController
  ended: Promise<void> | undefined
  watchers: number
  /** When it was last watched. */
  watchedAt: number
}

/** What a host is made of. */
export interface HostParts {
  config: Config
  db: Db
  log: Logger
  workspaces: Workspaces
}

interface HostOf extends HostParts {
  hostId: string
  drivers: PreviewDriver[]
  folder: HostFolder
}

export function runningPreviews(host: HostOf): RunningPreviews {
  const { db, log } = host
  const entries = new Map<string, Entry>()
  const unwritten = new Map<string, PreviewEnding>()
  let closing: PreviewEnding | undefined

  function begin(row: PreviewRow): Entry {
    const over = new AbortController()
    // Every answer under way hears of the end.
    setMaxListeners(0, over.signal)
    const limit = AbortSignal.timeout(host.config.PREVIEW_BOOT_MS)
    const driven = startBy(host, row, AbortSignal.any([limit, over.signal]))
    const entry: Entry = {
      account: row.account_id,
      previewId: row.preview_id,
      started: driven.then(({ running }) => running).catch(() => undefined),
      booted: driven.then(
        (made) => serve(entry, row, made),
        (error: unknown) => fail(entry, error),
      ),
      served: undefined,
      over,
      ended: undefined,
      watchers: 0,
      watchedAt: Date.now(),
    }
    entries.set(row.preview_id, entry)
    return entry
  }

  async function serve(entry: Entry, row: PreviewRow, { driver, running }: Driven): Promise<string> {
    const { account, previewId, over } = entry
    if (over.signal.aborted) return 'stopped'
    const { mode } = driver
    // Before it is known to run: whoever hears of that opens its link at once.
    entry.served = {
      secret: row.link_secret!,
      target: running.target,
      endsAt: new Date(row.started_at.getTime() + limits.previewTotalMs),
      accessedAt: new Date(),
      signal: over.signal,
    }
    entry.watchedAt = Date.now()
    const state = await runPreview(db, { account, previewId, hostId: host.hostId, mode }).catch(
      async (error) => {
        await end(account, previewId, endings.hostLost)
        throw error
      },
    )
    if (state !== 'running') {
      await end(account, previewId, endings.stopped)
      return state
    }
    void running.ended
      .then(({ error, exitCode }) => end(account, previewId, { state: 'failed', error, exitCode }))
      .catch((error: unknown) =>
        log.warn({ err: error, preview: previewId }, 'a preview ended, which is not written yet'),
      )
    return state
  }

  async function fail(entry: Entry, error: unknown): Promise<string> {
    if (!(error instanceof PreviewFailure))
      log.error({ err: error, preview: entry.previewId }, 'a preview did not start')
    await end(entry.account, entry.previewId, failureOf(error))
    return 'failed'
  }

  async function finish(entry: Entry, ending: PreviewEnding): Promise<void> {
    const { account, previewId } = entry
    entry.over.abort()
    let told = ending
    try {
      const running = await entry.started
      await running?.stop()
      told = { ...ending, logTail: ending.logTail ?? running?.logTail() }
      await host.folder.remove(previewId)
      await withinBeat(endPreview(db, account, previewId, told))
    } catch (error) {
      keepUnwritten(previewId, told)
      throw error
    } finally {
      entries.delete(previewId)
    }
  }

  /** How it ended, for its workflow, which asks again; were this host gone by then, its silence would tell. */
  function keepUnwritten(previewId: string, ending: PreviewEnding): void {
    unwritten.set(previewId, ending)
    const [oldest] = unwritten.keys()
    if (oldest !== undefined && unwritten.size > limits.previewsPerHostMax) unwritten.delete(oldest)
  }

  /** Writes down how it ends before it does. */
  async function foretell(entry: Entry, ending: PreviewEnding): Promise<void> {
    // One that does not run yet may still take long to start.
    const running = entry.served && (await entry.started)
    const logTail = running?.logTail()
    await withinBeat(endPreview(db, entry.account, entry.previewId, { ...ending, logTail }))
  }

  async function end(account: string, previewId: string, ending: PreviewEnding): Promise<void> {
    const entry = entries.get(previewId)
    if (entry) return (entry.ended ??= finish(entry, ending))
    await endPreview(db, account, previewId, unwritten.get(previewId) ?? ending)
    unwritten.delete(previewId)
  }

  return {
    async boot(account, previewId) {
      const known = entries.get(previewId)
      if (known) return known.booted
      const row = await readPreview(db, account, previewId, limits.previewHostDeadMs)
      if (!row || row.host_id !== host.hostId || row.state !== 'starting') return row?.state ?? 'stopped'
      // Another try of the same may have come first while this one read, or the end of all.
      const first = entries.get(previewId)
      if (first) return first.booted
      if (closing) return (await endPreview(db, account, previewId, closing))?.state ?? 'stopped'
      return begin(row).booted
    },
    async untilEnded(previewId, signal) {
      const entry = entries.get(previewId)
      if (!entry) return
      entry.watchers++
      await aborted(AbortSignal.any([entry.over.signal, signal]))
      entry.watchers--
      entry.watchedAt = Date.now()
      if (entry.over.signal.aborted) await entry.ended
    },
    end,
    async close(ending) {
      closing = ending
      const living = [...entries.values()].filter(({ ended }) => !ended)
      await Promise.allSettled(living.map((entry) => foretell(entry, ending)))
    },
    find(previewId) {
      const entry = entries.get(previewId)
      return entry?.over.signal.aborted ? undefined : entry?.served
    },
    list: () =>
      [...entries.values()].map(({ account, previewId, served, watchers, watchedAt }) => ({
        account,
        previewId,
        accessedAt: served?.accessedAt ?? new Date(),
        unwatchedMs: served && watchers === 0 ? Date.now() - watchedAt : 0,
        isRunning: served !== undefined,
      })),
  }
}

interface Driven {
  driver: PreviewDriver
  running: RunningPreview
}

/** By the first driver that finds something for it in the workspace. */
async function startBy(
  { drivers, folder, workspaces, log }: HostOf,
  row: PreviewRow,
  signal: AbortSignal,
): Promise<Driven> {
  const { account_id: account, conversation_id: conversationId, preview_id: previewId } = row
  const files = workspaces.open({ account, conversationId }, 'built')
  let passedBy: PreviewFailure | undefined
  for (const driver of drivers) {
    const spec = {
      previewId,
      files,
      folder: await folder.make(previewId),
      log: log.child({ preview: previewId }),
    }
    try {
      return { driver, running: await driver.start(spec, signal) }
    } catch (error) {
      if (!(error instanceof PreviewFailure) || !leftToNext.has(error.code)) throw error
      // That packages are missing says more than that there is nothing else either.
      if (passedBy?.code !== 'dependencies_missing') passedBy = error
    }
  }
  throw passedBy ?? new PreviewFailure('unavailable', 'This host can run no preview.')
}

/** What a driver does not find, another may do without: a page that was built needs no packages. */
const leftToNext = new Set(['no_command', 'dependencies_missing', 'nothing_to_show'])

function failureOf(error: unknown): PreviewEnding {
  if (!(error instanceof PreviewFailure)) return { state: 'failed', error: 'unavailable' }
  return { state: 'failed', error: error.code, exitCode: error.exitCode, logTail: error.logTail }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
