import { limits } from '../../../limits.ts'
import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'
import { type FactVersions, type MandateUse, mandateArgument } from '../actions/decide.ts'
import { type MandateRow, mandates } from '../actions/mandates.ts'
import type { SpendOutcome, ToolCallToKeep } from './tool-consents.ts'

const mandateCallsReadMax = 100
const mandatesComparedMax = 20

/** The mandates of a scope, newest first: in force, or decided or proposed lately. */
export const readMandates = (db: Db, account: string, scope: Buffer): Promise<MandateRow[]> =>
  mandates(
    db,
    account,
    (sql) => sql`where f.account_id = t.id and f.scope = ${scope}
      order by f.action_id desc limit ${mandatesComparedMax}`,
  )

/** A call that a member approved, or was asked about. */
export interface AskedCall {
  runner: string
  tool: string
  decision: 'allow' | 'consent'
  at: Date
  /** What rules read; null: it was too long, or was erased. */
  call: { cwd: string | null; mcp_server: string | null; input: Record<string, unknown> } | null
}

/** The newest calls of a key that its member approved each by itself. */
export const readApprovedCalls = (db: Db, account: string, keyId: string): Promise<AskedCall[]> =>
  db.read<AskedCall>(
    (sql) => sql`
      select c.runner, c.tool, c.decision, c.at, c.call from gate.tenant(${account}) t(id),
      lateral (
        select f.* from gate.tool_call f
        where f.account_id = t.id and f.key_id = ${keyId} and f.decision = 'allow'
        order by f.n desc limit ${mandateCallsReadMax}
      ) c
      where exists (
        select from gate.tool_consent g
        where g.account_id = t.id and g.action_id = c.action_id and g.spent_at is not null)
      order by c.n desc`,
  )

/** The calls of a key in the last hour that its member was asked about, or would have been. */
export const readAskedCalls = (db: Db, account: string, keyId: string): Promise<AskedCall[]> =>
  db.read<AskedCall>(
    (sql) => sql`
      select c.runner, c.tool, c.decision, c.at, c.call from gate.tenant(${account}) t(id),
      lateral (
        select f.* from gate.tool_call f
        where f.account_id = t.id and f.key_id = ${keyId} and f.decision = 'consent'
        order by f.n desc limit ${mandateCallsReadMax}
      ) c
      where c.at > clock_timestamp() - interval '1 hour'
      order by c.n desc`,
  )

/** A key has had its member asked as often as is allowed. */
export interface ConsentStop {
  until: Date
  /** The request that told its member so; null: none yet. */
  told_id: number | null
  told_kind: string | null
}

/** Whether a key is stopped; undefined: it may have its member asked. */
export async function readConsentStop(
  db: Db,
  account: string,
  by: { memberId: string; keyId: string },
): Promise<ConsentStop | undefined> {
  const [row] = await db.read<ConsentStop | (Omit<ConsentStop, 'until'> & { until: null })>(
    (sql) => sql`
      select s.until, s.told_id, s.told_kind from gate.consent_stop(
        p_account => ${account}, p_member_id => ${by.memberId}, p_key_id => ${by.keyId},
        p_hour_max => ${limits.consentAsksPerHourMax}, p_day_max => ${limits.consentAsksPerDayMax}) s`,
  )
  return row!.until === null ? undefined : row
}

export type UseOutcome = Exclude<SpendOutcome, 'spent'> | 'used'

/**
 * Allows a call by a mandate, and records it.
 * @param use.withinMs  how long it may wait for others. After that it is `late`, and nothing was recorded
 * @param use.hasId  the runner gave the call an id
 */
export async function useMandate(
  db: Db,
  use: {
    account: string
    id: number
    /** null: of a bounded mandate. */
    scope: Buffer | null
    bounded?: MandateUse | undefined
    apiKey: Buffer
    memberId: string
    versions: FactVersions
    withinMs: number
    hasId: boolean
    call: ToolCallToKeep
  },
): Promise<UseOutcome> {
  const argument = jsonArgument({
    api_key: use.apiKey,
    member_id: use.memberId,
    member_version: use.versions.member,
    curricula_version: use.versions.curricula,
    policy_version: use.versions.policy,
    within_ms: use.withinMs,
    scope: use.scope,
    has_id: use.hasId,
    same_ms: limits.toolCallSameMs,
    ...use.call,
  })
  const rows = await db.run<{ outcome: UseOutcome }>(
    (sql) => sql`
      select gate.use_mandate(
        p_account => ${use.account}, p_id => ${use.id}, p_call => ${argument}::text::jsonb,
        p_use => ${use.bounded ? jsonArgument(mandateArgument(use.bounded)) : null}::text::jsonb) as outcome`,
  )
  return rows[0]!.outcome
}
