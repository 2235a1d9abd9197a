import type { FastifyReply } from 'fastify'

/** Aborted when the caller disconnects before their answer: ends waiting, never work. */
export function hangUpSignal({ raw }: FastifyReply): AbortSignal {
  const hungUp = new AbortController()
  // Also after every answer the connection or the exchange closes: an abort, with its error, would cost each request.
  raw.once('close', () => {
    if (!raw.writableEnded) hungUp.abort()
  })
  return hungUp.signal
}
