import { readWaitingMarks } from '../../db/queries/accounts/sign-ins.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Session } from '../sign-in/session.ts'

/** Somebody who is told that what waits for them changed. */
export interface Watcher {
  session: Pick<Session, 'account' | 'tokenHash'>
  /** Also told at the first look: something may have changed since the page was made. */
  changed(): void
  /** Nothing is told any more. @param isOver  the session has ended; otherwise this process stops, and another one can tell */
  ended(isOver: boolean): void
}

/** Tells open lists that what waits for their members changed, in whichever process: one statement a second for all of them. */
export interface InboxWatch {
  /**
   * @returns ends the watching
   * @throws GateError `too_many` where a session, its account or the process has too many lists open
   */
  watch(watcher: Watcher): () => void
}

type WatchDeps = Pick<Deps, 'db' | 'log' | 'stopping'>

/** @param pollMs  how often is looked, while somebody watches */
export function inboxWatch(deps: WatchDeps, pollMs: number = limits.inboxPollMs): InboxWatch {
  const watching = new Map<Watcher, { mark?: string }>()
  let isLooking = false

  async function look(): Promise<void> {
    while (watching.size > 0) {
      // Those that come meanwhile are looked for next time.
      const watchers = [...watching.keys()]
      if (deps.stopping.isDraining || deps.stopping.isEnding) watchers.forEach((one) => end(one, false))
      else
        await tell(watchers).catch((error: unknown) =>
          deps.log.warn({ err: error }, 'open lists were not told'),
        )
      await new Promise((resolve) => setTimeout(resolve, pollMs).unref())
    }
    isLooking = false
  }

  async function tell(watchers: Watcher[]): Promise<void> {
    const tokens = watchers.map(({ session }) => session.tokenHash)
    const rows = await readWaitingMarks(deps.db, tokens, limits.sessionIdleMs)
    const marks = new Map(rows.map(({ token, mark }) => [token.toString('hex'), mark]))
    for (const watcher of watchers) {
      const mark = marks.get(watcher.session.tokenHash.toString('hex'))
      const known = watching.get(watcher)
      if (mark === undefined) end(watcher, true)
      else if (known && known.mark !== mark) {
        known.mark = mark
        watcher.changed()
      }
    }
  }

  function end(watcher: Watcher, isOver: boolean): void {
    if (watching.delete(watcher)) watcher.ended(isOver)
  }

  function requirePlace({ tokenHash, account }: Watcher['session']): void {
    const others = [...watching.keys()].map(({ session }) => session)
    const ofSession = others.filter((other) => other.tokenHash.equals(tokenHash)).length
    const ofAccount = others.filter((other) => other.account === account).length
    if (
      ofSession >= limits.inboxStreamsPerSession ||
      ofAccount >= limits.inboxStreamsPerAccount ||
      others.length >= limits.inboxStreamsMax
    )
      throw new GateError(
        'too_many',
        'Too many lists are open. This one loads itself again from time to time.',
        {
          retryAfterSeconds: 30,
        },
      )
  }

  return {
    watch(watcher) {
      requirePlace(watcher.session)
      watching.set(watcher, {})
      if (!isLooking) {
        isLooking = true
        void look()
      }
      return () => void watching.delete(watcher)
    },
  }
}
