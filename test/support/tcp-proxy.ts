import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

/** A network edge that can fail: bytes pass, or are kept, or the connections are torn. */
export interface TcpProxy {
  /** `127.0.0.1:<port>`, the same for its whole life. */
  address: string
  /** Keeps every byte from now on, of old and new connections: a network that swallows packets. */
  hold(): void
  /** Lets what was kept pass, and what follows. */
  release(): void
  /** Resets every connection there is. New ones are accepted. */
  cut(): void
  stop(): Promise<void>
}

/** Stands in front of `target` (`host:port`) on a port of 127.0.0.1. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const [host, port] = target.split(':')
  const sockets = new Set<Socket>()
  let isHeld = false
  const server = createServer((client) => {
    const upstream = connect(Number(port), host)
    join(client, upstream)
    join(upstream, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  function join(from: Socket, to: Socket): void {
    sockets.add(from)
    from.on('data', (bytes) => {
      if (!to.write(bytes)) from.pause()
    })
    to.on('drain', () => void (isHeld || from.resume()))
    from.once('end', () => to.end())
    from.once('error', () => to.destroy())
    from.once('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    if (isHeld) from.pause()
  }

  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold() {
      isHeld = true
      for (const socket of sockets) socket.pause()
    },
    release() {
      isHeld = false
      for (const socket of sockets) socket.resume()
    },
    cut() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    async stop() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
