import type { FastifyReply } from 'fastify'

/** A signal that is aborted when the caller disconnects before their answer: ends waiting, never work. Made on first use. */
export function hangUp({ raw }: FastifyReply): () => AbortSignal {
  let hungUp: AbortController | undefined
  const abort = () => {
    // The connection or the exchange closes after every answer too: an abort, with its error, would cost each request.
    if (!raw.writableEnded) hungUp?.abort()
  }
  return () => {
    if (hungUp) return hungUp.signal
    hungUp = new AbortController()
    if (raw.closed || raw.destroyed) abort()
    else raw.once('close', abort)
    return hungUp.signal
  }
}
