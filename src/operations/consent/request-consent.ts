import { slackCard } from '../../consent/slack-card.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { readFailedRoutes, recordConsentRequest } from '../../db/queries/actions/consent.ts'
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
import { channels } from '../../gate/reach.ts'
import { consentTokenHash, newToken } from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'
import { type ConfirmCommand, type OpenProposal, type TooWeak, denialOf } from '../decisions/claim-confirm.ts'
import { expiryEvent } from '../decisions/expiry.ts'
import { type DeniedRow, denyRow } from '../decisions/qualify.ts'
import { type Refused, refused } from '../decisions/refusal.ts'
import { workflowInput } from '../decisions/wait-for-execution.ts'
import { keyReused } from '../idempotency.ts'
import { identitiesNow } from '../members/identity-age.ts'
import type { Stale } from '../retry-stale.ts'
import { cardOfRow } from './card-of-row.ts'

/**
 * The channels by which members of an account can be asked: Slack where answers can be verified, and the service's own e-mail.
 * An e-mail account that was connected is not used: its owner can read what it sends.
 */
export async function waysToAsk(
  deps: Deps,
  account: string,
  integrationsVersion: number,
): Promise<ConsentChannel[]> {
  const there = await deps.channelsOf(account, integrationsVersion)
  const isVerifiable = deps.providers.slackSigningSecret !== undefined
  const usable = { slack: isVerifiable && there.slack !== undefined, email: deps.ownEmail !== undefined }
  return channels.filter((way) => usable[way])
}

/** A confirm by an API key. */
export type AgentConfirm = ConfirmCommand<{ apiKey: Buffer }>

/** The member is asked, or was a moment ago. */
export interface Asked {
  outcome: 'asked'
  row: ActionRow
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
  lacking: TooWeak,
): Promise<Asked | DeniedRow | Refused | Stale> {
  const { row } = proposal
  const way = await chooseWay(deps, proposal, lacking)
  if ('outcome' in way) return way
  if ('deny' in way) {
    const why = { denial: way.deny, versions: lacking.versions }
    const denied = await denyRow(deps, row.account_id, denialOf(row, command), why)
    return denied === 'stale' || denied.outcome === 'lost' ? 'stale' : denied
  }
  return recordRequest(deps, row, command, { way, lacking })
}

/** How the member is asked; or why nobody is: a refusal, or a reason to deny the row. */
async function chooseWay(
  deps: Deps,
  { row, facts, member }: OpenProposal,
  { floor, rule }: TooWeak,
): Promise<ConsentRoute | { deny: Denial } | Refused> {
  const [usable, failed] = await Promise.all([
    waysToAsk(deps, row.account_id, facts.integrationsVersion),
    readFailedRoutes(deps.db, row.account_id, row.id),
  ])
  const identities = identitiesNow(deps, facts, member)
  const settled = identities.settledWays(usable)
  const way = consentRoute(floor, member, settled, failed)
  // A card is never cut: what Slack would not take whole goes by e-mail.
  const isTooLong = way?.via === 'slack' && !slackCard(await cardOfRow(deps, row))
  const chosen = isTooLong ? consentRoute('page', member, settled, failed) : way
  if (chosen) return chosen
  // Could they be asked, if a changed identity of theirs had settled?
  const via = consentRoute(isTooLong ? 'page' : floor, member, usable)?.via
  const settlesAt = via && identities.settlesAt(via)
  if (via && settlesAt) return refused('unsettled_identity', requestNotSettled(row.id, via, settlesAt))
  return {
    deny: isTooLong ? denial('cannot_be_asked', `${rule}. ${tooLong}`) : unreachableForConsent(rule, floor),
  }
}

async function recordRequest(
  deps: Deps,
  row: ActionRow,
  { consent, commandId, idempotency }: AgentConfirm,
  { way, lacking }: { way: ConsentRoute; lacking: TooWeak },
): Promise<Asked | Refused | Stale> {
  const token = newToken()
  const { outcome, action, dueAt } = await recordConsentRequest(deps.db, {
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
    everyMs: limits.consentAskEveryMs,
    hourMax: limits.consentAsksPerHourMax,
    dayMax: limits.consentAsksPerDayMax,
    mandatesMax: limits.mandateRequestsPerDayMax,
    source: consent.channel,
    apiKey: consent.credential.apiKey,
    idempotency,
  })
  switch (outcome) {
    case 'asked':
      deps.starter.askInBackground(workflowInput(action), dueAt)
      return { outcome: 'asked', row: action }
    case 'standing':
      return { outcome: 'asked', row: action }
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

const sentenceOfBound = {
  too_many: `This member got ${limits.consentAsksPerHourMax} consent requests within an hour, the maximum.`,
  too_many_of_day: `This member got ${limits.consentAsksPerDayMax} consent requests within 24 hours, the maximum.`,
  too_many_of_key:
    'This API key has used its half of the consent requests that this member may get. The rest is reserved for other keys.',
}

const tooLong =
  'The consent request is too long for Slack, and the member has no e-mail address. Add one, or shorten the action.'
