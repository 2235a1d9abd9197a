import { readAction } from '../../db/queries/actions/actions.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type Policy, whyAlone } from '../../gate/policy.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import { type ShownAction, isVisible, show } from '../actions/shown-action.ts'
import { policyInForce } from '../policy/policy-in-force.ts'
import type { Session } from '../sign-in/session.ts'
import { toRefusal } from '../refusal-of-error.ts'
import { sayIfLost } from './decide-as-member.ts'
import { decideOwn, mayApproveHere } from './decide-in-console.ts'

const decisionsAtOnce = 4

/** One of the proposals that a press decides, as its card was shown. */
export interface Selected {
  id: number
  /** Hash of the card, hex. */
  shown: string
  digest: string
}

/** The outcome for one of them. */
export interface DecidedOne {
  id: number
  /** Absent where the session may not see the action. */
  headline?: string | undefined
  /** `open`: nothing was decided. `unknown`: the answer was lost, so it may have been. */
  outcome: 'approved' | 'declined' | 'denied' | 'open' | 'unknown'
  /** Why it is not decided, or why it was denied. */
  reason?: string
}

/**
 * Decides about several proposals by one press. Each is a decision of its own, with its own checks, digest, card and entries: one
 * that is refused leaves the others as they are.
 * @throws GateError `unauthenticated` where the session has ended and nothing was decided
 */
export async function decideMany(
  deps: Deps,
  session: Session,
  { does, selected }: { does: 'confirm' | 'decline'; selected: Selected[] },
): Promise<DecidedOne[]> {
  // One that stands alone is approved on its own, and declining needs no bound.
  const policy =
    does === 'confirm' && selected.length > 1 ? await policyInForce(deps, session.account) : undefined
  const decided = await mapConcurrent(decisionsAtOnce, selected, (one) =>
    decideOne(deps, session, { does, policy, ...one }),
  )
  const lost = decided.filter((one) => one instanceof GateError)
  if (lost.length > 0 && lost.length === decided.length) throw lost[0]!
  return decided.map((one, at) => (one instanceof GateError ? leftOpen(selected[at]!.id, one) : one))
}

/** @returns the error where the session has ended */
async function decideOne(
  deps: Deps,
  session: Session,
  { id, policy, ...decision }: Selected & { does: 'confirm' | 'decline'; policy: Policy | undefined },
): Promise<DecidedOne | GateError> {
  let headline: string | undefined
  try {
    const shown = await readVisible(deps, session, id)
    headline = shown?.headline
    const alone = shown && policy && whyAlone(policy, { kind: shown.row.kind, weight: shown.weight })
    if (alone !== undefined) throw new GateError('conflict', alone)
    const row = await sayIfLost(decideOwn(deps, session, id, decision))
    if (row.status === 'denied') return { id, headline, outcome: 'denied', reason: row.denial_reason ?? '' }
    return { id, headline, outcome: decision.does === 'confirm' ? 'approved' : 'declined' }
  } catch (error) {
    const refusal = toRefusal(error)
    if (refusal?.code === 'unauthenticated') return refusal
    if (refusal && refusal.code !== 'unavailable') return leftOpen(id, refusal, headline)
    deps.log.warn({ err: error, account: session.account, action: id }, 'one of several decisions failed')
    const reason = 'Open it to see whether your decision was recorded. It counts once.'
    return { id, headline, outcome: 'unknown', reason }
  }
}

const leftOpen = (id: number, { message }: GateError, headline?: string): DecidedOne => ({
  id,
  headline,
  outcome: 'open',
  reason: message,
})

async function readVisible(deps: Deps, session: Session, id: number): Promise<ShownAction | undefined> {
  const row = await readAction(deps.db, session.account, id)
  const isShown = row && (isVisible(session, row) || (await mayApproveHere(deps, session, row)))
  return isShown ? show(deps, session, row) : undefined
}
