import { chatCards } from '../../consent/chat-cards.ts'
import type { ActionRow, Outcome } from '../../db/queries/actions/actions.ts'
import {
  type ConsentRequestOutcome,
  readFailedRoutes,
  recordConsentRequest,
} from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import {
  type ConsentChannel,
  type ConsentRoute,
  unreachableForConsent,
  requestNotSettled,
  consentRoute,
} from '../../gate/consent.ts'
import { type Denial, denial } from '../../gate/denial.ts'
import { withoutPasskey } from '../../gate/passkey.ts'
import { consentTokenHash, newToken } from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'
import { type ConfirmCommand, type OpenProposal, type TooWeak, denialOf } from '../clearance/claim-confirm.ts'
import { expiryEvent } from '../clearance/expiry.ts'
import { type DeniedRow, denyRow } from '../clearance/qualify.ts'
import { type Refused, refused } from '../clearance/refusal.ts'
import { workflowInput } from '../../temporal/names.ts'
import { type IdempotentRequest, keyReused } from '../idempotency.ts'
import { identitiesNow } from '../members/identity-age.ts'
import { policyOf } from '../policy/account-policy.ts'
import type { Stale } from '../retry-stale.ts'
import { cardOfRow } from './card-of-row.ts'
import { logStep } from '../../temporal/action-log.ts'
import { waysToAsk } from './ways-to-ask.ts'

const mandateRequestsPerDayMax = 4

/** The shortest time between two consent requests about the same action. */
const consentAskEveryMs = 600_000

/** A confirm by an API key. */
export type AgentConfirm = ConfirmCommand<{ apiKey: Buffer }>

/** The member is asked, or was a moment ago. */
export interface Asked {
  outcome: 'asked'
  row: ActionRow
  /** Why nobody was asked. */
  problem?: string
  /** Why no mandate of the member covers it, where they signed one for the agent. */
  outside?: string | undefined
}

/**
 * Asks the member for the consent that a confirm lacks: the row stays open, and is executed once they give it. The request is
 * sent in the background and survives crashes. A member who cannot be asked is denied. One whose only channel is a changed
 * identity that has not settled is not asked: that is refused, and the row stays open.
 * @throws GateError `invalid` where the Idempotency-Key was used for another request, `too_many` where the member was asked
 * often enough
 */
export async function requestConsent(
  deps: Deps,
  proposal: OpenProposal,
  command: AgentConfirm,
  { outsideMandate, ...lacking }: TooWeak & Pick<NewRequest, 'outsideMandate'>,
): Promise<Asked | DeniedRow | Refused | Stale> {
  const { row } = proposal
  const way = await chooseWay(deps, proposal, lacking)
  if ('settlesAt' in way)
    return refused('unsettled_identity', requestNotSettled(row.id, way.unsettled, way.settlesAt))
  if ('deny' in way) {
    const why = { denial: way.deny, versions: lacking.versions }
    const denied = await denyRow(deps, row.account_id, denialOf(row, command), why)
    return denied === 'stale' || denied.outcome === 'lost' ? 'stale' : denied
  }
  const { consent, commandId, idempotency } = command
  const { outcome, action } = await recordRequest(deps, row, {
    way,
    lacking,
    commandId,
    source: consent.channel,
    apiKey: consent.credential.apiKey,
    idempotency,
    outsideMandate,
  })
  switch (outcome) {
    case 'asked':
    case 'standing':
      return { outcome: 'asked', row: action, outside: outsideMandate }
    case 'missing':
    case 'lost':
      return refused('not_open')
    case 'expired':
    case 'suspended':
      return refused(outcome)
    // Replayed: the row was decided meanwhile. The next try joins that decision.
    case 'replayed':
    case 'stale':
      return 'stale'
    case 'reused':
      throw keyReused()
    case 'duplicate':
      throw new Error('a confirm is not compared with other actions')
    case 'too_many':
    case 'too_many_of_day':
    case 'too_many_of_key':
      throw new GateError(
        'too_many',
        `${sentenceOfBound[outcome]} No request was sent. The proposal stays open: confirm it later.`,
        { detail: 'consent_requests_limit', retryAfterSeconds: 600 },
      )
  }
}

