import { type Card, cardHash } from '../../consent/card.ts'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { type FoundRequest, findConsentRequest } from '../../db/queries/actions/consent.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { consentTokenHash, isTokenForm } from '../../keys/link-token.ts'
import { isOpen, isRunning } from '../proposals/action-view.ts'
import { waitForExecution } from './wait-for-execution.ts'
import { cardOfRow } from '../consent/card-of-row.ts'
import { decideAsMember } from './decide-as-member.ts'
import { memberError } from './member-refusal.ts'
import { recordRefusal } from './refusal.ts'
import { limits } from '../../limits.ts'

export const decidePath = '/decide'

/** What a decision link shows. */
export interface LinkedDecision {
  row: ActionRow
  card: Card
  /** Hex, for the form: what is decided is what was shown. */
  shown: string
}

/**
 * What a link asks its receiver to decide about. Reading it changes nothing.
 * @throws GateError `not_found` where nobody made it, `gone` where it can decide nothing any more, `conflict` where the
 * account is suspended; each says what to do
 */
export async function readLinked(deps: Deps, token: string): Promise<LinkedDecision> {
  const { request, row } = await linked(deps, token)
  const facts = await readFacts(deps.db, row.account_id, { memberId: row.member_id! })
  if (!isOpen(row)) throw memberError('not_open', row)
  if (!facts || row.expires_at! <= facts.now) throw memberError('expired', row)
  const [member] = facts.members
  if (!member) throw memberError('inactive', row)
  if (member.email?.toLowerCase() !== request.address.toLowerCase()) throw memberError('identity', row)
  if (facts.isSuspended) throw memberError('suspended', row)
  const card = await cardOfRow(deps, row)
  return { row, card, shown: cardHash(card).toString('hex') }
}

/**
 * Decides by the form of a link, and waits a little for the end of what was approved.
 * @param shown  as the form was made with
 * @throws GateError as `decideAsMember`, `not_found` where nobody made the link, `invalid` where the form is not ours
 */
export async function decideByLink(
  deps: Deps,
  token: string,
  { does, shown }: { does: string; shown: string },
): Promise<ActionRow> {
  const { request, row } = await linked(deps, token)
  if ((does !== 'confirm' && does !== 'decline') || !/^[0-9a-f]{64}$/.test(shown))
    throw new GateError('invalid', 'Press one of the two buttons of the page.')
  const decided = await decideAsMember(deps, {
    account: row.account_id,
    id: row.id,
    memberId: row.member_id!,
    does,
    strength: 'page',
    channel: 'email',
    shown: Buffer.from(shown, 'hex'),
    credential: { token: consentTokenHash('email', token) },
    request: { via: 'email', address: request.address },
  })
  const waitMs = Math.min(limits.decideWaitMs, deps.config.CONFIRM_WAIT_MS)
  return isRunning(decided) ? waitForExecution({ deps }, decided, waitMs) : decided
}

/** Writes down that another site sent the form of a link, where there is such a link. */
export async function noteForeignForm(deps: Deps, token: string): Promise<void> {
  const { row } = await linked(deps, token)
  await recordRefusal(deps, row, {
    decision: 'confirm',
    reason: 'foreign_form',
    actor: 'unknown',
    source: 'email',
  })
}

async function linked(deps: Deps, token: string): Promise<{ request: FoundRequest; row: ActionRow }> {
  const request = isTokenForm(token)
    ? await findConsentRequest(deps.db, consentTokenHash('email', token))
    : undefined
  const row = request && (await readAction(deps.db, request.account_id, request.action_id))
  if (!row)
    throw new GateError(
      'not_found',
      'This link is not known, or was over long ago. Look whether it is whole.',
    )
  return { request, row }
}
