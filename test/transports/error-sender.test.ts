import { expect, test } from '@jest/globals'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GateError, OutcomeUnknown } from '../../src/errors.ts'
import { errorSender } from '../../src/transports/auth.ts'

const revoked = new GateError('unauthenticated', 'This API key was revoked.')
const notFound = new GateError('not_found', 'No action 7.')

/** What a caller whose key was revoked meanwhile is answered instead of an error. */
async function answered(error: unknown, isKept: boolean): Promise<unknown> {
  let sent: unknown
  const send = errorSender(
    () => Promise.reject(revoked),
    (refusal, _request, reply) => {
      sent = refusal
      return reply
    },
  )
  await send(error, { caller: { isKept } } as FastifyRequest, {} as FastifyReply)
  return sent
}

test('a caller who was kept learns nothing but that the key is no longer valid', async () => {
  expect(await answered(notFound, true)).toBe(revoked)
})

test('a caller who was authenticated is answered the error', async () => {
  expect(await answered(notFound, false)).toBe(notFound)
})

test('an unknown outcome is not hidden from a caller who was kept', async () => {
  const unknown = new OutcomeUnknown()
  expect(await answered(unknown, true)).toBe(unknown)
})

test('an unexpected error, which may come after the write, is not hidden from a caller who was kept', async () => {
  const unexpected = new TypeError('not an object')
  expect(await answered(unexpected, true)).toBe(unexpected)
})
