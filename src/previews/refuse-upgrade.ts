import type { Duplex } from 'node:stream'

/** Answers a request to switch to another protocol, as WebSockets begin: previews have none. */
export function refuseUpgrade(socket: Duplex, headers: Readonly<Record<string, string>> = {}): void {
  const body = 'A preview has no WebSockets.\n'
  const all = { ...headers, 'content-type': 'text/plain; charset=utf-8', 'content-length': body.length }
  const lines = Object.entries({ ...all, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  socket.on('error', () => {})
  // Whoever keeps their side open holds nothing of ours.
  socket.end(['HTTP/1.1 501 Not Implemented', ...lines, '', body].join('\r\n'), () => socket.destroy())
}
