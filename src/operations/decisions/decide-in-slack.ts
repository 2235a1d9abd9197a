import { slackButtons } from '../../consent/slack-card.ts'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { type FoundRequest, findConsentRequest } from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import { GateError, OutcomeUnknown } from '../../errors.ts'
import { consentTokenHash, isTokenForm } from '../../keys/link-token.ts'
import { isOpen } from '../proposals/action-view.ts'
import { waitToShow } from './wait-for-execution.ts'
import { decideAsMember } from './decide-as-member.ts'
import { recordRefusal } from './refusal.ts'
import { showOutcome } from './slack-outcome.ts'

/** A click on one of our buttons, as Slack reports it. Its signature is verified. */
export interface SlackClick {
  teamId: string
  userId: string
  does: 'confirm' | 'decline'
  /** The token that the button carries. */
  token: string
  /** The message that has the button. */
  message: { channel: string; ts: string }
}

/**
 * Decides by a click in the member's own Slack. Resolves once it is decided or refused. In the background the message then
 * shows the outcome instead of its buttons. A click that answers no request changes nothing.
 */
export async function decideInSlack(deps: Deps, click: SlackClick): Promise<void> {
  const request = await requestOf(deps, click)
  if (!request) return void deps.log.warn('Slack click ignored: it answers no known consent request')
  const { row } = request
  if (!isOfMember(click, request)) {
    // Signed by Slack, but pressed by somebody else. They get no answer.
    await recordRefusal(deps, row, {
      decision: click.does === 'confirm' ? 'confirm' : 'cancel',
      reason: 'not_proposer',
      actor: 'unknown',
      source: 'slack',
    })
    return
  }
  const decided = await decideByClick(deps, request, click.does)
  deps.background.start('shared', 'show the outcome of a click in Slack', () =>
    showDecided(deps, decided, click).catch((error: unknown) =>
      deps.log.warn(
        { err: error, account: row.account_id, action: row.id },
        'the message in Slack could not be updated',
      ),
    ),
  )
}

/**
 * Says in the message that a click failed after it was acknowledged, and keeps the buttons. Where the action was decided all
 * the same, says its outcome.
 */
export async function sayUndecided(deps: Deps, click: SlackClick): Promise<void> {
  const request = await requestOf(deps, click)
  if (!request || !isOfMember(click, request)) return
  const { row } = request
  if (!isOpen(row)) return void (await showOutcome(deps, row, click.message))
  await showOutcome(deps, row, click.message, { line: undecided, buttons: slackButtons(click.token) })
}

const pressAgain = 'Press a button again: your decision counts once, and this message shows the outcome.'

const undecided = 'This took too long. Nothing was decided. Press a button again: your decision counts once.'

/** The consent request that a click answers. */
interface AnsweredRequest {
  row: ActionRow
  request: FoundRequest
  /** Of the token. */
  hash: Buffer
}

/** Undefined where the button belongs to no known request. */
async function requestOf(deps: Deps, { token }: SlackClick): Promise<AnsweredRequest | undefined> {
  const hash = consentTokenHash('slack', token)
  const request = isTokenForm(token) ? await findConsentRequest(deps.db, hash) : undefined
  const row = request && (await readAction(deps.db, request.account_id, request.action_id))
  return row && { row, request, hash }
}

const isOfMember = ({ teamId, userId }: SlackClick, { request }: AnsweredRequest): boolean =>
  request.team === teamId && request.address === userId

interface Decided {
  row: ActionRow
  refusal?: GateError
}

async function decideByClick(
  deps: Deps,
  { row, request, hash }: AnsweredRequest,
  does: SlackClick['does'],
): Promise<Decided> {
  try {
    const decided = await decideAsMember(deps, {
      account: row.account_id,
      id: row.id,
      memberId: row.member_id!,
      does,
      strength: 'chat',
      channel: 'slack',
      shown: request.card!,
      credential: { token: hash },
      request: { via: 'slack', address: request.address },
    })
    return { row: decided }
  } catch (error) {
    // Without an acknowledgement Slack would tell the member that the click failed, but it may have counted.
    if (error instanceof OutcomeUnknown)
      return { row, refusal: new OutcomeUnknown('your decision', pressAgain) }
    if (!(error instanceof GateError) || error.code === 'unavailable') throw error
    return { row, refusal: error }
  }
}

async function showDecided(deps: Deps, { row, refusal }: Decided, click: SlackClick): Promise<void> {
  if (refusal) return showRefusal(deps, row, refusal, click)
  const end = await waitToShow(deps, row)
  await showOutcome(deps, end, click.message)
}

/** The buttons stay where the same click may succeed later. */
async function showRefusal(
  deps: Deps,
  row: ActionRow,
  refusal: GateError,
  { message, token }: SlackClick,
): Promise<void> {
  const isUnknown = refusal instanceof OutcomeUnknown
  const now = await readAction(deps.db, row.account_id, row.id)
  if (now && !isOpen(now)) return void (await showOutcome(deps, now, message))
  const buttons = isUnknown || refusal.code === 'conflict' ? slackButtons(token) : undefined
  await showOutcome(deps, row, message, { line: refusal.message, buttons })
}
