import { setMaxListeners } from 'node:events'
import type { IncomingMessage } from 'node:http'
import {
  type AttemptRecord,
  type TakenEvent,
  clearEvents,
  recordAttempt,
  takeEvents,
} from '../../db/queries/events/deliveries.ts'
import type { Deps } from '../../deps.ts'
import { beginningOf } from '../../executors/bounded-body.ts'
import { CallFailure, sendGuarded } from '../../executors/guarded-request.ts'
import { signatureHeaders } from '../../executors/signature.ts'
import { limits } from '../../limits.ts'
import { open } from '../../secrets/seal.ts'
import { startPolling } from '../../waiting/poll-loop.ts'
import { timeLimit } from '../../waiting/time-limit.ts'
import { tellOfTurnedOff } from './turned-off.ts'
import { endpointSecretPlace } from './endpoints.ts'
import { eventBody } from './event-body.ts'

const pollMs = 250

/** Attempts of a process at a time, and of one endpoint: a receiver that hangs holds up its own events alone. */
const atOnceMax = 500
const endpointAtOnceMax = 4

/** For so long an attempt is this process's: no other sends the event meanwhile. */
const takeMs = limits.eventCallMs + 15_000

/** Old deliveries are deleted in pages, of each account every hour. */
const clearPollMs = 60_000
const clearEveryMs = 3_600_000
const clearedAtOnce = 5_000

/** The delay before each attempt. @source Standard Webhooks 1.0.0 */
const delaysMs = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * 1_000)
const jitter = 0.1

/** For how long an endpoint can ask that nothing is sent to it. */
const pauseMsMax = 3_600_000

export interface EventSender {
  /** Waits a moment for the attempts under way, then breaks them off: another process repeats them. */
  stop(): Promise<void>
}

/** Sends the events of all accounts to their endpoints, until stopped. Any number of processes may do so. */
export function startEvents(deps: Deps): EventSender {
  const underWay = new Set<Promise<void>>()
  const stopping = new AbortController()
  // Every attempt under way listens to it.
  setMaxListeners(0, stopping.signal)
  const sending = startPolling(deps, {
    failed: 'sending events failed; will retry',
    pollMs,
    batchMax: 1,
    async pass() {
      const room = atOnceMax - underWay.size
      const taken = room > 0 ? await takeDue(deps, room) : []
      for (const event of taken) {
        const attempt = sendEvent(deps, event, stopping.signal).finally(() => underWay.delete(attempt))
        underWay.add(attempt)
      }
      return taken.length
    },
  })
  const clearing = startPolling(deps, {
    failed: 'deleting old deliveries of events failed; will retry',
    pollMs: clearPollMs,
    batchMax: clearedAtOnce,
    pass: () => clearOldEvents(deps),
  })
  return {
    async stop() {
      await Promise.all([sending.stop(), clearing.stop()])
      const timer = setTimeout(() => stopping.abort(), limits.executorCloseMs)
      await Promise.all(underWay)
      clearTimeout(timer)
    },
  }
}

/** Takes what is due: it is this process's for a while. */
export const takeDue = ({ db }: Pick<Deps, 'db'>, limitRows: number): Promise<TakenEvent[]> =>
  takeEvents(db, { limitRows, atOnce: endpointAtOnceMax, takeMs })

export const clearOldEvents = ({ db }: Pick<Deps, 'db'>): Promise<number> =>
  clearEvents(db, { keepMs: limits.eventsKeptMs, everyMs: clearEveryMs, limitRows: clearedAtOnce })

/** Makes one attempt and records it. Never throws: where it cannot be recorded, the event is sent again under its id. */
export async function sendEvent(deps: Deps, event: TakenEvent, stop: AbortSignal): Promise<void> {
  const about = { account: event.account_id, endpoint: event.endpoint_id, event: event.event_id }
  try {
    const record = await attempt(deps, event, stop)
    if (!record) return
    const offAfterMs = limits.endpointOffAfterMs
    const off = await recordAttempt(deps.db, { ...event, ...record, offAfterMs })
    if (record.outcome !== 'delivered')
      deps.log.info({ ...about, status: record.status, code: record.code }, 'an event was not taken')
    if (off) await tellOfTurnedOff(deps, { ...event, reason: off })
  } catch (error) {
    deps.log.warn({ err: error, ...about }, 'an attempt to send an event could not be recorded')
  }
}

