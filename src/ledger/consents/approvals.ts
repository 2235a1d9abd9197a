import type { Link } from '../chain.ts'
import type { ParsedEntry } from '../checker.ts'
import { endsIn } from './member-ends.ts'

/** Checks in a ledger that what others had to approve was approved before it was confirmed. */
export interface ApprovalEntries {
  /** What is wrong with the next entry; null if nothing is. */
  problemOf(link: Pick<Link, 'kind' | 'action_id'>, entry: ParsedEntry): string | null
}

/** An open action that others must approve. */
interface Ruled {
  needed: number
  digest: unknown
  proposer: unknown
  /** The strength of its member's consent to it as it is now; null: not yet. */
  own: unknown
  approvers: Set<unknown>
}

/** Keeps the approvals of open actions: people are counted, by the member that each entry names. */
export function approvalEntries(): ApprovalEntries {
  const open = new Map<number, Ruled>()

  function approvalProblem(ruled: Ruled | undefined, { actor, data = {} }: ParsedEntry): string | null {
    if (!ruled) return 'nobody else has to approve this action'
    if (data['digest'] !== ruled.digest) return 'it approves another version of the action'
    const isOwn = data['by'] === 'member'
    if (isOwn !== (actor === ruled.proposer)) return 'it is not by whom it says'
    if (isOwn) ruled.own = data['strength'] ?? 'unknown'
    else ruled.approvers.add(actor)
    return null
  }

  function confirmProblem(ruled: Ruled | undefined, { data = {} }: ParsedEntry): string | null {
    if (!ruled) return data['approvals'] === undefined ? null : 'nobody else has to approve this action'
    if (ruled.own === null) return 'its member has not consented to it as it is'
    // Also where what it needs is no number.
    if (!(ruled.approvers.size >= ruled.needed))
      return `it has ${ruled.approvers.size} approvals, but needs ${ruled.needed}`
    return data['strength'] === ruled.own ? null : 'its strength is not that of its consent'
  }

  return {
    problemOf({ kind, action_id: id }, entry) {
      const { data = {}, actor } = entry
      for (const ended of endsIn(data).approvals) lapse(open.get(ended), data['member'])
      if (id === null) return null
      const rule = kind === 'proposed' ? (data['approvals'] as { needed?: unknown } | undefined) : undefined
      if (rule)
        open.set(id, {
          needed: Number(rule.needed),
          digest: data['digest'],
          proposer: actor,
          own: null,
          approvers: new Set(),
        })
      const ruled = open.get(id)
      if (kind === 'edited' && ruled)
        Object.assign(ruled, { digest: data['digest'], own: null, approvers: new Set() })
      const problem =
        kind === 'approved'
          ? approvalProblem(ruled, entry)
          : kind === 'confirmed'
            ? confirmProblem(ruled, entry)
            : null
      if (ends.includes(kind)) open.delete(id)
      return problem
    },
  }
}

/** Whose rights ended approves no more. */
function lapse(ruled: Ruled | undefined, member: unknown): void {
  if (!ruled) return
  ruled.approvers.delete(member)
  if (ruled.proposer === member) ruled.own = null
}

const ends = ['confirmed', 'cancelled', 'expired', 'denied']
