import { lookup } from 'node:dns/promises'
import { limits } from '../limits.ts'
import { withDeadline } from '../waiting/with-deadline.ts'

/** Every address of a name. Rejects where there is none. */
export type ResolveName = (host: string) => Promise<{ address: string; family: 4 | 6 }[]>

interface Wanted {
  /** Its lookup is under way, and not only waits for its turn. */
  hasBegun: boolean
  /** How many still wait for it. */
  waiting: number
  found: Promise<Awaited<ReturnType<ResolveName>>>
}

/**
 * Looks names up as the system does, few at once and each for a bounded time. A lookup holds a thread until it ends, which nobody can
 * make it do: names that do not resolve would hold all of those that lookups may have, and the service could reach nothing else.
 * @param lookUp  absent: the system's
 */
export function nameLookups(lookUp: ResolveName = everyAddress): ResolveName {
  const wanted = new Map<string, Wanted>()
  const turns = takingTurns()
  async function inTurn(host: string, begin: () => void, isWanted: () => boolean) {
    await turns.take(host)
    try {
      if (!isWanted()) throw new Error('nobody waits for this name any more')
      begin()
      const found = await lookUp(host)
      turns.isQuick(host)
      return found
    } finally {
      wanted.delete(host)
      turns.giveBack()
    }
  }
  function want(host: string): Wanted {
    const one: Wanted = {
      hasBegun: false,
      waiting: 0,
      found: inTurn(
        host,
        () => void (one.hasBegun = true),
        () => one.waiting > 0,
      ),
    }
    // Those who wait hear of a failure.
    one.found.catch(() => undefined)
    wanted.set(host, one)
    return one
  }
  return async (host) => {
    const one = wanted.get(host) ?? want(host)
    one.waiting++
    const late = () => {
      if (one.hasBegun) turns.isSlow(host)
      return new Error('the lookup takes too long')
    }
    try {
      return await withDeadline(limits.executorLookupMs, one.found, late)
    } finally {
      one.waiting--
    }
  }
}

/** Turns of names, in the order in which they came; those that took too long before come after the others. */
function takingTurns() {
  const slow = new Set<string>()
  const waiting: { host: string; go: () => void }[] = []
  let running = 0
  return {
    isSlow(host: string) {
      slow.add(host)
      const [oldest] = slow
      if (slow.size > limits.executorSlowNamesMax && oldest !== undefined) slow.delete(oldest)
    },
    isQuick: (host: string) => void slow.delete(host),
    async take(host: string): Promise<void> {
      if (running < limits.executorLookupsMax) running++
      else await new Promise<void>((resolve) => waiting.push({ host, go: resolve }))
    },
    /** The next one has the turn from now on. */
    giveBack() {
      const next = Math.max(
        waiting.findIndex(({ host }) => !slow.has(host)),
        0,
      )
      const [one] = waiting.splice(next, 1)
      if (one) one.go()
      else running--
    },
  }
}

const everyAddress: ResolveName = async (host) =>
  (await lookup(host, { all: true })).map(({ address, family }) => ({
    address,
    family: family === 4 ? 4 : 6,
  }))
