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

/** A click on a button of ours, as Slack tells of it, its signature verified. */
export interface SlackClick {
  teamId: string
  userId: string
  does: 'confirm' | 'decline'
  /** What the button carried. */
  token: string
  /** The message that it stood in. */
  message: SlackMessage
}

/**
 * Decides by a click in the member's own Slack. Resolves once it is decided or refused; then, behind that, the buttons go away
 * and the message says what became of it. A click that nobody was asked for changes nothing.
 */
export async function decideInSlack(deps: Deps, click: SlackClick): Promise<void> {
  const asked = await askedBy(deps, click)
  if (!asked) return void deps.log.warn('a click in Slack on a button that nobody was asked by')
  const { row } = asked
  if (!isOfMember(click, asked)) {
    // Signed by Slack, and by somebody else: no word to them.
    await recordRefusal(deps, row, {
      decision: click.does === 'confirm' ? 'confirm' : 'cancel',
      reason: 'not_proposer',
      actor: 'unknown',
      source: 'slack',
    })
    return
  }
  const told = await decided(deps, asked, click.does)
  deps.background.start('what became of a click in Slack', () =>
    sayInSlack(deps, told, click).catch((error: unknown) =>
      deps.log.warn(
        { err: error, account: row.account_id, action: row.id },
        'the message in Slack stays as it was',
      ),
    ),
  )
}

/**
 * Says in the message of a click that failed after it was acknowledged that it came to nothing, and leaves the buttons there. What
 * came of the row all the same, or meanwhile, is said instead.
 */
export async function sayUndecided(deps: Deps, click: SlackClick): Promise<void> {
  const asked = await askedBy(deps, click)
  if (!asked || !isOfMember(click, asked)) return
  const { row } = asked
  if (!isOpen(row)) return showOutcome(deps, row, click.message, stateOf(row))
  return showOutcome(deps, row, click.message, undecided, slackButtons(click.token))
}

const pressAgain = 'Press a button again: it counts once, and you are told what stands.'

const undecided =
  'This took too long, and nothing was decided. Press a button again: it counts once, however often you press.'

/** What a click is an answer to. */
interface Asked {
  row: ActionRow
  request: FoundRequest
  /** Of the token. */
  hash: Buffer
}

/** Undefined where nobody was asked by that button. */
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
    // Slack tells the member that a click that is not acknowledged came to nothing: that may not be so.
    if (error instanceof OutcomeUnknown)
      return { row, refusal: new OutcomeUnknown('your decision', pressAgain) }
    if (!(error instanceof GateError) || error.code === 'unavailable') throw error
    return { row, refusal: error }
  }
}

async function sayInSlack(deps: Deps, told: Told, { message, token }: SlackClick): Promise<void> {
  if ('refusal' in told) {
    // What may pass can be tried again: the buttons stay.
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
