import { limits } from '../../limits.ts'
import { timeLimit } from '../../waiting/time-limit.ts'
import { fingerprintOf } from '../fingerprint.ts'
import type { DeliveryChannel, DeliveryOutcome, SliceToSend } from '../ports.ts'
import { type RateLimiter, rateLimiter, takeTurn } from '../rate-limiter.ts'
import { postOf } from './card.ts'
import { teamsAnswer, teamsFailure } from './outcome.ts'

/** What Teams takes of one message. @source https://learn.microsoft.com/connectors/teams/ (message size) */
const postBytesMax = 28_000

/** Posts a second. Teams takes four. */
const postsPerSecond = 3

/** Sends one request to the workflow. Rejects where no answer came: see `teamsFailure`. */
export type AskWorkflow = (
  request: { body: string; actionNumber: string },
  signal: AbortSignal,
) => Promise<{ status: number; retryAfter: string | undefined }>

export interface TeamsOptions {
  /** The address of the workflow. Its signature in the query is the credential. */
  url: string
  ask: AskWorkflow
  timeoutMs?: number
  rateLimiter?: RateLimiter
}

/**
 * Broadcasts to a room: one post, to the workflow that its owner made for it. A workflow has no key against repeats and cannot be
 * asked what it took: a post whose answer was lost is unknown, and never sent again.
 */
export function teamsChannel(options: TeamsOptions): DeliveryChannel {
  const { url, ask, timeoutMs = limits.providerCallMs } = options
  const limiter = options.rateLimiter ?? rateLimiter({ perSecond: postsPerSecond })
  return {
    channel: 'teams',
    credential: fingerprintOf(url),
    isIdempotent: false,
    mayRepeatNotice: false,
    freeze: (message) => ({ post: postOf(message), action_number: String(message.actionNumber) }),
    freezeNotice: () => {
      throw new Error('a room gets no notices: everyone there would read them')
    },
    async send(slice) {
      const outcomes: DeliveryOutcome[] = []
      for (const recipient of slice.recipients) outcomes.push(await sendOne(slice, recipient.address))
      return { outcomes }
    },
    reconcile: async ({ recipients }) => ({
      outcomes: recipients.map(() => ({ state: 'unknown', code: 'cannot_tell' })),
    }),
  }

  async function sendOne(slice: SliceToSend, room: string): Promise<DeliveryOutcome> {
    const { post = '', credential, action_number: actionNumber = '' } = slice.message
    // The member consented to a post in that room, and in no other.
    if (room !== credential) return { state: 'not_done', code: 'room_changed' }
    if (Buffer.byteLength(post) > postBytesMax) return { state: 'not_done', code: 'message_too_large' }
    const pausedMs = limiter.pausedMs()
    if (pausedMs > 0) return { state: 'not_done', code: 'ratelimited', retryAfterMs: pausedMs }
    try {
      await takeTurn(limiter, slice)
    } catch {
      return { state: 'not_done', code: 'cancelled', retryAfterMs: 0 }
    }
    slice.onTurn?.()
    const outcome = await called({ body: post, actionNumber }, slice.signal)
    if (outcome.state === 'not_done' && outcome.code === 'ratelimited')
      limiter.pauseFor(outcome.retryAfterMs!)
    return outcome
  }

  async function called(
    request: Parameters<AskWorkflow>[0],
    stop: AbortSignal | undefined,
  ): Promise<DeliveryOutcome> {
    const { signal, clear } = timeLimit(timeoutMs, stop)
    try {
      const { status, retryAfter } = await ask(request, signal)
      return teamsAnswer(status, retryAfter)
    } catch (error) {
      return teamsFailure(error)
    } finally {
      clear()
    }
  }
}
