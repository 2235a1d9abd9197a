import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

/** A call that is passed on without consent, and everything that it was judged by. */
export interface CallToPass {
  /** The same at every try. */
  uuid: string
  /** The rule that passed it on, in words. */
  rule: string
  memberId: string
  member: string
  tier: string
  source: string
  /** Canonical JSON text. */
  payload: string
  salt: Buffer
  memberVersion: number
  curriculaVersion: number
  policyVersion: number
  upstreamsVersion: number
  /** Hash of the API key, which must still be valid. */
  apiKey: Buffer
}

/** The outcome of a call that was passed on. */
export interface AnswerOfCall {
  id: number
  eventId: string
  result: PassedResult
}

/** `refused`: nothing was done. */
export interface PassedResult {
  outcome: 'done' | 'unknown' | 'refused'
  code?: string
  is_error?: true
}

export type RecordedCall =
  | { outcome: 'called'; action_id: number }
  | { outcome: 'stale'; action_id: null }
  | { outcome: 'unauthenticated'; action_id: null }

/**
 * Records a group of calls and answers of one account. A call may be made only after `called`: its row is committed, with an
 * unknown outcome.
 * @returns for each call, in their order
 */
export async function recordPassedCalls(
  db: Db,
  account: string,
  { answers, calls }: { answers: AnswerOfCall[]; calls: CallToPass[] },
): Promise<RecordedCall[]> {
  const answered = answers.map(({ id, eventId, result }) =>
    jsonArgument({ id, event: eventId, result: JSON.stringify(result) }),
  )
  return db.run<RecordedCall>(
    (sql) => sql`
      select * from gate.pass_tool_calls(
        p_account => ${account}, p_answers => ${`[${answered.join(',')}]`}::text::jsonb,
        p_calls => ${`[${calls.map(callArgument).join(',')}]`}::text::jsonb)`,
  )
}

const callArgument = (call: CallToPass): string =>
  jsonArgument({
    uuid: call.uuid,
    rule: call.rule,
    member_id: call.memberId,
    member: call.member,
    tier: call.tier,
    source: call.source,
    payload: call.payload,
    salt: call.salt,
    member_version: call.memberVersion,
    curricula_version: call.curriculaVersion,
    policy_version: call.policyVersion,
    upstreams_version: call.upstreamsVersion,
    api_key: call.apiKey,
  })
