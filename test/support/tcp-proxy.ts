import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

/** A network edge that can fail: bytes pass, or are kept, or the connections are torn. */
export interface TcpProxy {
  /** `127.0.0.1:<port>`, the same for its whole life. */
  address: string
  /** Keeps every byte from now on, of old and new connections: a network that swallows packets. */
  hold(): void
  /** Keeps every byte that comes from the target, of old and new connections: what is asked arrives, answers do not. */
  holdAnswers(): void
  /** Has every byte arrive that much later, by up to `jitterMs` more, in order. 0: at once again. */
  delay(ms: number, jitterMs?: number): void
  /** Lets what was kept pass, and what follows. */
  release(): void
  /** Resets every connection there is. New ones are accepted. */
  cut(): void
  /** Closes every connection and refuses new ones, until `accept`. */
  refuse(): Promise<void>
  /** Takes new connections again, and holds nothing any more. */
  accept(): Promise<void>
  /** The ports that its connections to the target come from. */
  ports(): number[]
  /** Leads new connections to another target (`host:port`), as the address of a service that fails over. */
  leadTo(target: string): void
  stop(): Promise<void>
}

/** Stands in front of `target` (`host:port`) on a port of 127.0.0.1: any free one by default. */
export async function startTcpProxy(target: string, port = 0): Promise<TcpProxy> {
  let current = target
  const sockets = new Set<Socket>()
  const answering = new Set<Socket>()
  let held: 'nothing' | 'answers' | 'all' = 'nothing'
  const isHeld = (from: Socket) => held === 'all' || (held === 'answers' && answering.has(from))
  let isRefusing = false
  let late = { ms: 0, jitterMs: 0 }
  const server = createServer((client) => {
    // One that was waiting to be accepted when the refusal began.
    if (isRefusing) return void client.resetAndDestroy()
    const [host, port] = current.split(':')
    const upstream = connect(Number(port), host)
    answering.add(upstream)
    join(client, upstream)
    join(upstream, client)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  function join(from: Socket, to: Socket): void {
    sockets.add(from)
    const inOrder = delayer(() => late.ms + Math.random() * late.jitterMs)
    from.on('data', (bytes) =>
      inOrder(() => {
        if (!to.destroyed && !to.write(bytes)) from.pause()
      }),
    )
    to.on('drain', () => void (isHeld(from) || from.resume()))
    from.once('end', () => inOrder(() => to.end()))
    from.once('error', () => to.destroy())
    from.once('close', () => {
      sockets.delete(from)
      answering.delete(from)
      to.destroy()
    })
    if (isHeld(from)) from.pause()
  }

  function release(): void {
    held = 'nothing'
    for (const socket of sockets) socket.resume()
  }

  const own = (server.address() as AddressInfo).port
  return {
    address: `127.0.0.1:${own}`,
    hold() {
      held = 'all'
      for (const socket of sockets) socket.pause()
    },
    holdAnswers() {
      held = 'answers'
      for (const socket of answering) socket.pause()
    },
    delay: (ms, jitterMs = 0) => void (late = { ms, jitterMs }),
    release,
    cut() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    async refuse() {
      isRefusing = true
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    async accept() {
      isRefusing = false
      release()
      if (server.listening) return
      server.listen(own, '127.0.0.1')
      await once(server, 'listening')
    },
    ports: () => [...answering].flatMap(({ localPort }) => localPort ?? []),
    leadTo: (target) => void (current = target),
    async stop() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/**
 * Runs what it is given so many milliseconds later, in the order in which it came; at once where nothing waits. Timers that are due
 * in the same millisecond fire in any order, so each runs what has waited longest.
 */
export function delayer(msNow: () => number): (run: () => void) => void {
  const waiting: (() => void)[] = []
  let lastDue = 0
  return (run) => {
    const ms = msNow()
    if (ms === 0 && waiting.length === 0) return run()
    waiting.push(run)
    lastDue = Math.max(lastDue, performance.now() + ms)
    setTimeout(() => waiting.shift()!(), lastDue - performance.now())
  }
}
