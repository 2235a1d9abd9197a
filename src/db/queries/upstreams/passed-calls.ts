import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

/** A call that is passed on without consent, and everything that it was judged by. */
export interface CallToPass {
  account: string
  /** The same at every try. */
  uuid: string
  /** In words. */
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

/** Commits the row of a call, with an unknown outcome. The call may be made only after `called`. */
export async function recordToolCalled(
  db: Db,
  { account, ...call }: CallToPass,
): Promise<{ outcome: 'called'; action_id: number } | { outcome: 'stale'; action_id: null }> {
  const given = jsonArgument({
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
  const rows = await db.run<
    { outcome: 'called'; action_id: number } | { outcome: 'stale'; action_id: null }
  >(
    (sql) => sql`
      select * from gate.call_tool(p_account => ${account}, p_call => ${given}::text::jsonb)`,
  )
  return rows[0]!
}

/** What became of a call. `refused`: nothing was done. */
export interface PassedResult {
  outcome: 'done' | 'unknown' | 'refused'
  code?: string
  is_error?: true
}

/** Records what became of a call, once. */
export async function recordToolAnswered(
  db: Db,
  answer: { account: string; id: number; eventId: string; result: PassedResult },
): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.answer_tool(
        p_account => ${answer.account}, p_id => ${answer.id}, p_event => ${answer.eventId},
        p_result => ${JSON.stringify(answer.result)})`,
  )
}
