import type { Db } from '../db/connect.ts'
import { groupByAccount } from '../db/group.ts'
import {
  type RecordedToolCall,
  type ToolCallToRecord,
  recordToolCalls,
} from '../db/queries/runner/tool-calls.ts'
import { asOneRequest, noteWrite } from '../db/writes.ts'
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
      (account, calls) => recordDistinct(db, account, calls),
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

/** Records a group in which a call may stand twice, as of two hooks of one runner: its repeat is recorded after it. */
async function recordDistinct(
  db: Db,
  account: string,
  calls: ToolCallToRecord[],
): Promise<RecordedToolCall[]> {
  if (calls.length === 1) return recordToolCalls(db, account, calls)
  const parts: number[][] = []
  const times = new Map<string, number>()
  calls.forEach(({ ref, binding }, n) => {
    const name = Buffer.concat([ref, binding]).toString('latin1')
    const before = times.get(name) ?? 0
    times.set(name, before + 1)
    parts[before] = [...(parts[before] ?? []), n]
  })
  if (parts.length === 1) return recordToolCalls(db, account, calls)
  // Several statements: where a later one fails, the first has written.
  const all = await asOneRequest(async () => {
    const recorded: RecordedToolCall[] = []
    for (const places of parts) {
      const answers = await recordToolCalls(
        db,
        account,
        places.map((n) => calls[n]!),
      )
      places.forEach((n, i) => (recorded[n] = answers[i]!))
    }
    return recorded
  })
  noteWrite()
  return all
}
