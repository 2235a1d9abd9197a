import type { Fields } from '../../actions/kind.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { denyAction } from '../../db/queries/actions/decide.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { type ConsentStrength, meetsFloor } from '../../gate/consent.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import type { ActingMember } from '../members/actor.ts'
import { evaluateClearance } from '../proposals/evaluate-clearance.ts'
import { requireKind } from '../proposals/require-kind.ts'

/**
 * Decides anew about a confirmed action that came to be executed past its expiry.
 * @returns the denied row, or null where the member still qualifies or the execution began elsewhere
 * @source docs/operating.md#when-something-is-down: a confirm that had to wait for Temporal re-reads tier and policy before it acts
 */
export async function recheckLateConfirm(deps: Deps, row: ActionRow): Promise<ActionRow | null> {
  for (let tries = 0; tries < limits.staleTriesMax; tries++) {
    const facts = await readFacts(deps.db, row.account_id, { memberId: row.member_id! })
    const member = facts?.members[0]
    const reason = facts && member ? await unqualified(deps, row, { facts, member }) : isGone
    if (reason === null) return null
    const { outcome, action } = await denyAction(deps.db, {
      account: row.account_id,
      id: row.id,
      isClaimed: true,
      reason,
      eventId: eventId(row.uuid, 'denied'),
      dueMs: limits.outboxDueMs,
      apiKey: null,
      versions: {
        member: member?.version ?? null,
        curricula: facts?.curriculaVersion ?? null,
        policy: facts?.policyVersion ?? null,
      },
      idempotency: null,
    })
    if (outcome === 'denied') return action
    if (outcome === 'lost') return null
  }
  throw new Error('the facts about this member keep changing; tried again by the workflow')
}

const isGone = 'the member is no longer active'

async function unqualified(deps: Deps, row: ActionRow, acting: ActingMember): Promise<string | null> {
  const { cleared, reason } = await evaluateClearance(deps, {
    account: row.account_id,
    ...acting,
    kind: requireKind(deps, row.kind),
    payload: row.payload as Fields,
    keys: [row.proposed_key, row.decided_key],
    confirmed: { id: row.id, at: row.decided_at! },
  })
  if (reason !== null) return reason
  const given = row.consent_strength as ConsentStrength
  return meetsFloor(given, cleared!.consent)
    ? null
    : `${cleared!.rule} and asks for ${cleared!.consent} consent by now, and it was confirmed by ${given}`
}
