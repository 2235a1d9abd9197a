import { randomUUID } from 'node:crypto'
import { claimConnection } from '../../db/queries/integrations/connect-links.ts'
import { type FactVersions, denyAction } from '../../db/queries/actions/decide.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import type { Tier } from '../../gate/tier.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { evaluateClearance } from '../proposals/evaluate-clearance.ts'
import { signalAndWait, workflowInput } from '../decisions/wait-for-execution.ts'
import { changeOf } from './connect-draft.ts'
import { type OpenLink, requireOpen } from './connect-link.ts'
import { expiryEvent } from '../decisions/expiry.ts'
import { type ConnectPerson, refuseUnsigned } from './connect-person.ts'
import { type ConnectionResult, connectionResult } from './connection-result.ts'
import { requireKind } from '../proposals/require-kind.ts'
import { notifyOfConnection } from './notify-admins.ts'

/** What the form of the page says that it showed. */
export interface ShownChange {
  /** The kept credential, by the id that its connection will have. */
  draft: string
  /** The connection in use, by its id; empty: none of the account's own. */
  replaces: string
}

/**
 * Puts the credential that was shown into use: claims the confirm of the connection for the person who is signed in, in one
 * statement, tells the other administrators, and waits a little until it is in use. Of any number that race with one link,
 * one wins; an expired or cancelled one stores nothing.
 * @throws GateError `forbidden` where the member no longer qualifies (the row is then denied) or the session has ended,
 * `gone` where the link was lost meanwhile, `conflict` where the account is suspended or something else was shown
 */
export async function connectDraft(
  deps: Deps,
  link: OpenLink,
  { session, hash }: ConnectPerson,
  shown: ShownChange,
): Promise<ConnectionResult> {
  const change = changeOf(deps, link)
  if (!change || link.draft?.id !== shown.draft || (link.in_use?.id ?? '') !== shown.replaces)
    throw shownOther()
  const commandId = randomUUID()
  for (let tries = 0; tries < limits.staleTriesMax; tries++) {
    const { versions, tier } = await requireQualified(deps, link)
    const { outcome, action } = await claimConnection(deps.db, {
      token: link.token,
      session: hash,
      idleMs: limits.sessionIdleMs,
      account: link.account_id,
      id: link.action_id,
      commandId,
      eventId: eventId(link.uuid, 'confirmed'),
      ...expiryEvent(link.uuid),
      dueMs: limits.outboxDueMs,
      versions,
      tier,
      ...shown,
    })
    if (outcome === 'claimed') {
      notifyOfConnection(deps, { link, change, by: action.consent_by!, exceptAdmin: session.adminId })
      const waitMs = Math.min(limits.connectWaitMs, deps.config.CONFIRM_WAIT_MS)
      return connectionResult(link, await signalAndWait({ deps }, action, waitMs))
    }
    if (outcome === 'stale') continue
    if (outcome === 'no_session') throw await refuseUnsigned(deps, link)
    // Whoever was quicker has left the row in a state that says what to do.
    await requireOpen(deps, link.token)
    if (outcome === 'no_draft' || outcome === 'replaced') throw shownOther()
    throw new GateError('gone', 'This link was used meanwhile. Look whether the provider is connected.')
  }
  throw new GateError(
    'unavailable',
    'The facts about you keep changing. Nothing was connected; try again.',
    1,
  )
}

const shownOther = (): GateError =>
  new GateError(
    'conflict',
    'What is connected, or what was entered, has changed. Nothing was connected: check the change again.',
  )

/**
 * Checks the tier of the member who asked and the policy as they are now, as a confirm does. Where they no longer suffice
 * the row becomes denied. Whatever floor the policy names, connecting is done by a person who is signed in.
 * @throws GateError `forbidden` with the reason
 */
export async function requireQualified(
  deps: Deps,
  link: OpenLink,
): Promise<{ versions: FactVersions; tier: Tier }> {
  const facts = await readFacts(deps.db, link.account_id, { memberId: link.member_id })
  const member = facts?.members[0]
  if (!facts || !member)
    throw new GateError('forbidden', 'The member who asked for this is no longer active.')
  const { versions, tier, reason } = await evaluateClearance(deps, {
    account: link.account_id,
    facts,
    member,
    kind: requireKind(deps, 'integration'),
    payload: { provider: link.provider },
  })
  if (reason !== null) {
    await deny(deps, link, reason, versions)
    throw new GateError('forbidden', `This request was denied: ${reason}.`)
  }
  return { versions, tier }
}

// Should the facts have moved, the next try decides anew.
async function deny(deps: Deps, link: OpenLink, reason: string, versions: FactVersions): Promise<void> {
  const { outcome, action } = await denyAction(deps.db, {
    account: link.account_id,
    id: link.action_id,
    isClaimed: false,
    reason,
    eventId: eventId(link.uuid, 'denied'),
    dueMs: limits.outboxDueMs,
    apiKey: null,
    versions,
    idempotency: null,
  })
  if (outcome === 'denied') deps.starter.closeInBackground(workflowInput(action))
}
