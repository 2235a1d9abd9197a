import { createServer } from 'node:net'

/**
 * Finds a free TCP port on 127.0.0.1. Another process may use it before the caller does, so callers must retry.
 * @param preferred  returned if it is free
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined) {
    const port = await listenOnce(preferred)
    if (port !== undefined) return port
  }
  const port = await listenOnce(0)
  if (port === undefined) throw new Error('No free TCP port was found on 127.0.0.1.')
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
