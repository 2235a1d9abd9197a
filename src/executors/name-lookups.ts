import { lookup } from 'node:dns/promises'
import { limits } from '../limits.ts'
import { withDeadline } from '../waiting/with-deadline.ts'

/** Names that are looked up at once. */
const executorLookupsMax = 1
const executorSlowNameRestMsMax = 3_600_000

/** Names of which it is remembered that they hung. */
const executorSlowNamesMax = 1_000

type Addresses = { address: string; family: 4 | 6 }[]

/** Every address of a name, for a call of an account. Rejects where there is none. */
export type ResolveName = (host: string, account: string) => Promise<Addresses>

interface Wanted {
  /** How many still wait for it. */
  waiting: number
  found: Promise<Addresses>
}

/**
 * Looks names up as the system does, few at once and each for a bounded time. A lookup holds a thread until it ends, which nobody can
 * make it do: names that do not resolve would hold all of those that lookups may have, and the service could reach nothing else.
 * So turns go round by account, and a name that hung is refused for a while.
 * @param lookUp  absent: the system's
 */
export function nameLookups(lookUp: (host: string) => Promise<Addresses> = everyAddress): ResolveName {
  const wanted = new Map<string, Wanted>()
  const slow = slowNames()
  const turns = takingTurns(slow.has)
  async function inTurn(host: string, account: string, isWanted: () => boolean) {
    await turns.take(host, account)
    try {
      if (!isWanted()) throw new Error('nobody waits for this name any more')
      slow.requireRested(host)
      return await slow.time(host, lookUp(host))
    } finally {
      wanted.delete(keyOf(host, account))
      turns.giveBack()
    }
  }
  function want(host: string, account: string): Wanted {
    const one: Wanted = { waiting: 0, found: inTurn(host, account, () => one.waiting > 0) }
    // A failure is thrown at those who wait.
    one.found.catch(() => undefined)
    wanted.set(keyOf(host, account), one)
    return one
  }
  return async (host, account) => {
    slow.requireRested(host)
    const one = wanted.get(keyOf(host, account)) ?? want(host, account)
    one.waiting++
    try {
      return await withDeadline(limits.executorLookupMs, one.found, tooLong)
    } finally {
      one.waiting--
    }
  }
}

/** A lookup belongs to an account: who waits for a name waits in the turn of their own account. */
const keyOf = (host: string, account: string) => `${account} ${host}`

const tooLong = () => new Error('the lookup takes too long')

/** Names whose last lookup hung: how often in a row, and until when they are not looked up again. */
function slowNames() {
  const slow = new Map<string, { times: number; until: number }>()
  function add(host: string) {
    const times = (slow.get(host)?.times ?? 0) + 1
    const restMs = Math.min(limits.executorSlowNameRestMs * 2 ** (times - 1), executorSlowNameRestMsMax)
    slow.delete(host)
    slow.set(host, { times, until: performance.now() + restMs })
    const [oldest] = slow.keys()
    if (slow.size > executorSlowNamesMax && oldest !== undefined) slow.delete(oldest)
  }
  return {
    has: (host: string) => slow.has(host),
    /** @throws where it rests */
    requireRested(host: string) {
      if (performance.now() < (slow.get(host)?.until ?? 0)) throw new Error('the last lookup hung')
    },
    /** Notes whether a lookup hangs. Not by those who wait for it: a part of their time was the wait for a turn. */
    async time(host: string, found: Promise<Addresses>): Promise<Addresses> {
      const startedAt = performance.now()
      let hungMs: number = limits.executorLookupHungMs
      try {
        const addresses = await found
        hungMs = limits.executorLookupMs
        return addresses
      } finally {
        if (performance.now() - startedAt > hungMs) add(host)
        else slow.delete(host)
      }
    },
  }
}

/**
 * Turns of names. They go round by account, however many names one has; of an account's names, those that hung before come after the
 * others.
 */
function takingTurns(isSlow: (host: string) => boolean) {
  /** Waiting names of each account, in the order of their next turns. */
  const accounts = new Map<string, { host: string; go: () => void }[]>()
  let running = 0
  return {
    async take(host: string, account: string): Promise<void> {
      if (running < executorLookupsMax) return void running++
      await new Promise<void>((resolve) => {
        const waiting = accounts.get(account) ?? []
        waiting.push({ host, go: resolve })
        accounts.set(account, waiting)
      })
    },
    /** The next one has the turn from now on. */
    giveBack() {
      const [next] = accounts
      if (!next) return void running--
      const [account, waiting] = next
      const quick = waiting.findIndex(({ host }) => !isSlow(host))
      const [one] = waiting.splice(Math.max(quick, 0), 1)
      accounts.delete(account)
      if (waiting.length > 0) accounts.set(account, waiting)
      one!.go()
    },
  }
}

const everyAddress = async (host: string): Promise<Addresses> =>
  (await lookup(host, { all: true })).map(({ address, family }) => ({
    address,
    family: family === 4 ? 4 : 6,
  }))
