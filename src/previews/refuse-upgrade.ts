import type { Duplex } from 'node:stream'

/** Refuses a protocol upgrade, such as a WebSocket. */
export function refuseUpgrade(socket: Duplex, headers: Readonly<Record<string, string>> = {}): void {
  const body = 'Previews do not support WebSockets.\n'
  const all = { ...headers, 'content-type': 'text/plain; charset=utf-8', 'content-length': body.length }
  const lines = Object.entries({ ...all, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  socket.on('error', () => {})
  // A client that keeps its side open must not keep our socket open.
  socket.end(['HTTP/1.1 501 Not Implemented', ...lines, '', body].join('\r\n'), () => socket.destroy())
}
