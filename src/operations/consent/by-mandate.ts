import type { ActionKind, Fields } from '../../actions/kind.ts'
import type { MandateUse } from '../../db/queries/actions/decide.ts'
import { type MandateRow, readAgentMandates } from '../../db/queries/actions/mandates.ts'
import type { ConsentStrength } from '../../gate/consent.ts'
import { type StandingMandate, capsOf, strengthOfUse, whyOutside } from '../../gate/mandates/outside.ts'
import { type MandateCeiling, type MandateTerms, neverByMandate } from '../../gate/mandates/terms.ts'
import { requireKind } from '../actions/require-kind.ts'
import {
  type Confirmed,
  type ConfirmCommand,
  type OpenProposal,
  type TooWeak,
  claimConfirm,
} from '../clearance/claim-confirm.ts'
import { isRuled } from '../approvers/tally.ts'
import { standingOf } from '../clearance/evaluate-clearance.ts'
import { tellOfUse } from './mandate-notice.ts'
import type { CallContext } from '../operation.ts'
import type { Stale } from '../retry-stale.ts'

/** The answer of a member's mandates about an action: consent, or why none of them covers it. */
export type ByMandate = Exclude<Confirmed, TooWeak> | Stale | { outcome: 'outside'; why: string | undefined }

/**
 * Confirms an action by a mandate that its member signed for the agent that proposed it, if one covers it. Each use is a debit of the
 * mandate, made by the statement that claims the confirm.
 * @param floor  the consent that the action requires
 */
export async function confirmByMandate(
  context: CallContext,
  proposal: OpenProposal,
  command: Pick<ConfirmCommand, 'commandId' | 'idempotency'>,
  floor: ConsentStrength,
): Promise<ByMandate> {
  const { deps, account, keyId, keyHash, source } = context
  const { row, facts, member } = proposal
  if (neverByMandate.includes(row.kind) || row.proposed_key === null) return outside(undefined)
  const keyIds = [...new Set([keyId, row.proposed_key])]
  const mandates = await readAgentMandates(deps.db, account, { memberId: row.member_id!, keyIds })
  if (mandates.length === 0) return outside(undefined)
  if (isRuled(row)) return outside('A mandate does not cover this: the policy asks others to approve it.')
  const kind = await requireKind(deps, row)
  const { policy } = standingOf(deps, facts, member)
  const ceiling = ceilingFor(policy.mandates, row.kind)
  const payload = row.payload as Fields
  const amount = kind.weigh?.(payload)
  const asked = { kind: row.kind, arguments: kind.argumentsOf?.(payload) ?? null, amount }
  const reasons: string[] = []
  for (const mandate of mandates) {
    const standing = standingMandate(mandate)
    const why = isOfFormerStripe(proposal, kind, mandate)
      ? 'the Stripe account changed after it was signed'
      : whyOutside(standing, asked, { ceiling, floor })
    if (why !== undefined) {
      reasons.push(`Mandate ${standing.id} does not cover this: ${why}.`)
      continue
    }
    const use = useOf(mandate, standing, { ceiling: ceiling!, amount })
    const confirmed = await claimConfirm(deps, proposal, {
      ...command,
      key: context,
      consent: {
        strength: use.strength as ConsentStrength,
        channel: source,
        credential: { apiKey: keyHash },
        mandate: use,
      },
    })
    if (typeof confirmed !== 'string' && confirmed.outcome === 'claimed' && !confirmed.isReplayed)
      tellOfUse(deps, mandate, { actionId: row.id, email: member.email })
    // The policy was made stricter meanwhile.
    return typeof confirmed !== 'string' && confirmed.outcome === 'too_weak' ? 'stale' : confirmed
  }
  return outside(reasons[0])
}

/** Whether money would go another way than the member knew when they signed. The database checks it again. */
const isOfFormerStripe = (
  { facts: { stripeChange: change } }: OpenProposal,
  { movesMoneyAt }: Pick<ActionKind, 'movesMoneyAt'>,
  { granted_at: granted }: MandateRow,
): boolean => movesMoneyAt === 'stripe' && change !== null && change.at > granted!

const outside = (why: string | undefined): ByMandate => ({ outcome: 'outside', why })

/** What the policy allows mandates of a kind to be. Of a name that every object has, such as constructor, too. Pure. */
export const ceilingFor = (
  ceilings: Record<string, MandateCeiling>,
  kind: string,
): MandateCeiling | undefined => (Object.hasOwn(ceilings, kind) ? ceilings[kind] : undefined)

/** A mandate as rules read it. Pure. */
export const standingMandate = ({ action, spent, frozen_at: frozen }: MandateRow): StandingMandate => ({
  id: action.id,
  terms: action.payload as unknown as MandateTerms,
  signed: action.consent_strength as ConsentStrength,
  spent,
  isFrozen: frozen !== null,
})

/** One use, as the database checks it again. */
export function useOf(
  { epoch }: Pick<MandateRow, 'epoch'>,
  { id, terms, signed }: StandingMandate,
  {
    ceiling,
    amount,
  }: { ceiling: MandateCeiling; amount: { amountCents: number; currency: string } | undefined },
): MandateUse {
  const caps = capsOf(terms, ceiling)
  const of = (cents: Record<string, number> | undefined) => (amount && cents?.[amount.currency]) ?? null
  return {
    id,
    epoch,
    strength: strengthOfUse(signed, ceiling),
    amount: amount ? { cents: amount.amountCents, currency: amount.currency } : null,
    caps: {
      uses: caps.uses,
      uses_per_day: caps.uses_per_day,
      cents: of(caps.cents),
      cents_per_day: of(caps.cents_per_day),
    },
  }
}
