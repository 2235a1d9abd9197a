import type { VerificationRow } from '../db/queries/ledger/verification-rows.ts'
import { payloadDigest } from './digest.ts'

type Called = Pick<VerificationRow, 'executor_call' | 'result' | 'salt' | 'status'>

/** Where the call of an action's executor differs from how the action ended; null if they agree. Pure. */
export function executorMismatch({ executor_call: call, result, salt, status }: Called): string | null {
  if (status === 'proposed' || result === null) return null
  const digest = result['result_digest'] ?? null
  if (call === null) return digest === null ? null : 'its result names an answer, but no call is recorded'
  const stored = call.result ?? null
  if (salt === null)
    return call.has_body || stored !== null
      ? 'its payload is erased in the ledger, but the call of its executor is still stored'
      : null
  if ((stored === null ? null : payloadDigest(salt, stored)) !== digest)
    return 'what its executor answered does not match the ledger'
  const isAsRecorded =
    call.state === stateOf[String(result['outcome'])] &&
    call.code === (result['code'] ?? result['result_left_out'] ?? null)
  return isAsRecorded ? null : 'the outcome of the call of its executor does not match its result'
}

const stateOf: Record<string, string> = { done: 'ok', refused: 'not_done', unknown: 'unknown' }
