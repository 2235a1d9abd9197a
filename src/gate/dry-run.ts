import { type ConsentStrength, meetsFloor } from './consent.ts'
import { type Clearance, type Policy, belowEveryBand, clearance } from './policy.ts'
import type { Tier } from './tier.ts'
import type { Spent, Tally } from './velocity.ts'

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
  /** What its money is about; null where it is weighed alone. */
  subject: string | null
  /** The API keys that it was proposed and confirmed by. */
  keys: string[]
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
 * limits and the sums of a subject count what the same policy would have let through. Pure.
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

/** A confirm is judged again, and only then counts in a day. */
const judgedAt = ({ confirmedAt, createdAt }: PastProposal): number => (confirmedAt ?? createdAt).getTime()

function judgeAll(policy: Policy, inOrder: PastProposal[]): (Judged | undefined)[] {
  const days = new Map<string, PastProposal[]>()
  return inOrder.map((proposal) => {
    const { kind, weight, isRefused, confirmedAt } = proposal
    const since = judgedAt(proposal) - dayMs
    const day = (days.get(kind) ?? []).filter((one) => judgedAt(one) > since)
    const judged = judge(policy, proposal, spentIn(day, proposal))
    const counts = judged?.isAllowed && weight && confirmedAt !== null && !isRefused
    if (counts) day.push(proposal)
    days.set(kind, day)
    return judged
  })
}

// In one pass: a day may have thousands of them, and this is asked for each.
function spentIn(day: PastProposal[], { memberId, subject, keys, weight }: PastProposal): Spent {
  const [member, account] = [noTally(), noTally()]
  const ofKeys = keys.map((key) => ({ key, tally: noTally() }))
  let subjectCents = 0
  for (const one of day) {
    const cents = one.weight?.currency === weight?.currency ? (one.weight?.amountCents ?? 0) : 0
    add(account, cents)
    if (one.memberId === memberId) add(member, cents)
    if (subject !== null && one.subject === subject) subjectCents += cents
    for (const { key, tally } of ofKeys) if (one.keys.includes(key)) add(tally, cents)
  }
  const key = {
    actions: Math.max(0, ...ofKeys.map(({ tally }) => tally.actions)),
    cents: Math.max(0, ...ofKeys.map(({ tally }) => tally.cents)),
  }
  return { member, account, key, subjectCents, isUncounted: false }
}

const noTally = (): Tally => ({ actions: 0, cents: 0 })

function add(tally: Tally, cents: number): void {
  tally.actions++
  tally.cents += cents
}

function judge(policy: Policy, { kind, tier, weight }: PastProposal, spent: Spent): Judged | undefined {
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
