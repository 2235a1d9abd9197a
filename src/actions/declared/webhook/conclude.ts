import type { ActionRow } from '../../../db/queries/actions/actions.ts'
import type { ExecutorCallRow } from '../../../db/queries/executors/executor-calls.ts'
import type { Json } from '../../../gate/canonical.ts'
import { payloadDigest } from '../../../ledger/digest.ts'
import type { Conclusion } from '../../kind.ts'

/**
 * How an action ends whose executor was called. What the executor says is kept beside it; the result has its salted digest, so
 * that nothing of it is in the ledger. Pure.
 */
export function concludeCall(
  row: Pick<ActionRow, 'salt'>,
  call: Pick<ExecutorCallRow, 'state' | 'attempts' | 'code'> & { result: unknown },
): Conclusion {
  if (call.state === 'not_done') return refused({ code: call.code ?? 'refused' })
  if (call.state !== 'ok') return executed({ outcome: 'unknown', code: call.code ?? 'not_recorded' })
  const digest =
    call.result === null || call.result === undefined || row.salt === null
      ? {}
      : { result_digest: payloadDigest(row.salt, call.result as Json) }
  return executed({
    outcome: 'done',
    ...digest,
    ...(call.code === null ? {} : { result_left_out: call.code }),
  })
}

const executed = (result: Conclusion['result']): Conclusion => ({
  status: 'executed',
  closedReason: null,
  result: { ...result, executor: 'webhook' },
})
const refused = (fields: Record<string, Json>): Conclusion => ({
  status: 'cancelled',
  closedReason: 'refused',
  result: { outcome: 'refused', ...fields, executor: 'webhook' },
})
