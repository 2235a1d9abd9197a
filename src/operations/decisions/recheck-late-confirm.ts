import type { Fields } from '../../actions/kind.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { type ConsentStrength, meetsFloor } from '../../gate/consent.ts'
import { denial } from '../../gate/denial.ts'
import { eventId } from '../../ledger/digest.ts'
import { requireKind } from '../actions/require-kind.ts'
import { type Stale, retryStale } from '../retry-stale.ts'
import { type Denied, type DenyCommand, denyRow, qualifyOrDeny } from '../clearance/qualify.ts'

/**
 * Decides again about a confirmed action whose execution starts after its expiry: the confirm had to wait for Temporal, so
 * tier and policy are read again before it acts.
 * @returns the denied row, or null where the member still qualifies or the execution began elsewhere
 * @source docs/operating.md#when-something-is-down
 */
export async function recheckLateConfirm(deps: Deps, row: ActionRow): Promise<ActionRow | null> {
  const recheck = await retryStale(
    () => recheckOnce(deps, row),
    () => new Error('what this confirm rests on keeps changing; the workflow tries again'),
  )
  return recheck.outcome === 'denied' ? recheck.row : null
}

async function recheckOnce(deps: Deps, row: ActionRow): Promise<Denied | { outcome: 'qualified' } | Stale> {
  const account = row.account_id
  const command: DenyCommand = {
    id: row.id,
    isClaimed: true,
    eventId: eventId(row.uuid, 'denied'),
    apiKey: null,
    idempotency: null,
  }
  const facts = await readFacts(deps.db, account, { memberId: row.member_id! })
  const member = facts?.members[0]
  if (!facts || !member) {
    const curricula = facts?.curriculaVersion ?? null
    const versions = { member: null, curricula, policy: facts?.policyVersion ?? null }
    return denyRow(deps, account, command, {
      denial: denial('member_inactive', 'The member is no longer active.'),
      versions,
    })
  }
  const request = {
    account,
    facts,
    member,
    kind: await requireKind(deps, row),
    payload: row.payload as Fields,
    keys: [row.proposed_key, row.decided_key],
    confirmed: { id: row.id, at: row.decided_at! },
  }
  const qualified = await qualifyOrDeny(deps, request, command)
  if (qualified === 'stale' || qualified.outcome !== 'qualified') return qualified
  const { cleared, versions } = qualified
  const given = row.consent_strength as ConsentStrength
  if (meetsFloor(given, cleared.consent)) return qualified
  const sentence = `${cleared.rule}. The policy now requires \`${cleared.consent}\` consent, but this was confirmed with \`${given}\`.`
  return denyRow(deps, account, command, { denial: denial('consent_too_weak', sentence), versions })
}
