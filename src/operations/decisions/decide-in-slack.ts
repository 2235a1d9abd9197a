import { slackButtons } from '../../consent/slack-card.ts'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { type FoundRequest, findConsentRequest } from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import { GateError, OutcomeUnknown } from '../../errors.ts'
import { consentTokenHash, isTokenForm } from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'
import { isOpen, isRunning } from '../proposals/action-view.ts'
import { waitForExecution } from './wait-for-execution.ts'
import { decideAsMember } from './decide-as-member.ts'
import { stateOf } from './member-refusal.ts'
import { outcomeSentence } from './outcome-sentence.ts'
import { recordRefusal } from './refusal.ts'
import { type SlackMessage, showOutcome } from './slack-outcome.ts'

/** A click on one of our buttons, as Slack reports it. Its signature is verified. */
export interface SlackClick {
  teamId: string
  userId: string
  does: 'confirm' | 'decline'
  /** The token that the button carries. */
  token: string
  /** The message that has the button. */
  message: SlackMessage
}

/**
 * Decides by a click in the member's own Slack. Resolves once it is decided or refused. In the background the message then
 * shows the outcome instead of its buttons. A click that answers no request changes nothing.
 */
export async function decideInSlack(deps: Deps, click: SlackClick): Promise<void> {
  const asked = await askedBy(deps, click)
  if (!asked) return void deps.log.warn('a click in Slack answers no known consent request')
  const { row } = asked
  if (!isOfMember(click, asked)) {
    // Signed by Slack, but pressed by somebody else, who is told nothing.
    await recordRefusal(deps, row, {
      decision: click.does === 'confirm' ? 'confirm' : 'cancel',
      reason: 'not_proposer',
      actor: 'unknown',
      source: 'slack',
    })
    return
  }
  const told = await decided(deps, asked, click.does)
  deps.background.start('show the outcome of a click in Slack', () =>
    sayInSlack(deps, told, click).catch((error: unknown) =>
      deps.log.warn(
        { err: error, account: row.account_id, action: row.id },
        'the message in Slack could not be updated',
      ),
    ),
  )
}

/**
 * Says in the message that a click which was already acknowledged failed, and keeps its buttons. Where the action was decided
 * all the same, says its outcome.
 */
export async function sayUndecided(deps: Deps, click: SlackClick): Promise<void> {
  const asked = await askedBy(deps, click)
  if (!asked || !isOfMember(click, asked)) return
  const { row } = asked
  if (!isOpen(row)) return showOutcome(deps, row, click.message, stateOf(row))
  return showOutcome(deps, row, click.message, undecided, slackButtons(click.token))
}

const pressAgain = 'Press a button again: your decision counts once, and this message shows the outcome.'

const undecided = 'This took too long. Nothing was decided. Press a button again: your decision counts once.'

/** The consent request that a click answers. */
interface Asked {
  row: ActionRow
  request: FoundRequest
  /** Hash of the token. */
  hash: Buffer
}

/** Undefined where the button belongs to no known request. */
async function askedBy(deps: Deps, { token }: SlackClick): Promise<Asked | undefined> {
  const hash = consentTokenHash('slack', token)
  const request = isTokenForm(token) ? await findConsentRequest(deps.db, hash) : undefined
  const row = request && (await readAction(deps.db, request.account_id, request.action_id))
  return row && { row, request, hash }
}

const isOfMember = ({ teamId, userId }: SlackClick, { request }: Asked): boolean =>
  request.team === teamId && request.address === userId

type Told = { row: ActionRow } | { row: ActionRow; refusal: GateError }

async function decided(deps: Deps, { row, request, hash }: Asked, does: SlackClick['does']): Promise<Told> {
  try {
    const now = await decideAsMember(deps, {
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
    return { row: now }
  } catch (error) {
    // Slack says of a click that is not acknowledged that it failed, but this one may have counted.
    if (error instanceof OutcomeUnknown)
      return { row, refusal: new OutcomeUnknown('your decision', pressAgain) }
    if (!(error instanceof GateError) || error.code === 'unavailable') throw error
    return { row, refusal: error }
  }
}

async function sayInSlack(deps: Deps, told: Told, { message, token }: SlackClick): Promise<void> {
  if ('refusal' in told) {
    // What may succeed later keeps its buttons.
    const { refusal } = told
    const now =
      refusal instanceof OutcomeUnknown
        ? await readAction(deps.db, told.row.account_id, told.row.id)
        : undefined
    if (now && !isOpen(now)) return showOutcome(deps, now, message, stateOf(now))
    const mayRepeat = refusal.code === 'conflict' || refusal instanceof OutcomeUnknown
    const buttons = mayRepeat ? slackButtons(token) : undefined
    return showOutcome(deps, told.row, message, told.refusal.message, buttons)
  }
  const { row } = told
  const waitMs = Math.min(limits.decideWaitMs, deps.config.CONFIRM_WAIT_MS)
  const end = isRunning(row) ? await waitForExecution({ deps }, row, waitMs) : row
  return showOutcome(deps, end, message, outcomeSentence(end))
}
