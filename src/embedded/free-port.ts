import { createServer } from 'node:net'

/**
 * Picks a TCP port of 127.0.0.1 that nobody listens on.
 * Somebody may take it before the caller does: callers try again with another.
 * @param preferred  taken when it is free
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined) {
    const port = await listenOnce(preferred)
    if (port !== undefined) return port
  }
  const port = await listenOnce(0)
  if (port === undefined) throw new Error('No TCP port of 127.0.0.1 can be opened.')
  return port
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}
