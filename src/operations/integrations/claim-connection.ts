import { randomUUID } from 'node:crypto'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { FactVersions } from '../../db/queries/actions/decide.ts'
import { claimConnection, connectInConsole } from '../../db/queries/integrations/connect-links.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError, LinkGone } from '../../errors.ts'
import type { Tier } from '../../gate/tier.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { expiryEvent } from '../clearance/expiry.ts'
import { deniedSentence } from '../decisions/member-refusal.ts'
import { qualifyOrDeny } from '../clearance/qualify.ts'
import { signalAndWait } from '../actions/wait-for-execution.ts'
import { requireOwnKind } from '../actions/require-kind.ts'
import { type Stale, keepsChanging, retryStale } from '../retry-stale.ts'
import { changeOf } from './connect-draft.ts'
import { type OpenActionLink, type OpenAdminLink, type OpenLink, requireOpen } from './connect-link.ts'
import { type ConnectPerson, refuseUnsigned } from './connect-person.ts'
import { type ConnectionResult, connectionResult } from './connection-result.ts'
import { notifyOfConnection } from './notify-admins.ts'
import { logStep } from '../../temporal/action-log.ts'

/** What the page showed, as its form sends it back. */
export interface ShownChange {
  /** The kept credential, by the id that its connection will have. */
  draft: string
  /** The connection in use, by its id. Empty: the account has none of its own. */
  replaces: string
}

/**
 * Puts the credential that was shown into use: claims the confirm of the connection for the person who is signed in, in one
 * statement, notifies the other administrators, and waits a little until it is in use. Of any number of requests that race
 * with one link, one wins. An expired or cancelled link stores nothing. A link that was begun in the console has no action:
 * its statement puts the credential into use at once.
 * @throws GateError `forbidden` where the member no longer qualifies (the row is then denied) or the session has ended,
 * `gone` where the link can no longer be used, `conflict` where the account is suspended or something else was shown
 */
export async function connectDraft(
  deps: Deps,
  link: OpenLink,
  person: ConnectPerson,
  shown: ShownChange,
): Promise<ConnectionResult> {
  const change = await changeOf(deps, link)
  if (!change || link.draft?.id !== shown.draft || (link.in_use?.id ?? '') !== shown.replaces)
    throw shownOther()
  const { adminId: exceptAdmin } = person.session
  if (link.admin_id !== null) {
    await connectOnce(deps, link, person, shown)
    notifyOfConnection(deps, { link, change, by: `admin:${link.admin}`, exceptAdmin })
    return { provider: link.provider, accountName: link.account_name, isInUse: true, isRefused: false }
  }
  const command = { commandId: randomUUID(), session: person.hash, shown }
  const action = await retryStale(() => claimOnce(deps, link, command), notConnected)
  notifyOfConnection(deps, { link, change, by: action.consent_by!, exceptAdmin })
  const waitMs = Math.min(limits.connectWaitMs, deps.config.CONFIRM_WAIT_MS)
  return connectionResult(link, await signalAndWait({ deps }, action, { waitMs }))
}

/** One claim, the same at every try. */
interface ClaimCommand {
  commandId: string
  /** Hash of the session's token. */
  session: Buffer
  shown: ShownChange
}

/** Connects for the administrator who began it in the console. */
async function connectOnce(
  deps: Deps,
  link: OpenAdminLink,
  person: ConnectPerson,
  shown: ShownChange,
): Promise<void> {
  const outcome = await connectInConsole(deps.db, {
    token: link.token,
    session: person.hash,
    idleMs: limits.sessionIdleMs,
    account: link.account_id,
    eventId: randomUUID(),
    ...shown,
  })
  if (outcome === 'connected') return
  if (outcome === 'no_session') throw await refuseUnsigned(deps, link)
  // It was used or suspended meanwhile: this says so.
  await requireOpen(deps, link.token)
  throw shownOther()
}

async function claimOnce(
  deps: Deps,
  link: OpenActionLink,
  { commandId, session, shown }: ClaimCommand,
): Promise<ActionRow | Stale> {
  const qualified = await qualifyOnce(deps, link)
  if (qualified === 'stale') return 'stale'
  const { outcome, action } = await claimConnection(deps.db, {
    token: link.token,
    session,
    idleMs: limits.sessionIdleMs,
    account: link.account_id,
    id: link.action_id,
    commandId,
    eventId: eventId(link.uuid, 'confirmed'),
    ...expiryEvent(link.uuid),
    dueMs: limits.outboxDueMs,
    ...qualified,
    ...shown,
  })
  if (outcome === 'claimed') {
    logStep(deps, action, 'decided', { decision: 'confirm', strength: 'page', channel: 'console' })
    return action
  }
  if (outcome === 'stale') return 'stale'
  if (outcome === 'no_session') throw await refuseUnsigned(deps, link)
  // Another decision came first: the link is closed and says how.
  await requireOpen(deps, link.token)
  if (outcome === 'no_draft' || outcome === 'replaced') throw shownOther()
  throw new LinkGone('used', 'This link was already used. Check whether the provider is connected.')
}

const notConnected = () => keepsChanging('Nothing was connected.')

const shownOther = (): GateError =>
  new GateError(
    'conflict',
    'The connection in use or the entered credential changed after you reviewed it. Nothing was connected. Review the change again.',
  )

/**
 * Checks tier and policy of the member who requested the connection again, as a confirm does. Where they no longer allow it,
 * the row is denied. The consent floor is not checked: the person who connects is signed in, and no consent is stronger.
 * An administrator who began it in the console needs no tier: nobody proposed anything.
 * @throws GateError `forbidden` with the reason
 */
export async function requireQualified(deps: Deps, link: OpenLink): Promise<void> {
  if (link.admin_id !== null) return
  await retryStale(() => qualifyOnce(deps, link), notConnected)
}

interface Standing {
  versions: FactVersions
  tier: Tier
}

async function qualifyOnce(deps: Deps, link: OpenActionLink): Promise<Standing | 'stale'> {
  const facts = await readFacts(deps.db, link.account_id, { memberId: link.member_id })
  const member = facts?.members[0]
  if (!facts || !member)
    throw new GateError('forbidden', 'The member who requested this is no longer active.')
  const request = {
    account: link.account_id,
    facts,
    member,
    kind: requireOwnKind(deps, 'integration'),
    payload: { provider: link.provider },
  }
  const qualified = await qualifyOrDeny(deps, request, {
    id: link.action_id,
    isClaimed: false,
    eventId: eventId(link.uuid, 'denied'),
    apiKey: null,
    idempotency: null,
  })
  if (qualified === 'stale') return 'stale'
  switch (qualified.outcome) {
    case 'qualified':
      return { versions: qualified.versions, tier: qualified.tier }
    case 'denied':
      throw new GateError('forbidden', deniedSentence(qualified.row.denial_reason))
    case 'lost':
      // Another decision came first: the link is closed and says how.
      await requireOpen(deps, link.token)
      return 'stale'
  }
}
