import type { Envelope } from './message.ts'
import { type SmtpOutcome, smtpFailure } from './outcome.ts'
import { type Session, type SmtpOptions, SmtpFailure, openSession } from './session.ts'
import { sessions } from './sessions.ts'

/** How long the answer to a failed connection holds for those that come after it: nobody is signed in for each of them. */
const closedMs = 5_000

/**
 * Hands messages over to one server.
 * @returns what hands over one message. It resolves to why that is not tried now, or to undefined where the server took it, and
 *   throws SmtpFailure
 */
export function handingOver(options: SmtpOptions) {
  const pool = sessions((signal) => openSession(options, signal))
  let closed: { until: number; outcome: SmtpOutcome } | undefined

  return async function handOver(
    envelope: Envelope,
    bytes: Buffer,
    signal: AbortSignal,
  ): Promise<SmtpOutcome | undefined> {
    for (;;) {
      if (closed && closed.until > performance.now()) return closed.outcome
      const { session, isFresh } = await taken(signal)
      try {
        await session.send(envelope, bytes, signal)
        return undefined
      } catch (error) {
        // A kept session that its server had closed took nothing: once more, on a new one.
        const isStale = !isFresh && !session.isOpen() && smtpFailure(error).state !== 'unknown'
        if (!isStale || signal.aborted) throw error
      } finally {
        pool.give(session)
      }
    }
  }

  async function taken(signal: AbortSignal): Promise<{ session: Session; isFresh: boolean }> {
    try {
      return await pool.take(signal)
    } catch (error) {
      const failure = error instanceof SmtpFailure ? error : new SmtpFailure(error, false)
      if (!signal.aborted) closed = { until: performance.now() + closedMs, outcome: smtpFailure(failure) }
      throw failure
    }
  }
}
