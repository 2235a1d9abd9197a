import type { Fields } from '../../actions/kind.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { type CeilingsRow, readKeyCeilings } from '../../db/queries/accounts/authenticate.ts'
import {
  type Claim,
  type Credential,
  type ClaimOutcome,
  type FactVersions,
  claimDecision,
  denyAction,
} from '../../db/queries/actions/decide.ts'
import type { Facts, MemberFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type ConsentStrength, type RequestedStrength, meetsFloor } from '../../gate/consent.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { workflowInput } from './wait-for-execution.ts'
import { evaluateClearance } from '../proposals/evaluate-clearance.ts'
import { expiryEvent, expiryOf } from './expiry.ts'
import { type IdempotentRequest, keyReused } from '../idempotency.ts'
import { requireKind } from '../proposals/require-kind.ts'
import type { CallContext } from '../operation.ts'
import type { RefusalReason } from './refusal.ts'

/** A confirm of an open row: by an agent over the interface, or by the member themself. */
export interface Confirm {
  deps: Deps
  account: string
  row: ActionRow
  facts: Facts
  member: MemberFacts
  strength: ConsentStrength
  /** Through what it came: `api`, `mcp`, `slack`, `email`, `console`. */
  channel: string
  /** By what it comes: it must hold when the confirm is claimed, and bounds how strong it is. */
  credential: Credential
  /** What was shown, where that was said. */
  digest?: string | undefined
  /** The same at every try. */
  commandId: string
  idempotency: IdempotentRequest | null
  /** The API key that it comes by, whose day it counts in. */
  key?: Pick<CallContext, 'keyId' | 'ceilings'> | undefined
  /** Hash of the card that was shown to a member. */
  card?: Claim['card']
  /** Writes a refusal down, and gives the error to throw. */
  refuse(reason: RefusalReason): Promise<GateError>
}

/** One by the word of an agent. */
export type AttestedConfirm = Confirm & { credential: { apiKey: Buffer } }

export type Confirmed =
  | { outcome: 'claimed' | 'denied'; row: ActionRow; isReplayed: boolean }
  /** Nothing was changed: the policy asks for more than this confirm is. */
  | { outcome: 'too_weak'; floor: RequestedStrength; rule: string; versions: FactVersions }

/**
 * Checks a confirm as of the facts, and claims it: the one way to an execution. In the contract's order: expiry, digest,
 * stop switch, tier and policy, consent.
 * @returns what came of it; `again` or `moved` where the facts have changed meanwhile: see `untilFactsHold`
 * @throws GateError as `refuse` gives it, `invalid` where the Idempotency-Key was used for another request
 * @source docs/rest.md#confirm-or-cancel
 */
export async function claimConfirm(confirm: Confirm): Promise<Confirmed | 'again' | 'moved'> {
  const { deps, account, row, facts, member, strength, refuse } = confirm
  if (row.expires_at! <= facts.now) {
    await claimDecision(deps.db, expiryOf({ account, id: row.id, uuid: row.uuid }))
    throw await refuse('expired')
  }
  const kind = requireKind(deps, row.kind)
  if (kind.isDecidedByLink) throw await refuse('by_link')
  if (confirm.digest !== undefined && confirm.digest !== row.digest) throw await refuse('digest')
  if (facts.isSuspended) throw await refuse('suspended')

  const { versions, tier, cleared, reason, counted } = await evaluateClearance(deps, {
    account,
    facts,
    member,
    kind,
    payload: row.payload as Fields,
    keys: [row.proposed_key, confirm.key?.keyId],
    ceilings: await ceilingsOf(confirm),
  })
  if (reason !== null) return denyNow(confirm, reason, versions)
  if (!meetsFloor(strength, cleared.consent)) {
    // No consent is weaker than attested, so what is not met is something that a member is asked for.
    return {
      outcome: 'too_weak',
      floor: cleared.consent as RequestedStrength,
      rule: cleared.rule,
      versions,
    }
  }
  const claimed = await claimDecision(deps.db, {
    account,
    id: row.id,
    decision: 'confirm',
    commandId: confirm.commandId,
    eventId: eventId(row.uuid, 'confirmed'),
    ...expiryEvent(row.uuid),
    dueMs: limits.outboxDueMs,
    versions,
    counted,
    tier,
    consent: { strength, channel: confirm.channel },
    credential: confirm.credential,
    idempotency: confirm.idempotency,
    card: confirm.card,
  })
  const refusal = refusalOf[claimed.outcome]
  if (refusal) throw await refuse(refusal)
  if (claimed.outcome === 'stale') return 'again'
  if (claimed.outcome === 'moved') return 'moved'
  if (claimed.outcome === 'reused') throw keyReused()
  return { outcome: 'claimed', row: claimed.action, isReplayed: claimed.outcome === 'replayed' }
}

/** The ceilings of the key that proposed, and of the one that confirms. */
async function ceilingsOf({ deps, account, row, key }: Confirm): Promise<(CeilingsRow | null | undefined)[]> {
  const isSame = row.proposed_key === null || row.proposed_key === key?.keyId
  return [key?.ceilings, isSame ? null : await readKeyCeilings(deps.db, account, row.proposed_key!)]
}

const refusalOf: Partial<Record<ClaimOutcome, RefusalReason>> = {
  lost: 'not_open',
  expired: 'expired',
  suspended: 'suspended',
}

/** Denies an open row at its confirm, and ends its workflow behind the answer. */
export async function denyNow(
  {
    deps,
    account,
    row,
    credential,
    commandId,
    idempotency,
  }: Omit<Confirm, 'strength' | 'channel' | 'refuse'>,
  reason: string,
  versions: FactVersions,
): Promise<Confirmed | 'again'> {
  const { outcome, action } = await denyAction(deps.db, {
    account,
    id: row.id,
    isClaimed: false,
    reason,
    eventId: commandId,
    dueMs: limits.outboxDueMs,
    apiKey: 'apiKey' in credential ? credential.apiKey : null,
    versions,
    idempotency,
  })
  if (outcome === 'reused') throw keyReused()
  if (outcome === 'stale' || outcome === 'lost') return 'again'
  deps.starter.closeInBackground(workflowInput(action))
  return { outcome: 'denied', row: action, isReplayed: outcome === 'replayed' }
}

/**
 * Decides anew while the facts change under the decision.
 * @throws GateError `unavailable` where they do not come to rest
 */
export async function untilFactsHold<T>(decide: () => Promise<T | 'again' | 'moved'>): Promise<T> {
  // Whoever confirms at the same time moves the count of the day for all others, once each: that ends by itself.
  for (let tries = 0, moves = 0; tries < limits.staleTriesMax && moves < limits.movedTriesMax;) {
    const decided = await decide()
    if (decided !== 'again' && decided !== 'moved') return decided
    if (decided === 'moved') moves++
    else tries++
  }
  throw new GateError(
    'unavailable',
    'The facts about this member keep changing. Nothing was decided; try again.',
    1,
  )
}
