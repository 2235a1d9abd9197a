import { afterEach, expect, test } from '@jest/globals'
import { setImmediate as turn } from 'node:timers/promises'
import rateLimit from '@fastify/rate-limit'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { GateError } from '../../src/errors.ts'
import { hashKey } from '../../src/keys/api-key.ts'
import { limits } from '../../src/limits.ts'
import type { Caller } from '../../src/operations/authenticate.ts'
import { failureLimit } from '../../src/transports/failure-limit.ts'

const max = limits.failedAuthenticationsPerMinute
let app: FastifyInstance
afterEach(() => app.close())

/** Looks up keys, of which those that begin with "good" are some, and counts how many, and how many at once. */
async function service() {
  const seen = { lookUps: 0, atOnce: 0, atOnceMax: 0 }
  app = Fastify()
  await app.register(rateLimit, { global: false })
  const limited = failureLimit(app)
  async function lookUp(authorization: string): Promise<Caller> {
    seen.lookUps++
    seen.atOnceMax = Math.max(seen.atOnceMax, ++seen.atOnce)
    await turn()
    seen.atOnce--
    if (authorization.startsWith('good'))
      return {
        account: 'a',
        keyId: 'k',
        keyHash: Buffer.alloc(32),
        actors: null,
        powers: [],
        kinds: null,
        ceilings: null,
        keyLimits: 'per_process',
        isOfApp: false,
        known: undefined,
      }
    throw new GateError('unauthenticated', 'Send a valid API key.')
  }
  const ask = async (authorization: string, ip = '192.0.2.1'): Promise<string> => {
    const request = { ip, headers: { authorization }, routeOptions: { config: {} } } as FastifyRequest
    try {
      await limited(request, hashKey(authorization), () => lookUp(authorization))
      return 'ok'
    } catch (error) {
      return (error as GateError).code
    }
  }
  const askAll = (asked: string[]) => Promise.all(asked.map((authorization) => ask(authorization)))
  /** Uses up the failures that an address may have. */
  const exhaust = async () => {
    expect(countOf(await askAll(invented(max)), 'unauthenticated')).toBe(max)
    Object.assign(seen, { lookUps: 0, atOnceMax: 0 })
  }
  return { seen, ask, askAll, exhaust }
}

let count = 0
const invented = (n: number) => Array.from({ length: n }, () => `bad ${++count}`)
const countOf = (answers: string[], answer: string) => answers.filter((a) => a === answer).length

test('past the limit invented keys cost one look-up at a time, and all are refused as too many', async () => {
  const { seen, askAll, exhaust } = await service()
  await exhaust()
  expect(countOf(await askAll(invented(500)), 'too_many')).toBe(500)
  expect(seen).toMatchObject({ lookUps: 1, atOnceMax: 1 })
})

test('many invented keys at once cost no more look-ups than many one after the other', async () => {
  const { seen, askAll } = await service()
  const answers = await askAll(invented(1_000))
  expect(seen.lookUps).toBe(max + 1)
  expect([countOf(answers, 'unauthenticated'), countOf(answers, 'too_many')]).toEqual([max, 1_000 - max])
})

test('one key sent many times at once costs one look-up, and each counts', async () => {
  const { seen, ask, askAll } = await service()
  const answers = await askAll(Array.from({ length: 500 }, () => 'bad again'))
  expect([seen.lookUps, countOf(answers, 'ok')]).toEqual([1, 0])
  expect(await ask('bad other')).toBe('too_many')
})

test('a key that was good before is served beside any number of failures, and one that is new gets in between them', async () => {
  const { ask, askAll, exhaust } = await service()
  expect(await ask('good known')).toBe('ok')
  await exhaust()
  const failing = askAll(invented(200))
  expect(await askAll(['good known', 'good known'])).toEqual(['ok', 'ok'])
  await failing
  expect(await ask('good new')).toBe('ok')
  expect(await ask('good elsewhere', '192.0.2.2')).toBe('ok')
})

test('many requests at once with one good key that is new are all served', async () => {
  const { ask, askAll } = await service()
  expect(countOf(await askAll(Array.from({ length: 500 }, () => 'good burst')), 'ok')).toBe(500)
  expect(await ask('good burst')).toBe('ok')
})
