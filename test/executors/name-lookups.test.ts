import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { nameLookups } from '../../src/executors/name-lookups.ts'
import { callExecutor } from '../../src/executors/call-executor.ts'
import { limits } from '../../src/limits.ts'
import { newWebhookSecret } from '../../src/executors/signature.ts'
import { shorten } from '../support/shorten.ts'

let restore: () => void
beforeEach(() => {
  restore = shorten({ executorLookupMs: 150, executorLookupHungMs: 75, executorSlowNameRestMs: 0 })
})
afterEach(() => restore())

const address = [{ address: '192.0.2.1', family: 4 as const }]

/** The system's lookups, of which a test says when they end. */
function system() {
  const started: string[] = []
  const ends = new Map<string, (isFound: boolean) => void>()
  let [running, most] = [0, 0]
  const lookUp = async (host: string) => {
    started.push(host)
    most = Math.max(most, ++running)
    const isFound = await new Promise<boolean>((resolve) => ends.set(host, resolve))
    running--
    if (!isFound) throw new Error('ENOTFOUND')
    return address
  }
  return {
    lookUp,
    started,
    most: () => most,
    end: (host: string, isFound = true) => ends.get(host)!(isFound),
  }
}

/** The lookups of a process, asked by one account. */
function ofOneAccount(lookUp: ReturnType<typeof system>['lookUp']) {
  const resolve = nameLookups(lookUp)
  return (host: string) => resolve(host, 'acme')
}

/** Lets the name that has the turn begin. */
const turn = () => new Promise((done) => setImmediate(done))

test('names that do not resolve hold one thread, and those who ask for one are told within the deadline', async () => {
  const { lookUp, started, most } = system()
  const resolve = ofOneAccount(lookUp)
  const hosts = Array.from({ length: 20 }, (_, n) => `hangs-${n}.example`)
  const asked = await Promise.allSettled(hosts.map((host) => resolve(host)))
  expect(asked.map(({ status }) => status)).toEqual(hosts.map(() => 'rejected'))
  expect([started, most()]).toEqual([[hosts[0]], 1])
})

test('a lookup that ends gives its turn to the next name that somebody still waits for', async () => {
  const { lookUp, started, end } = system()
  const resolve = ofOneAccount(lookUp)
  const slow = resolve('slow.example')
  const givenUp = resolve('given-up.example')
  await expect(Promise.all([slow, givenUp])).rejects.toThrow('takes too long')
  await expect(givenUp).rejects.toThrow('takes too long')
  const next = resolve('next.example')
  end('slow.example', false)
  await turn()
  expect(started).toEqual(['slow.example', 'next.example'])
  end('next.example')
  expect(await next).toEqual(address)
  const again = resolve('given-up.example')
  await turn()
  end('given-up.example')
  expect(await again).toEqual(address)
})

test('a name that took too long before comes after names that did not', async () => {
  const { lookUp, started, end } = system()
  const resolve = ofOneAccount(lookUp)
  const [first, second] = ['slow-1.example', 'slow-2.example']
  for (const host of [first, second]) {
    await expect(resolve(host)).rejects.toThrow('takes too long')
    end(host, false)
    await turn()
  }
  // It holds the turn while the others come.
  const holding = resolve('holding.example')
  const asked = [first, second, 'quick.example'].map((host) => resolve(host))
  for (const host of ['holding.example', 'quick.example', first, second]) {
    await turn()
    expect(started.at(-1)).toBe(host)
    end(host)
  }
  expect(await Promise.all([holding, ...asked])).toEqual([address, address, address, address])
})

