import { isDeepStrictEqual } from 'node:util'
import type { Demand, Entry, Stored } from './record.ts'

/** An action that others must approve, as the entries up to one have it. */
interface Open {
  rule: Rule
  kind: string
  digest: string
  proposer: string
  /** Who made version 2 of it, and when its member had consented to version 1. */
  changed?: { by: string; consentedAt: number | undefined }
  /** When its member consented to it as it is. */
  consentedAt: number | undefined
  given: { member: string; of: string | undefined }[]
}

interface Rule {
  needed: number
  from: { members: string[] }
  escalate_after_minutes?: number
  escalate_to?: { members: string[] }
}

interface Delegation {
  from: string
  to: string
  kinds: string[] | null
  until: string
}

/** What entries tell up to one. */
interface Moment {
  at: string
  delegations: Map<string, Delegation>
}

/** Replays a ledger: who agreed to what, and whether that sufficed. */
export function replayApprovals(
  account: string,
  chain: Entry[],
  policies: Stored['policies'],
  demand: Demand,
): void {
  const open = new Map<number, Open>()
  const delegations: Moment['delegations'] = new Map()
  let policyVersion = 1
  for (const entry of chain) {
    const { kind, data, action_id: id, actor, at } = entry
    const now = { at, delegations }
    if (kind === 'policy_set') policyVersion = data['version']
    else if (kind === 'delegation_started') delegations.set(data['delegation'], data as Delegation)
    else if (kind === 'delegation_ended') delegations.delete(data['delegation'])
    if (id === null) continue
    const one = open.get(id)
    const name = () => [entry, one]
    if (kind === 'proposed') {
      const rule = ruleIn(policies.get(`${account} ${policyVersion}`), data['kind'])
      const isAsked = data['approvals']?.needed === rule?.needed
      demand(isAsked, 'what others must approve is proposed with the rule of its policy', name)
      if (rule) open.set(id, opened(entry, rule))
    } else if (kind === 'approved') {
      demand(one !== undefined, 'what is approved waits for it', name)
      if (one) judgeApproved(one, entry, now, demand)
    } else if (kind === 'edited' && one) {
      const version2 = { digest: data['digest'], consentedAt: undefined, given: [] }
      Object.assign(one, { ...version2, changed: { by: actor, consentedAt: one.consentedAt } })
    } else if (kind === 'confirmed' && one) judgeConfirmed(one, entry, now, demand)
    else if (kind === 'cancelled' && one && data['closed_reason'] === 'approver_declined')
      demand(mayDecline(one, actor, now), 'who declines for others is an approver', name)
    if (ends.includes(kind)) open.delete(id)
  }
}

const ends = ['confirmed', 'cancelled', 'expired', 'denied']

const opened = ({ data, actor }: Entry, rule: Rule): Open => ({
  rule,
  kind: data['kind'],
  digest: data['digest'],
  proposer: actor,
  consentedAt: undefined,
  given: [],
})

/** The policies of this workload have one rule for all bands of a kind. */
function ruleIn(policy: any, kind: string): Rule | undefined {
  const rule = policy?.kinds?.[kind]
  return (rule?.bands?.usd[0] ?? rule)?.approvals
}

function judgeApproved(one: Open, entry: Entry, now: Moment, demand: Demand): void {
  const { actor, data } = entry
  const { for: of } = data as { for?: string }
  const name = () => [entry, one]
  demand(data['digest'] === one.digest, 'an approval is of the action as it is', name)
  const isOwn = actor === one.proposer
  demand((data['by'] === 'member') === isOwn, 'the member who acts approves nothing for others', name)
  if (isOwn) return void (one.consentedAt = Date.parse(now.at))
  // Who changes it approves that first, by the right that they had.
  const isByChange = one.consentedAt === undefined && actor === one.changed?.by
  const before = isByChange ? { ...one, consentedAt: one.changed!.consentedAt } : one
  const isConsented = before.consentedAt !== undefined
  demand(isConsented, 'others approve what its member consented to', name)
  demand(
    one.given.every(({ member }) => member !== actor),
    'a person approves once',
    name,
  )
  const isSeat = of === undefined || isDeputy(one, actor, of, now)
  demand(
    isSeat && isNamed(before, of ?? actor, now),
    'who approves is named by the rule, or the deputy of one who is',
    name,
  )
  one.given.push({ member: actor, of })
}

/** Counted here and not by the product: people, of whom a deputy and the one they approve for are one. */
function judgeConfirmed(one: Open, entry: Entry, now: Moment, demand: Demand): void {
  const counted: { member: string; for?: string }[] = []
  const people = new Set([one.proposer])
  for (const { member, of } of one.given) {
    const seat = of !== undefined && isDeputy(one, member, of, now) ? of : undefined
    if (!isNamed(one, seat ?? member, now)) continue
    if ([member, seat ?? member].some((person) => people.has(person))) continue
    people.add(member).add(seat ?? member)
    counted.push({ member, ...(seat && { for: seat }) })
  }
  const name = () => [entry, one, counted]
  demand(one.consentedAt !== undefined, 'what others approved has the consent of its member', name)
  demand(
    counted.length >= one.rule.needed,
    'nothing is confirmed with fewer people than its rule asks for',
    name,
  )
  const isSame = isDeepStrictEqual(entry.data['approved_by'], counted)
  demand(isSame, 'a confirm names those whose approvals count', name)
}

const mayDecline = (one: Open, member: string, now: Moment): boolean =>
  isNamed(one, member, now) ||
  [...now.delegations.values()].some(
    ({ from }) => isDeputy(one, member, from, now) && isNamed(one, from, now),
  )

function isNamed({ rule, proposer, consentedAt }: Open, member: string, { at }: Moment): boolean {
  const { from, escalate_after_minutes: minutes, escalate_to: to } = rule
  const isEscalated = minutes !== undefined && Date.parse(at) >= (consentedAt ?? Infinity) + minutes * 60_000
  return member !== proposer && [...from.members, ...((isEscalated && to?.members) || [])].includes(member)
}

const isDeputy = (
  { kind, proposer }: Open,
  deputy: string,
  of: string,
  { at, delegations }: Moment,
): boolean =>
  deputy !== proposer &&
  [...delegations.values()].some(
    ({ from, to, kinds, until }) =>
      from === of &&
      to === deputy &&
      (kinds === null || kinds.includes(kind)) &&
      Date.parse(at) <= Date.parse(until),
  )
