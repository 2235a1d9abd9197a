import { type ConsentStrength, meetsFloor } from './consent.ts'
import { type Clearance, type Policy, belowEveryBand, clearance } from './policy.ts'
import { type Tier } from './tier.ts'

/** A proposal that was made, as far as a policy looks at it. */
export interface PastProposal {
  id: number
  kind: string
  /** Who proposed. */
  memberId: string
  tier: Tier
  createdAt: Date
  /** When the member's consent was given; null where it never was. */
  confirmedAt: Date | null
  /** Its provider refused with nothing done: it does not count against the member's day. */
  isRefused: boolean
  /** What it weighs; null for kinds without money; undefined where that cannot be told any more. */
  weight: { amountCents: number; currency: string } | null | undefined
}

/** What a policy makes of a proposal. */
type Judged = { isAllowed: true; consent: ConsentStrength } | { isAllowed: false; rule: string }

/** What another policy would change about a proposal. */
export const changesOfDryRun = ['denied', 'allowed', 'stronger', 'weaker'] as const
export type DryRunChange = (typeof changesOfDryRun)[number]

export interface DryRunKind {
  kind: string
  proposals: number
  /** Those whose weight cannot be told any more: they are in no other count. */
  untold: number
  counts: Record<DryRunChange, number>
}

export interface ChangedProposal {
  id: number
  kind: string
  change: DryRunChange
  /** The rule that denies it, or the consent it would need, in words. */
  why: string
}

export interface DryRun {
  kinds: DryRunKind[]
  /** Every proposal that would be judged otherwise, the newest first. */
  changed: ChangedProposal[]
}

/**
 * Judges proposals of the past by two policies, each with the tier its member had then, and says what differs. A day's
 * limit counts what the same policy would have let through. Pure.
 * @param proposals  in any order
 */
export function dryRun(now: Policy, next: Policy, proposals: PastProposal[]): DryRun {
  const inOrder = proposals.toSorted((a, b) => judgedAt(a) - judgedAt(b) || a.id - b.id)
  const [before, after] = [judgeAll(now, inOrder), judgeAll(next, inOrder)]
  const kinds = new Map<string, DryRunKind>()
  const changed: ChangedProposal[] = []
  inOrder.forEach((proposal, i) => {
    const { id, kind } = proposal
    const counted = kinds.get(kind) ?? {
      kind,
      proposals: 0,
      untold: 0,
      counts: { denied: 0, allowed: 0, stronger: 0, weaker: 0 },
    }
    kinds.set(kind, counted)
    counted.proposals++
    const [was, would] = [before[i], after[i]]
    if (!was || !would) {
      counted.untold++
      return
    }
    const change = changeOf(was, would)
    if (!change) return
    counted.counts[change]++
    changed.push({ id, kind, change, why: would.isAllowed ? `consent ${would.consent}` : would.rule })
  })
  return {
    kinds: [...kinds.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
    changed: changed.toSorted((a, b) => b.id - a.id),
  }
}

function changeOf(was: Judged, would: Judged): DryRunChange | null {
  if (!would.isAllowed) return was.isAllowed ? 'denied' : null
  if (!was.isAllowed) return 'allowed'
  if (was.consent === would.consent) return null
  return meetsFloor(was.consent, would.consent) ? 'weaker' : 'stronger'
}

/** A confirm is judged anew, and only then counts in the member's day. */
const judgedAt = ({ confirmedAt, createdAt }: PastProposal): number => (confirmedAt ?? createdAt).getTime()

function judgeAll(policy: Policy, inOrder: PastProposal[]): (Judged | undefined)[] {
  const days = new Map<string, { at: number; cents: number; currency: string }[]>()
  return inOrder.map((proposal) => {
    const { kind, memberId, weight, isRefused } = proposal
    const at = judgedAt(proposal)
    const whose = `${memberId} ${kind}`
    const day = (days.get(whose) ?? []).filter((one) => one.at > at - dayMs)
    const cents = day
      .filter((one) => one.currency === weight?.currency)
      .reduce((sum, one) => sum + one.cents, 0)
    const judged = judge(policy, proposal, { actions: day.length, cents })
    const counts = judged?.isAllowed && weight && proposal.confirmedAt !== null && !isRefused
    days.set(whose, counts ? [...day, { at, cents: weight.amountCents, currency: weight.currency }] : day)
    return judged
  })
}

function judge(
  policy: Policy,
  { kind, tier, weight }: PastProposal,
  spent: { actions: number; cents: number },
): Judged | undefined {
  // A member far below every band was denied before anybody looked at what it weighs.
  const hopeless = belowEveryBand(policy, kind, tier)
  if (hopeless) return verdict(hopeless)
  const rule = policy.kinds[kind]
  if (weight === undefined && rule && 'bands' in rule) return undefined
  return verdict(clearance(policy, { kind, ...weight }, tier, spent))
}

function verdict(cleared: Clearance): Judged {
  return cleared.allowed
    ? { isAllowed: true, consent: cleared.consent }
    : { isAllowed: false, rule: cleared.rule }
}

const dayMs = 86_400_000
