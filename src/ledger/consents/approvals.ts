import type { Link } from '../chain.ts'
import type { ParsedEntry } from '../checker.ts'
import { endsIn } from './member-ends.ts'

/** Checks in a ledger that what others had to approve was approved before it was confirmed. */
export interface ApprovalEntries {
  /** What is wrong with the next entry; null if nothing is. */
  problemOf(link: Pick<Link, 'kind' | 'action_id' | 'at'>, entry: ParsedEntry): string | null
}

/** An open action that others must approve. */
interface Ruled {
  kind: unknown
  needed: number
  digest: unknown
  proposer: unknown
  /** The strength of its member's consent to it as it is now; null: not yet. */
  own: unknown
  /** Who approved, and whose deputies they were. */
  approvers: Map<unknown, unknown>
  /** Who may break the glass, and who did; undefined: nobody. */
  named: unknown
  brokenBy: unknown
}

/** Keeps the approvals of open actions: people are counted, by the members that each entry names. */
export function approvalEntries(): ApprovalEntries {
  const open = new Map<number, Ruled>()
  const delegations = delegationsTold()

  function approvalProblem(
    ruled: Ruled | undefined,
    { actor, data = {} }: ParsedEntry,
    at: string,
  ): string | null {
    if (!ruled) return 'nobody else has to approve this action'
    if (data['digest'] !== ruled.digest) return 'it approves another version of the action'
    const isOwn = data['by'] === 'member'
    if (isOwn !== (actor === ruled.proposer)) return 'it is not by whom it says'
    const of = data['for']
    if (of !== undefined && !isDeputyAt(ruled, at)(actor, of))
      return 'no entry before it makes its actor a deputy of the one it is for'
    if (isOwn) ruled.own = data['strength'] ?? 'unknown'
    else ruled.approvers.set(actor, of)
    return null
  }

  const isDeputyAt =
    ({ kind }: Ruled, at: string) =>
    (deputy: unknown, of: unknown): boolean =>
      delegations.isDeputy({ deputy, of, kind, at })

  function confirmProblem(ruled: Ruled | undefined, { data = {} }: ParsedEntry, at: string): string | null {
    if (!ruled) return data['approvals'] === undefined ? null : 'nobody else has to approve this action'
    if (ruled.own === null) return 'its member has not consented to it as it is'
    if (data['glass_broken_by'] !== ruled.brokenBy) return 'it is not by who broke the glass'
    const needed = ruled.brokenBy === undefined ? ruled.needed : 0
    const problem = Array.isArray(data['approved_by'])
      ? countedProblem({ ...ruled, needed }, data['approved_by'] as Counted[], isDeputyAt(ruled, at))
      : uncountedProblem(ruled)
    if (problem !== null) return problem
    return data['strength'] === ruled.own ? null : 'its strength is not that of its consent'
  }

  return {
    problemOf({ kind, action_id: id, at }, entry) {
      if (id === null) {
        delegations.take(kind, entry)
        for (const ended of endsIn(entry.data ?? {}).approvals) lapse(open.get(ended), entry.data!['member'])
        return null
      }
      const { data = {} } = entry
      const rule = kind === 'proposed' ? (data['approvals'] as StoredRule | undefined) : undefined
      if (rule) open.set(id, opened(rule, entry))
      const ruled = open.get(id)
      if (kind === 'edited' && ruled)
        Object.assign(ruled, { digest: data['digest'], own: null, approvers: new Map() })
      const problem =
        kind === 'approved'
          ? approvalProblem(ruled, entry, at)
          : kind === 'glass_broken'
            ? glassProblem(ruled, entry)
            : kind === 'confirmed'
              ? confirmProblem(ruled, entry, at)
              : null
      if (ends.includes(kind)) open.delete(id)
      return problem
    },
  }
}

/** A named member executes it in place of the others. */
function glassProblem(ruled: Ruled | undefined, { actor, data = {} }: ParsedEntry): string | null {
  if (!ruled) return 'nobody else has to approve this action'
  if (data['digest'] !== ruled.digest) return 'it is of another version of the action'
  if (ruled.own === null) return 'its member has not consented to it as it is'
  if (data['strength'] !== 'passkey') return 'its strength is not passkey'
  if (actor === ruled.proposer || !Array.isArray(ruled.named) || !ruled.named.includes(actor))
    return 'the rule of the action does not name its actor for this'
  ruled.brokenBy = actor
  return null
}

const opened = (rule: StoredRule, { data = {}, actor }: ParsedEntry): Ruled => ({
  kind: data['kind'],
  needed: Number(rule.needed),
  digest: data['digest'],
  proposer: actor,
  own: null,
  approvers: new Map(),
  named: rule.break_glass?.members,
  brokenBy: undefined,
})

/** What is read of a rule. */
interface StoredRule {
  needed?: unknown
  break_glass?: { members?: unknown } | undefined
}

/** Whose rights ended approves no more. */
function lapse(ruled: Ruled | undefined, member: unknown): void {
  if (!ruled) return
  ruled.approvers.delete(member)
  if (ruled.proposer === member) ruled.own = null
}

/** An approval that a confirm counts, and whose deputy gave it. */
interface Counted {
  member?: unknown
  for?: unknown
}

/** Each approval that is counted was given, and no person is in two. */
function countedProblem(
  { approvers, proposer, needed }: Ruled,
  counted: Counted[],
  isDeputy: (deputy: unknown, of: unknown) => boolean,
): string | null {
  const people = new Set([proposer])
  for (const one of counted) {
    const { member, for: of } = one ?? {}
    if (!approvers.has(member)) return 'it counts an approval that nobody gave'
    if (of !== undefined && !(approvers.get(member) === of && isDeputy(member, of)))
      return 'it counts the approval of a deputy who is none'
    const both = [member, of ?? member]
    if (both.some((person) => people.has(person))) return 'it counts one person twice'
    for (const person of both) people.add(person)
  }
  return countProblem(counted.length, needed)
}

/** Confirms from before deputies say only how many. */
const uncountedProblem = ({ approvers, needed }: Ruled): string | null =>
  [...approvers.values()].some((of) => of !== undefined)
    ? 'it does not say whose approvals it counts'
    : countProblem(approvers.size, needed)

// Also where what it needs is no number.
const countProblem = (count: number, needed: number): string | null =>
  count >= needed ? null : `it has ${count} approvals, but needs ${needed}`

const ends = ['confirmed', 'cancelled', 'expired', 'denied']

/** A deputy of somebody, for a kind of action at a time. */
interface Deputy {
  deputy: unknown
  of: unknown
  kind: unknown
  at: string
}

/** The delegations that entries tell so far. */
export function delegationsTold() {
  const started = new Map<unknown, { from: unknown; to: unknown; kinds: unknown; until: number }>()
  return {
    take(kind: string, { data = {} }: ParsedEntry): void {
      const { delegation, from, to, kinds, until } = data
      if (kind === 'delegation_started')
        started.set(delegation, { from, to, kinds, until: Date.parse(String(until)) })
      if (kind === 'delegation_ended') started.delete(delegation)
      for (const over of endsIn(data).delegations) started.delete(over)
    },
    isDeputy: ({ deputy, of, kind, at }: Deputy): boolean =>
      [...started.values()].some(
        ({ from, to, kinds, until }) =>
          from === of &&
          to === deputy &&
          (!Array.isArray(kinds) || kinds.includes(kind)) &&
          // An entry is written in the statement that looked whether it was over.
          Date.parse(at) <= until + soonMs,
      ),
  }
}

const soonMs = 10_000
