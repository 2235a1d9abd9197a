import { runFolder } from '../../support/supervisor.ts'
import { type TcpProxy, startTcpProxy } from '../../support/tcp-proxy.ts'
import { testPort } from '../../support/test-port.ts'
import { type EdgeName, edgeNames } from '../schedule/steps.ts'

/** The network between the processes and what they reach. A fault of an edge heals by itself, or by `heal`. */
export interface Edges {
  addressOf(name: EdgeName): string
  /** Leads an edge to `host:port`. */
  leadTo(name: EdgeName, target: string): void
  delay(name: EdgeName, ms: number, jitterMs: number): void
  cut(name: EdgeName, ms: number): Promise<void>
  swallow(name: EdgeName, ms: number): Promise<void>
  blackhole(name: EdgeName, ms: number): Promise<void>
  heal(name: EdgeName): Promise<void>
  healAll(): Promise<void>
  stop(): Promise<void>
}

export async function makeEdges(): Promise<Edges> {
  const proxies = new Map<EdgeName, TcpProxy>()
  // Ports that no connection takes while an edge refuses.
  runFolder()
  for (const name of edgeNames) proxies.set(name, await startTcpProxy('127.0.0.1:1', await testPort()))
  const proxyOf = (name: EdgeName) => proxies.get(name)!
  const healings = new Map<EdgeName, { timer: NodeJS.Timeout; how: () => Promise<void> }>()

  async function heal(name: EdgeName): Promise<void> {
    proxyOf(name).delay(0)
    const healing = healings.get(name)
    if (!healing) return
    healings.delete(name)
    clearTimeout(healing.timer)
    await healing.how()
  }

  function healAfter(name: EdgeName, ms: number, how: () => Promise<void>): void {
    const timer = setTimeout(() => void heal(name), ms)
    healings.set(name, { timer, how })
  }

  /** Connections that were silent for a while end: what was kept never arrives. */
  const loseWhatIsKept = (name: EdgeName) => async () => {
    proxyOf(name).cut()
    proxyOf(name).release()
  }

  return {
    addressOf: (name) => proxyOf(name).address,
    leadTo: (name, target) => proxyOf(name).leadTo(target),
    delay: (name, ms, jitterMs) => proxyOf(name).delay(ms, jitterMs),
    async cut(name, ms) {
      await heal(name)
      healAfter(name, ms, () => proxyOf(name).accept())
      await proxyOf(name).refuse()
    },
    async swallow(name, ms) {
      await heal(name)
      healAfter(name, ms, loseWhatIsKept(name))
      proxyOf(name).holdAnswers()
    },
    async blackhole(name, ms) {
      await heal(name)
      healAfter(name, ms, loseWhatIsKept(name))
      proxyOf(name).hold()
    },
    heal,
    async healAll() {
      await Promise.all(edgeNames.map(heal))
    },
    async stop() {
      await Promise.all([...proxies.values()].map((proxy) => proxy.stop()))
    },
  }
}
