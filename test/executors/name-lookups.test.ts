import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type ResolveName, nameLookups } from '../../src/executors/name-lookups.ts'
import { callExecutor } from '../../src/executors/call-executor.ts'
import { newWebhookSecret } from '../../src/executors/signature.ts'
import { shorten } from '../support/shorten.ts'

let restore: () => void
beforeEach(() => {
  restore = shorten({ executorLookupMs: 150 })
})
afterEach(() => restore())

const address = [{ address: '192.0.2.1', family: 4 as const }]

/** The system's lookups, of which a test says when they end. */
function system() {
  const started: string[] = []
  const ends = new Map<string, (isFound: boolean) => void>()
  let [running, most] = [0, 0]
  const lookUp: ResolveName = async (host) => {
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

/** Lets the name that has the turn begin. */
const turn = () => new Promise((done) => setImmediate(done))

test('names that do not resolve hold one thread, and those who ask for one are told within the deadline', async () => {
  const { lookUp, started, most } = system()
  const resolve = nameLookups(lookUp)
  const hosts = Array.from({ length: 20 }, (_, n) => `hangs-${n}.example`)
  const asked = await Promise.allSettled(hosts.map((host) => resolve(host)))
  expect(asked.map(({ status }) => status)).toEqual(hosts.map(() => 'rejected'))
  expect([started, most()]).toEqual([[hosts[0]], 1])
})

test('a lookup that ends gives its turn to the next name that somebody still waits for', async () => {
  const { lookUp, started, end } = system()
  const resolve = nameLookups(lookUp)
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
  const resolve = nameLookups(lookUp)
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
  const resolve = nameLookups(lookUp)
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

test('a name that many ask for at once is looked up once', async () => {
  const { lookUp, started, end } = system()
  const resolve = nameLookups(lookUp)
  const asked = Array.from({ length: 10 }, () => resolve('one.example'))
  await turn()
  end('one.example')
  expect(await Promise.all(asked)).toEqual(asked.map(() => address))
  expect(started).toEqual(['one.example'])
})

test('a call whose name takes too long never left the gate', async () => {
  const network = { allowed: [], resolve: nameLookups(system().lookUp) }
  const url = 'https://hangs.example/'
  const call = { url, id: 'uuid.call', body: '{}', secrets: [newWebhookSecret()], origin: url }
  expect(await callExecutor(network, call, new AbortController().signal)).toEqual({
    state: 'unknown',
    code: 'not_resolved',
    isUnsent: true,
  })
})
