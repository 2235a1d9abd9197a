import { slackCard } from '../../consent/slack-card.ts'
import { hashOfToken } from '../../consent/token.ts'
import { type AskOutcome, readFailedWays, recordConsentRequest } from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import {
  type ConsentChannel,
  type RequestedStrength,
  cannotBeAsked,
  notYetAsked,
  wayToAsk,
} from '../../gate/consent.ts'
import { channels } from '../../gate/reach.ts'
import { newToken } from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'
import { workflowInput } from '../decisions/wait-for-execution.ts'
import { cardOfRow } from './card-of-row.ts'
import { type AttestedConfirm, type Confirm, type Confirmed, denyNow } from '../decisions/claim-confirm.ts'
import { expiryEvent } from '../decisions/expiry.ts'
import { keyReused } from '../idempotency.ts'
import { identitiesNow } from '../members/identity-age.ts'
import type { RefusalReason } from '../decisions/refusal.ts'

/**
 * The ways that members of an account can be asked by: in Slack where the answers that come back can be verified, by the
 * service's own e-mail. An e-mail account that was connected is read by its owner, who may be somebody else.
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

/**
 * Has the member asked for the consent that a confirm lacks: the row stays open, and is executed once they give it. The
 * request goes out behind the answer, and through whatever dies meanwhile. A member who cannot be asked is denied; one whose
 * only way is an identity that was changed and has not settled is not asked, and the row stays open.
 * @throws GateError as `confirm.refuse` gives it, `invalid` where the Idempotency-Key was used for another request,
 * `too_many` where the member was asked often enough for an hour
 */
export async function requestConsent(
  confirm: AttestedConfirm,
  lacking: Extract<Confirmed, { outcome: 'too_weak' }>,
): Promise<Confirmed | { outcome: 'asked'; row: Confirm['row'] } | 'again'> {
  const { deps, account, row, facts, member } = confirm
  const { floor, rule, versions } = lacking
  const [usable, failed] = await Promise.all([
    waysToAsk(deps, account, facts.integrationsVersion),
    readFailedWays(deps.db, account, row.id),
  ])
  const settled = identitiesNow(deps, facts, member).settledWays(usable)
  let way = wayToAsk(floor, member, settled, failed)
  if (way?.via === 'slack' && !slackCard(await cardOfRow(deps, row))) {
    // A card that Slack would not take whole is never cut.
    way = wayToAsk('page', member, settled, failed)
    if (!way) await refuseUnsettled(confirm, 'page', usable)
    if (!way) return denyNow(confirm, `${rule}: ${tooLong}`, versions)
  }
  if (!way) await refuseUnsettled(confirm, floor, usable)
  if (!way) return denyNow(confirm, cannotBeAsked(rule, floor), versions)
  const token = newToken()
  const { outcome, action } = await recordConsentRequest(deps.db, {
    account,
    id: row.id,
    eventId: confirm.commandId,
    ...expiryEvent(row.uuid),
    dueMs: limits.outboxDueMs,
    versions,
    required: floor,
    ...way,
    token,
    tokenHash: hashOfToken(way.via, token),
    everyMs: limits.consentAskEveryMs,
    hourMax: limits.consentAsksPerHourMax,
    dayMax: limits.consentAsksPerDayMax,
    source: confirm.channel,
    apiKey: confirm.credential.apiKey,
    idempotency: confirm.idempotency,
  })
  const refusal = refusalOf[outcome]
  if (refusal) throw await confirm.refuse(refusal)
  if (outcome === 'reused') throw keyReused()
  const bound = boundOf[outcome]
  if (bound) {
    throw new GateError(
      'too_many',
      `${bound} Nobody was asked. The proposal stays open: confirm it later.`,
      600,
    )
  }
  // Replayed: it was decided meanwhile, and is joined.
  if (outcome === 'stale' || outcome === 'replayed') return 'again'
  if (outcome === 'asked') deps.starter.askInBackground(workflowInput(action))
  return { outcome: 'asked', row: action }
}

/** @throws GateError where the member could be asked, if a changed identity of theirs had settled */
async function refuseUnsettled(
  { deps, facts, member, row, refuse }: Confirm,
  floor: RequestedStrength,
  usable: readonly ConsentChannel[],
): Promise<void> {
  const via = wayToAsk(floor, member, usable)?.via
  const at = via && identitiesNow(deps, facts, member).settlesAt(via)
  if (!via || !at) return
  const { code } = await refuse('unsettled_identity')
  throw new GateError(code, notYetAsked(row.id, via, at))
}

const boundOf: Partial<Record<AskOutcome, string>> = {
  too_many: `This member was asked ${limits.consentAsksPerHourMax} times within an hour.`,
  too_many_of_day: `This member was asked ${limits.consentAsksPerDayMax} times within 24 hours.`,
  too_many_of_key:
    'This API key used half of the requests that this member may get; the rest is kept for the other keys.',
}

const tooLong = 'it is too long to be shown in Slack, and you have no e-mail by which you could be asked'

const refusalOf: Partial<Record<AskOutcome, RefusalReason>> = {
  missing: 'not_open',
  lost: 'not_open',
  expired: 'expired',
  suspended: 'suspended',
}