test('a name that only waited behind one that hangs comes before those that hung, at its next request', async () => {
  const { lookUp, started, end } = system()
  const resolve = ofOneAccount(lookUp)
  const hangs = ['hangs-1.example', 'hangs-2.example']
  await expect(resolve(hangs[0]!)).rejects.toThrow('takes too long')
  end(hangs[0]!, false)
  await turn()
  const behind = await Promise.allSettled([hangs[1]!, 'good.example'].map((host) => resolve(host)))
  expect(behind.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(started).toEqual(hangs)
  end(hangs[1]!, false)
  await turn()
  // It holds the turn while the others come, the one that hung first.
  const holding = resolve('holding.example')
  const hung = resolve(hangs[0]!)
  const good = resolve('good.example')
  await turn()
  end('holding.example')
  await turn()
  expect(started).toEqual([...hangs, 'holding.example', 'good.example'])
  end('good.example')
  expect(await Promise.all([holding, good])).toEqual([address, address])
  await turn()
  end(hangs[0]!)
  expect(await hung).toEqual(address)
})

describe('lookups by the clock of the test:', () => {
  beforeEach(() => {
    restore()
    jest.useFakeTimers()
  })
  afterEach(() => void jest.useRealTimers())
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms)

  test('turns go round by account: however many names of one hang, another waits for one of them', async () => {
    const { lookUp, started, end } = system()
    const resolve = nameLookups(lookUp)
    const hosts = ['hangs-1', 'hangs-2', 'shared', 'hangs-3']
    const noisy = hosts.map((host) => resolve(host, 'noisy').catch(() => 'not found'))
    const others = [resolve('shared', 'acme'), resolve('second', 'acme'), resolve('third', 'zenith')]
    const order = ['hangs-1', 'hangs-2', 'shared', 'third', 'shared', 'second', 'hangs-3']
    for (const [n, host] of order.entries()) {
      await pass(0)
      expect(started.slice(n)).toEqual([host])
      end(host, !host.startsWith('hangs'))
    }
    expect(await Promise.all(noisy)).toEqual(['not found', 'not found', address, 'not found'])
    expect(await Promise.all(others)).toEqual([address, address, address])
  })

  test('a name that hung is refused at once for a while that doubles, until it is found again', async () => {
    const { lookUp, started, end } = system()
    const resolve = nameLookups(lookUp)
    const asked = (account = 'acme') =>
      resolve('hangs', account).then(String, ({ message }: Error) => message)
    const hung = 'the last lookup hung'
    for (const restMs of [60_000, 120_000, 240_000]) {
      const late = asked()
      await pass(limits.executorLookupMs)
      expect(await late).toBe('the lookup takes too long')
      end('hangs', false)
      await pass(0)
      await pass(restMs - 1)
      expect(await Promise.all([asked(), asked('zenith')])).toEqual([hung, hung])
      await pass(1)
    }
    expect(started).toHaveLength(3)
    for (let found = 0; found < 2; found++) {
      const again = resolve('hangs', 'acme')
      await pass(0)
      end('hangs')
      expect(await again).toEqual(address)
    }
  })

  test('a name that waited long for its turn, and a moment for its lookup, did not hang', async () => {
    const { lookUp, started, end } = system()
    const resolve = nameLookups(lookUp)
    const [first, behind] = ['hangs', 'behind'].map((host) => resolve(host, 'acme').catch(() => 'not found'))
    await pass(limits.executorLookupMs - 1_000)
    end('hangs', false)
    await pass(0)
    expect(started).toEqual(['hangs', 'behind'])
    await pass(1_000)
    expect(await Promise.all([first, behind])).toEqual(['not found', 'not found'])
    end('behind', false)
    await pass(0)
    const again = resolve('behind', 'acme')
    await pass(0)
    end('behind')
    expect(await again).toEqual(address)
  })
})

test('a name that many ask for at once is looked up once', async () => {
  const { lookUp, started, end } = system()
  const resolve = ofOneAccount(lookUp)
  const asked = Array.from({ length: 10 }, () => resolve('one.example'))
  await turn()
  end('one.example')
  expect(await Promise.all(asked)).toEqual(asked.map(() => address))
  expect(started).toEqual(['one.example'])
})

test('a call whose name takes too long never left the gate', async () => {
  const network = { allowed: [], resolve: nameLookups(system().lookUp) }
  const url = 'https://hangs.example/'
  const call = {
    account: 'acme',
    url,
    id: 'uuid.call',
    body: '{}',
    secrets: [newWebhookSecret()],
    origin: url,
  }
  expect(await callExecutor(network, call, new AbortController().signal)).toEqual({
    state: 'unknown',
    code: 'not_resolved',
    isUnsent: true,
  })
})