/** The channel through which the member is asked. */
type ChosenWay =
  | ConsentRoute
  /** Nobody can be asked: the reason to deny the row. */
  | { deny: Denial }
  /** The only channel is a changed identity, and when it counts in full. */
  | { unsettled: ConsentChannel; settlesAt: Date }

/** How the member is asked, or why nobody is. */
export async function chooseWay(
  deps: Deps,
  { row, facts, member }: OpenProposal,
  { floor, rule }: Pick<TooWeak, 'floor' | 'rule'>,
): Promise<ChosenWay> {
  const missing = withoutPasskey(rule, floor, member.passkeys, policyOf(deps, facts))
  if (missing) return { deny: missing }
  const [usable, failed] = await Promise.all([
    waysToAsk(deps, row.account_id, facts.integrationsVersion),
    readFailedRoutes(deps.db, row.account_id, row.id),
  ])
  const identities = identitiesNow(deps, facts, member)
  const settled = identities.settledWays(usable)
  const way = consentRoute(floor, member, settled, failed)
  // A card is never cut: what a chat would not take whole goes by e-mail.
  const isTooLong =
    way !== undefined && way.via !== 'email' && !chatCards[way.via].card(await cardOfRow(deps, row))
  const chosen = isTooLong ? consentRoute('page', member, settled, failed) : way
  if (chosen) return chosen
  // Could they be asked, if a changed identity of theirs had settled?
  const via = consentRoute(isTooLong ? 'page' : floor, member, usable)?.via
  const settlesAt = via && identities.settlesAt(via)
  if (via && settlesAt) return { unsettled: via, settlesAt }
  return {
    deny: isTooLong ? denial('cannot_be_asked', `${rule}. ${tooLong}`) : unreachableForConsent(rule, floor),
  }
}

/** A request to be recorded. */
interface NewRequest {
  way: ConsentRoute
  lacking: Pick<TooWeak, 'floor' | 'versions'>
  commandId: string
  source: string
  apiKey: Buffer
  idempotency: IdempotentRequest | null
  /** It is made because the action is proposed. */
  isOfProposal?: boolean
  /** Why no mandate of the member covers it: it stands on the card. */
  outsideMandate?: string | undefined
}

/** Records a request, and has it sent in the background where it is new. */
export async function recordRequest(
  deps: Deps,
  row: ActionRow,
  { way, lacking, commandId, source, apiKey, idempotency, isOfProposal = false, outsideMandate }: NewRequest,
): Promise<Outcome<ConsentRequestOutcome>> {
  const token = newToken()
  const recorded = await recordConsentRequest(deps.db, {
    account: row.account_id,
    id: row.id,
    eventId: commandId,
    ...expiryEvent(row.uuid),
    dueMs: limits.outboxDueMs,
    versions: lacking.versions,
    required: lacking.floor,
    ...way,
    token,
    tokenHash: consentTokenHash(way.via, token),
    everyMs: consentAskEveryMs,
    hourMax: limits.consentAsksPerHourMax,
    dayMax: limits.consentAsksPerDayMax,
    mandatesMax: mandateRequestsPerDayMax,
    source,
    apiKey,
    isOfProposal,
    outsideMandate,
    idempotency,
  })
  if (recorded.outcome === 'asked') {
    logStep(deps, recorded.action, 'asked', { required: lacking.floor, via: way.via, state: 'recorded' })
    deps.starter.askInBackground(workflowInput(recorded.action), recorded.dueAt)
  }
  return recorded
}

/** Why a member who can be asked is not asked now. */
export const sentenceOfBound = {
  too_many: `This member got ${limits.consentAsksPerHourMax} consent requests within an hour, the maximum.`,
  too_many_of_day: `This member got ${limits.consentAsksPerDayMax} consent requests within 24 hours, the maximum.`,
  too_many_of_key:
    'This API key has used its half of the consent requests that this member may get. The rest is reserved for other keys.',
}

const tooLong =
  'The consent request is too long for a chat, and the member has no e-mail address. Add one, or shorten the action.'
