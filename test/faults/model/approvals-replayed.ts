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
  /** Who executes it in place of those who must approve it. */
  brokenBy?: string
}

interface Rule {
  needed: number
  from: { members: string[] }
  escalate_after_minutes?: number
  escalate_to?: { members: string[] }
  break_glass?: { members: string[] }
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
  /** Members who are deactivated. */
  gone: Set<string>
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
  const gone: Moment['gone'] = new Set()
  let policyVersion = 1
  for (const entry of chain) {
    const { kind, data, action_id: id, actor, at } = entry
    const now = { at, delegations, gone }
    if (kind === 'policy_set') policyVersion = data['version']
    else if (kind === 'delegation_started') delegations.set(data['delegation'], data as Delegation)
    else if (kind === 'delegation_ended') delegations.delete(data['delegation'])
    else if (kind === 'member_changed' && data['change'] === 'activated') gone.delete(data['member'])
    else if (kind === 'member_changed' && data['change'] === 'deactivated') leave(data['member'], open, now)
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
    } else if (kind === 'glass_broken') {
      demand(one !== undefined, 'the glass is broken of what waits for approvals', name)
      if (one) judgeBroken(one, entry, now, demand)
    } else if (kind === 'confirmed' && one) judgeConfirmed(one, entry, now, demand)
    else if (kind === 'cancelled' && one && data['closed_reason'] === 'approver_declined')
      demand(mayDecline(one, actor, now), 'who declines for others is an approver', name)
    if (ends.includes(kind)) open.delete(id)
  }
}

/** Who is deactivated consents to nothing that is open, approves nothing, and is nobody's deputy. */
function leave(member: string, open: Map<number, Open>, { delegations, gone }: Moment): void {
  gone.add(member)
  for (const one of open.values()) {
    one.given = one.given.filter((vote) => vote.member !== member)
    if (one.proposer === member) one.consentedAt = undefined
  }
  for (const [id, { from, to }] of delegations) if ([from, to].includes(member)) delegations.delete(id)
}

/** One person whom the rule names for it, and who is not the one who acts, whose own consent it does not replace. */
function judgeBroken(one: Open, { actor, data }: Entry, { gone }: Moment, demand: Demand): void {
  const isNamed =
    one.rule.break_glass?.members.includes(actor) === true && actor !== one.proposer && !gone.has(actor)
  const isRight =
    isNamed &&
    one.consentedAt !== undefined &&
    data['digest'] === one.digest &&
    data['strength'] === 'passkey'
  demand(isRight, 'who breaks the glass is named by the rule, and its member has consented', () => [
    one,
    actor,
    data,
  ])
  one.brokenBy = actor
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
    counted.length >= (one.brokenBy === undefined ? one.rule.needed : 0),
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

function isNamed({ rule, proposer, consentedAt }: Open, member: string, { at, gone }: Moment): boolean {
  if (gone.has(member)) return false
  const { from, escalate_after_minutes: minutes, escalate_to: to } = rule
  const isEscalated = minutes !== undefined && Date.parse(at) >= (consentedAt ?? Infinity) + minutes * 60_000
  return member !== proposer && [...from.members, ...((isEscalated && to?.members) || [])].includes(member)
}

const isDeputy = (
  { kind, proposer }: Open,
  deputy: string,
  of: string,
  { at, delegations, gone }: Moment,
): boolean =>
  deputy !== proposer &&
  !gone.has(deputy) &&
  [...delegations.values()].some(
    ({ from, to, kinds, until }) =>
      from === of &&
      to === deputy &&
      (kinds === null || kinds.includes(kind)) &&
      Date.parse(at) <= Date.parse(until),
  )
