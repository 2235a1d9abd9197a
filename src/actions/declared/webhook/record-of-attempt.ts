import type { BegunExecutorCall, ExecutorRecord } from '../../../db/queries/executors/executor-calls.ts'
import type { ExecutorOutcome } from '../../../executors/call-executor.ts'
import { limits } from '../../../limits.ts'

/** How often a signature is tried whose key cannot be read, where only the status is left to ask: about a day. */
const executorUnsignedTriesMax = 36

/**
 * What is recorded of an attempt, and when the next one is due. Pure.
 * - What certainly did nothing is repeated as long as what may have been done: only the end differs.
 * - A refusal of a repeat says nothing about an earlier attempt, unless the executor says it of the id.
 */
export function recordOf(
  { outcome: asked, call }: BegunExecutorCall,
  outcome: ExecutorOutcome,
): ExecutorRecord {
  switch (outcome.state) {
    case 'ok':
      return final('ok', outcome.leftOut ?? null, outcome.result ?? null)
    case 'accepted': {
      if (asked === 'ask') return askAgain('still_running')
      const location = outcome.location ?? call.location
      // With nowhere to ask, a repeat under the same id asks.
      if (location === null) return again('no_location', true, outcome.afterMs)
      const againMs = outcome.afterMs ?? backoffMs(call.attempts, limits.executorPollMsMax)
      return record({ state: 'accepted', isMaybeDone: true, location, code: null, againMs: atLeast(againMs) })
    }
    case 'not_done': {
      const isSaidOfAll = outcome.isVerdict || (asked === 'call' && !call.is_maybe_done)
      if (isSaidOfAll) return final('not_done', outcome.code)
      return asked === 'ask' ? askAgain(outcome.code) : again(outcome.code, true)
    }
    case 'unknown':
      if (asked === 'ask') return askAgain(outcome.code)
      // It stays refused until somebody changes the document or the configuration.
      if (outcome.code === 'address_refused' && !call.is_maybe_done) return final('not_done', outcome.code)
      return again(outcome.code, call.is_maybe_done || !outcome.isUnsent, outcome.afterMs)
  }

  /** The next attempt, or the next question to the same place. */
  function again(code: string, isMaybeDone: boolean, afterMs = 0): ExecutorRecord {
    const isPoll = asked === 'poll'
    const backoff = backoffMs(call.attempts, isPoll ? limits.executorPollMsMax : limits.executorAgainMsMax)
    const againMs = atLeast(Math.max(afterMs, backoff))
    return record({
      state: isPoll ? 'accepted' : 'pending',
      isMaybeDone: isPoll || isMaybeDone,
      code,
      againMs,
    })
  }

  function askAgain(code: string): ExecutorRecord {
    const tries = call.attempts - call.unsigned
    if (tries >= limits.executorStatusTriesMax) return final('unknown', code)
    const againMs = backoffMs(tries, limits.executorAgainMsMax)
    return record({ state: 'asking', isMaybeDone: true, code, againMs })
  }
}

/**
 * What is recorded of an attempt that could not be signed now: its key may be within reach later. Of what can only be asked about,
 * it does not count as an answer, and takes no try of those that can be signed. Pure.
 */
export function unsignedNow(begun: BegunExecutorCall): ExecutorRecord {
  const code = 'key_unreadable'
  if (begun.outcome !== 'ask') return recordOf(begun, { state: 'unknown', code, isUnsent: true })
  const unsigned = begun.call.unsigned + 1
  if (unsigned >= executorUnsignedTriesMax) return final('unknown', code)
  const againMs = backoffMs(unsigned, limits.executorAgainMsMax)
  return record({ state: 'asking', isMaybeDone: true, code, againMs, unsigned })
}

/**
 * What is recorded where no further attempt is made: asked about if that can be, else as certain as it is. Pure.
 * @param hasStatus  whether the executor can be asked for the outcome of a call
 */
export function endOfRepeats(code: string, isMaybeDone: boolean, hasStatus: boolean): ExecutorRecord {
  if (!isMaybeDone) return final('not_done', code)
  return hasStatus
    ? record({ state: 'asking', isMaybeDone, code, againMs: limits.executorAgainMs })
    : final('unknown', code)
}

const final = (
  state: 'ok' | 'not_done' | 'unknown',
  code: string | null,
  result: string | null = null,
): ExecutorRecord => record({ state, isMaybeDone: state !== 'not_done', code, result })

const record = (
  given: Pick<ExecutorRecord, 'state' | 'isMaybeDone'> & Partial<ExecutorRecord>,
): ExecutorRecord => ({ code: null, location: null, result: null, againMs: null, unsigned: null, ...given })

/** 1, 2, 4 … seconds after each attempt. */
const backoffMs = (attempts: number, mostMs: number): number =>
  Math.min(limits.executorAgainMs * 2 ** Math.min(Math.max(attempts - 1, 0), 30), mostMs)

const atLeast = (ms: number): number =>
  Math.min(Math.max(ms, limits.executorAgainMs), limits.executorAgainMsMax)
