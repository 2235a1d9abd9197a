import type { Db } from '../../connect.ts'

export interface CheckToRecord {
  uuid: string
  memberId: string
  member: string
  tier: string
  source: string
  tierSource: string
  certified: boolean
  /** The id of the requesting API key, and its hash. */
  keyId: string
  apiKey: Buffer
  /** What the tier was computed from. */
  memberVersion: number
  curriculaVersion: number
}

/** `stale`: the member or the curricula changed since they were read. `unauthenticated`: the key is no longer valid. */
export type CheckOutcome = 'recorded' | 'stale' | 'unauthenticated'

/** Appends a group of capability checks of one account, in order, each if its key and what it was computed from still hold. */
export async function recordChecks(
  db: Db,
  account: string,
  checks: CheckToRecord[],
): Promise<CheckOutcome[]> {
  const rows = await db.run<{ outcomes: CheckOutcome[] }>(
    (sql) => sql`
      select gate.record_checks(
        p_account => ${account}, p_uuids => ${checks.map((c) => c.uuid)}, p_member_ids => ${checks.map((c) => c.memberId)},
        p_members => ${checks.map((c) => c.member)}, p_tiers => ${checks.map((c) => c.tier)},
        p_tier_sources => ${checks.map((c) => c.tierSource)},
        p_certified => ${checks.map((c) => String(c.certified))}::text[]::boolean[],
        p_sources => ${checks.map((c) => c.source)}, p_api_key_ids => ${checks.map((c) => c.keyId)},
        p_api_keys => ${checks.map((c) => `\\x${c.apiKey.toString('hex')}`)}::text[]::bytea[],
        p_member_versions => ${checks.map((c) => String(c.memberVersion))}::text[]::bigint[],
        p_curricula_versions => ${checks.map((c) => String(c.curriculaVersion))}::text[]::bigint[]
      ) as outcomes`,
  )
  return rows[0]!.outcomes
}