/** @returns undefined where the process ends: then nobody knows what came of it */
async function attempt(deps: Deps, event: TakenEvent, stop: AbortSignal): Promise<AttemptRecord | undefined> {
  const began = Date.now()
  const took = () => Math.round(Date.now() - began)
  const { signal, clear } = timeLimit(deps.network.callMs ?? limits.eventCallMs, stop)
  const { account_id: account, url } = event
  try {
    const body = await eventBody(deps, event)
    const message = { id: event.event_id, timestamp: Math.floor(began / 1_000), body }
    const secrets = await secretsOf(deps, event)
    if (!secrets) return failed(event, { ms: took(), code: 'secret_unreadable' })
    const headers = {
      ...signatureHeaders(message, secrets),
      'content-type': 'application/json',
      'user-agent': 'qualification-gate',
    }
    const reply = await counted(deps, () =>
      sendGuarded(deps.network, { account, url, method: 'POST', headers, body }, signal),
    )
    const { statusCode: status = 0, headers: head } = reply
    const ms = took()
    const answer = keptAnswer(await beginningOf(reply, limits.eventAnswerCharsMax))
    if (isTaken(status))
      return { outcome: 'delivered', againMs: null, pauseMs: null, status, code: null, ms, answer }
    return failed(event, { ms, status, answer, pauseMs: pauseOf(status, head['retry-after']) })
  } catch (error) {
    if (stop.aborted) return undefined
    if (error instanceof CallFailure) return failed(event, { ms: took(), code: error.code })
    deps.log.error({ err: error, account, event: event.event_id }, 'an event could not be composed')
    return failed(event, { ms: took(), code: 'not_composed' })
  } finally {
    clear()
  }
}

const isTaken = (status: number): boolean => status >= 200 && status <= 299

/** Counts a call by its outcome, where somebody does: one that never left is known not to have arrived. */
async function counted({ onCall }: Deps, send: () => Promise<IncomingMessage>): Promise<IncomingMessage> {
  if (!onCall) return send()
  const failure = (error: unknown) => {
    if (error instanceof CallFailure) return error
    throw error
  }
  const sent = await onCall(
    'endpoint',
    () => send().catch(failure),
    (of) => {
      if (of instanceof CallFailure) return [of.isUnsent ? 'not_done' : 'unknown']
      return [isTaken(of.statusCode ?? 0) ? 'ok' : 'not_done']
    },
  )
  if (sent instanceof CallFailure) throw sent
  return sent
}

function failed(
  { tries }: TakenEvent,
  { status = null, code = null, answer = null, pauseMs = null, ms }: Partial<AttemptRecord> & { ms: number },
): AttemptRecord {
  const delayMs = delaysMs[tries]
  const spread = 1 + jitter * (Math.random() * 2 - 1)
  const againMs = delayMs === undefined ? null : Math.max(Math.round(delayMs * spread), pauseMs ?? 0)
  const isGone = status === 410
  return {
    outcome: isGone ? 'gone' : 'failed',
    againMs: isGone ? null : againMs,
    pauseMs,
    status,
    code,
    ms,
    answer,
  }
}

/** The answers by which an endpoint asks for time. */
const asksForTime = new Set([429, 502, 503, 504])

/** `Retry-After` in seconds; its form with a date is not used. Pure. */
function pauseOf(status: number, header: string | undefined): number | null {
  if (!asksForTime.has(status) || header === undefined || !/^\d{1,9}$/.test(header)) return null
  return Math.min(Number(header) * 1_000, pauseMsMax)
}

/** Null where it says nothing. The database keeps no NUL. Pure. */
const keptAnswer = (text: string): string | null => text.replaceAll('\0', '') || null

/** undefined where a secret cannot be decrypted now. */
async function secretsOf(
  { secretsKeys: keys, log }: Deps,
  { account_id: account, endpoint_id: endpoint, secrets }: TakenEvent,
): Promise<string[] | undefined> {
  try {
    if (!keys) throw new Error('SECRETS_KEYS is not set')
    const opened = await Promise.all(
      secrets.map(({ secretId, ...sealed }) =>
        open(keys, endpointSecretPlace(account, endpoint, secretId), sealed),
      ),
    )
    return opened.flatMap((both) => both.split(' '))
  } catch (error) {
    log.error({ err: error, account, endpoint }, 'a secret of an endpoint could not be decrypted')
    return undefined
  }
}
