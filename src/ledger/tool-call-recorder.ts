import type { Db } from '../db/connect.ts'
import { groupByAccount } from '../db/group.ts'
import {
  type RecordedToolCall,
  type ToolCallToRecord,
  recordToolCalls,
} from '../db/queries/runner/tool-calls.ts'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'

export interface ToolCallRecorder {
  /** Resolves once the answer is committed. */
  record(account: string, call: ToolCallToRecord): Promise<RecordedToolCall>
}

/** Records answers to tool calls in groups. Those with a row wait for the end of the ledger; the others need not. */
export function toolCallRecorder(db: Db): ToolCallRecorder {
  const group = () =>
    groupByAccount<ToolCallToRecord, RecordedToolCall>(
      (account, calls) => recordToolCalls(db, account, calls),
      { groupMax: limits.toolCallsPerAppendMax, waitingMax: limits.toolCallsWaitingMax },
      () =>
        new GateError(
          'unavailable',
          'Too many tool calls are waiting to be recorded. Try again in a second.',
          {
            retryAfterSeconds: 1,
          },
        ),
    )
  const [withRow, withoutRow] = [group(), group()]
  return { record: (account, call) => (call.row ? withRow : withoutRow)(account, call) }
}
