import { type ConsentStrength, meetsFloor } from './consent.ts'
import type { DenialCode } from './denial.ts'
import { type Clearance, type Policy, belowEveryBand, clearance, ruleOfKind } from './policy.ts'
import type { Tier } from './tier.ts'
import type { Spent, Tally } from './velocity.ts'

/** A past proposal, with the fields that a policy evaluates. */
export interface PastProposal {
  id: number
  kind: string
  /** The proposing member. */
  memberId: string
  tier: Tier
  createdAt: Date
  /** When the member consented; null if they never did. */
  confirmedAt: Date | null
  /** Refused, and no executor had claimed it: the proposal does not count against daily limits. */
  isRefused: boolean
  /** The amount; null for kinds without money; undefined if the payload was erased. */
  weight: { amountCents: number; currency: string } | null | undefined
  /** What the money concerns, such as one payment; null if the amount is judged alone. */
  subject: string | null
  /** Who it goes to, where its kind adds up by that too. */
  customer: string | null
  /** The API keys that proposed and confirmed it. */
  keys: string[]
}

/** The result of a proposal under a policy. */
type Judged =
  | { isAllowed: true; consent: ConsentStrength }
  | { isAllowed: false; rule: string; code: DenialCode }

/** How the result of a proposal differs under another policy. */
export const dryRunChanges = ['denied', 'allowed', 'stronger', 'weaker'] as const
export type DryRunChange = (typeof dryRunChanges)[number]

export interface DryRunKind {
  kind: string
  proposals: number
  /** Proposals whose amount is no longer known: they appear in no other count. */
  unknownAmount: number
  counts: Record<DryRunChange, number>
}

export interface ChangedProposal {
  id: number
  kind: string
  change: DryRunChange
  /** The rule that denies it, or the consent it would require, in words. */
  why: string
  /** Only a denied proposal has it. */
  denialCode?: DenialCode
}

export interface DryRun {
  kinds: DryRunKind[]
  /** Every proposal with a different result, newest first. */
  changed: ChangedProposal[]
}

/**
 * Evaluates past proposals under two policies, with the tier that each member had then, and returns the differences. Daily
 * limits and sums per subject count only what the same policy would have allowed. Pure.
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
      unknownAmount: 0,
      counts: { denied: 0, allowed: 0, stronger: 0, weaker: 0 },
    }
    kinds.set(kind, counted)
    counted.proposals++
    const [was, would] = [before[i], after[i]]
    if (!was || !would) {
      counted.unknownAmount++
      return
    }
    const change = changeOf(was, would)
    if (!change) return
    counted.counts[change]++
    changed.push({ id, kind, change, ...whyOf(would) })
  })
  return {
    kinds: [...kinds.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
    changed: changed.toSorted((a, b) => b.id - a.id),
  }
}

const whyOf = (would: Judged): Pick<ChangedProposal, 'why' | 'denialCode'> =>
  would.isAllowed ? { why: `consent ${would.consent}` } : { why: would.rule, denialCode: would.code }

function changeOf(was: Judged, would: Judged): DryRunChange | null {
  if (!would.isAllowed) return was.isAllowed ? 'denied' : null
  if (!was.isAllowed) return 'allowed'
  if (was.consent === would.consent) return null
  return meetsFloor(was.consent, would.consent) ? 'weaker' : 'stronger'
}

// A confirm is evaluated again, and counts towards daily limits only from then on.
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

// One pass only: a day may have thousands of proposals, and this runs once for each of them.
function spentIn(day: PastProposal[], { memberId, subject, customer, keys, weight }: PastProposal): Spent {
  const [member, account] = [noTally(), noTally()]
  const ofKeys = keys.map((key) => ({ key, tally: noTally() }))
  let [subjectCents, customerCents] = [0, 0]
  for (const one of day) {
    const cents = one.weight?.currency === weight?.currency ? (one.weight?.amountCents ?? 0) : 0
    add(account, cents)
    if (one.memberId === memberId) add(member, cents)
    if (subject !== null && one.subject === subject) subjectCents += cents
    if (customer !== null && one.customer === customer) customerCents += cents
    for (const { key, tally } of ofKeys) if (one.keys.includes(key)) add(tally, cents)
  }
  const key = {
    actions: Math.max(0, ...ofKeys.map(({ tally }) => tally.actions)),
    cents: Math.max(0, ...ofKeys.map(({ tally }) => tally.cents)),
  }
  return { member, account, key, subjectCents, customerCents, isUncounted: false }
}

const noTally = (): Tally => ({ actions: 0, cents: 0 })

function add(tally: Tally, cents: number): void {
  tally.actions++
  tally.cents += cents
}

function judge(policy: Policy, { kind, tier, weight }: PastProposal, spent: Spent): Judged | undefined {
  // A member below every band was denied before the amount was read.
  const hopeless = belowEveryBand(policy, kind, tier)
  if (hopeless) return verdict(hopeless)
  const rule = ruleOfKind(policy, kind)
  if (weight === undefined && rule && 'bands' in rule) return undefined
  return verdict(clearance(policy, { kind, ...weight }, tier, spent))
}

function verdict(cleared: Clearance): Judged {
  return cleared.allowed
    ? { isAllowed: true, consent: cleared.consent }
    : { isAllowed: false, rule: cleared.rule, code: cleared.code }
}

const dayMs = 86_400_000
