import type { Db } from '../../connect.ts'

export interface CheckToRecord {
  uuid: string
  memberId: string
  member: string
  tier: string
  source: string
  tierSource: string
  certified: boolean
  /** The id of the requesting API key. */
  keyId: string
}

/** Appends a group of capability checks of one account, in order. */
export async function recordChecks(db: Db, account: string, checks: CheckToRecord[]): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.record_checks(
        p_account => ${account}, p_uuids => ${checks.map((c) => c.uuid)}, p_member_ids => ${checks.map((c) => c.memberId)},
        p_members => ${checks.map((c) => c.member)}, p_tiers => ${checks.map((c) => c.tier)},
        p_tier_sources => ${checks.map((c) => c.tierSource)},
        p_certified => ${checks.map((c) => String(c.certified))}::text[]::boolean[],
        p_sources => ${checks.map((c) => c.source)}, p_api_key_ids => ${checks.map((c) => c.keyId)})`,
  )
}
