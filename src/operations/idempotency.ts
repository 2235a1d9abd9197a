import { type Json, canonical } from '../gate/canonical.ts'
import { GateError } from '../errors.ts'
import { eventId, sha256 } from '../ledger/digest.ts'
import { limits } from '../limits.ts'
import type { CallContext } from './operation.ts'

export interface IdempotentRequest {
  /** The stored key, derived from account, operation and the caller's key. */
  key: string
  /** Hash of the request for which the key is used. */
  request: Buffer
}

const form = new RegExp(`^[\\x21-\\x7e]{1,${limits.idempotencyKeyCharsMax}}$`)

/**
 * The caller's Idempotency-Key, bound to account, operation and request; null if none was sent.
 * @throws GateError `invalid` if it is malformed
 */
export function idempotencyOf(
  context: CallContext,
  operation: string,
  request: Json,
): IdempotentRequest | null {
  const key = context.idempotencyKey
  if (key === undefined) return null
  if (!form.test(key)) {
    throw new GateError(
      'invalid',
      `The Idempotency-Key must be 1 to ${limits.idempotencyKeyCharsMax} visible ASCII characters.`,
      { param: context.source === 'mcp' ? 'idempotency_key' : 'Idempotency-Key' },
    )
  }
  return { key: eventId(`${context.account} ${operation}`, key), request: sha256(canonical(request)) }
}

/** The error for a key that was already used for another request. */
export function keyReused(): GateError {
  return new GateError(
    'invalid',
    'This Idempotency-Key was already used for another request. Use a new key.',
    {
      detail: 'idempotency_key_reused',
    },
  )
}
