import type { Db } from '../db/connect.ts'
import { groupByAccount } from '../db/group.ts'
import {
  type AnswerOfCall,
  type CallToPass,
  type RecordedCall,
  recordPassedCalls,
} from '../db/queries/upstreams/passed-calls.ts'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'

/** Records calls of MCP tools that are passed on, in groups. */
export interface PassedCallRecorder {
  /** Resolves once the row of the call is committed, or refused. */
  call(account: string, call: CallToPass): Promise<RecordedCall>
  /** Resolves once the outcome of the call is recorded. */
  answer(account: string, answer: AnswerOfCall): Promise<void>
}

type Event = { call: CallToPass } | { answer: AnswerOfCall }

export function passedCallRecorder(db: Db): PassedCallRecorder {
  const record = groupByAccount<Event, RecordedCall | undefined>(
    (account, events) => recordGroup(db, account, events),
    { groupMax: limits.toolCallsPerAppendMax, waitingMax: limits.toolCallsWaitingMax },
    () =>
      new GateError('unavailable', 'Too many tool calls are waiting to be recorded. Try again in a second.', {
        retryAfterSeconds: 1,
      }),
  )
  return {
    call: async (account, call) => (await record(account, { call }))!,
    answer: async (account, answer) => void (await record(account, { answer })),
  }
}

async function recordGroup(db: Db, account: string, events: Event[]): Promise<(RecordedCall | undefined)[]> {
  const answers = events.flatMap((event) => ('answer' in event ? [event.answer] : []))
  const calls = events.flatMap((event) => ('call' in event ? [event.call] : []))
  const recorded = (await recordPassedCalls(db, account, { answers, calls })).values()
  return events.map((event) => ('call' in event ? recorded.next().value : undefined))
}
