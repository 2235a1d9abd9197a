import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

const readMs = 1_000

/** A free port at loopback, where Temporal's core can serve its own metrics to this process. */
export function freeAddress(): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port: 0, host: '127.0.0.1', exclusive: true }, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(`127.0.0.1:${port}`))
    })
  })
}

/** Temporal's own metrics; nothing where it does not answer at once. */
export async function temporalMetrics(address: string | undefined): Promise<string> {
  if (address === undefined) return ''
  try {
    const answer = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(readMs) })
    return answer.ok ? await answer.text() : ''
  } catch {
    return ''
  }
}
