import { slackButtons } from '../../consent/slack-card.ts'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { type FoundRequest, findConsentRequest, findSlackRequest } from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import { GateError, OutcomeUnknown } from '../../errors.ts'
import { consentTokenHash, consentWorkspaceHash, isTokenForm } from '../../keys/link-token.ts'
import { isOpen } from '../actions/action-view.ts'
import { waitToShow } from '../actions/wait-for-execution.ts'
import { answerPress } from './answer-press.ts'
import { decideAsMember } from './decide-as-member.ts'
import { type RefusalReason, recordRefusal } from '../clearance/refusal.ts'
import { outcomeLine, showOutcome, slackOf } from '../consent/slack-outcome.ts'

/** A press in Slack, as Slack reports it. Its signature is verified; each part may be missing. */
export interface SlackPress {
  /** Whether every reader of what Slack sent has the same value. */
  isExact: boolean
  /** The workspaces that Slack names: where it was pressed or, where Slack does not say, the user's own. */
  teams: string[]
  /** The organization of an app that is installed for all of it. */
  organization: string | undefined
  userId: string | undefined
  /** What the pressed buttons of ours ask for, each once. */
  clicks: SlackClick[]
  /** A button of ours was pressed that declines, whatever else is missing. */
  isDecline: boolean
  /** The message that has the button. */
  message: { channel: string; ts: string } | undefined
  /** Where Slack takes an answer to who pressed. */
  responseUrl: string | undefined
}

export interface SlackClick {
  does: 'confirm' | 'decline'
  /** The token that the button carries. */
  token: string
}

/**
 * Decides by a press in the member's own Slack. Resolves once it is decided or refused. In the background the message then
 * shows the outcome instead of its buttons. A press that decides nothing is an entry of the ledger, if it answers a request,
 * and a sentence to who pressed.
 */
export async function decideInSlack(deps: Deps, press: SlackPress): Promise<void> {
  const known = await requestsOf(deps, press)
  const [answered] = known
  if (!answered) return refuseUnknown(deps, press)
  const refusal = await pressRefusal(deps, press, answered)
  if (refusal === undefined) return decide(deps, press, answered)
  for (const one of known) await recordPressRefusal(deps, one, refusal)
  answerLater(deps, press, refusalSentence[refusal], answered.row)
}

/** No known button was pressed: the message tells which action it is about, if it is one of ours. */
async function refuseUnknown(deps: Deps, press: SlackPress): Promise<void> {
  const sentence = press.clicks.length === 0 ? noButton : noRequest
  const { userId: user, message } = press
  const found = user && message && (await findSlackRequest(deps.db, { user, ts: message.ts }))
  const row = found && (await readAction(deps.db, found.account_id, found.action_id))
  if (row)
    await recordRefusal(deps, row, {
      decision: press.isDecline ? 'cancel' : 'confirm',
      reason: 'no_button',
      actor: 'unknown',
      source: 'slack',
    })
  answerLater(deps, press, sentence, row || undefined)
}

/**
 * Says in the message that a click failed after it was acknowledged, and keeps the buttons. Where the action was decided all
 * the same, says its outcome.
 */
export async function sayUndecided(deps: Deps, press: SlackPress): Promise<void> {
  const [answered] = await requestsOf(deps, press)
  if (!answered || (await pressRefusal(deps, press, answered)) !== undefined)
    return answerPress(deps, press, undecided, answered?.row)
  const { row, click } = answered
  if (!isOpen(row)) return showLine(deps, row, press)
  await showLine(deps, row, press, { line: undecided, buttons: slackButtons(click.token) })
}

const pressAgain = 'Press a button again: your decision counts once, and this message shows the outcome.'

const undecided = 'This took too long. Nothing was decided. Press a button again: your decision counts once.'

const noButton = 'Nothing was decided: the gate has no such button.'
const noRequest =
  'Nothing was decided: this button belongs to no consent request of the gate. Ask the agent to propose the action again.'

type PressRefusal = Extract<
  RefusalReason,
  'not_exact' | 'several_buttons' | 'other_workspace' | 'not_proposer'
>

const refusalSentence: Record<PressRefusal, string> = {
  not_exact:
    'Nothing was decided: what Slack sent can be read in two ways. Press the button again, or decide in the console.',
  several_buttons: 'Nothing was decided: Slack reported several buttons in one press. Press one button.',
  other_workspace:
    'Nothing was decided: this request was sent in another Slack workspace. Press the button there, or decide in the console.',
  not_proposer: 'Nothing was decided: only the member this was proposed for can decide about it.',
}

/** The consent request that a click answers. */
interface AnsweredRequest {
  row: ActionRow
  request: FoundRequest
  click: SlackClick
  /** The hash of the token. */
  hash: Buffer
}

/** The known requests whose buttons were pressed. */
async function requestsOf(deps: Deps, { clicks }: SlackPress): Promise<AnsweredRequest[]> {
  const found = await Promise.all(clicks.map((click) => requestOf(deps, click)))
  return found.filter((one) => one !== undefined)
}

async function requestOf(deps: Deps, click: SlackClick): Promise<AnsweredRequest | undefined> {
  const hash = consentTokenHash('slack', click.token)
  const request = isTokenForm(click.token) ? await findConsentRequest(deps.db, hash) : undefined
  const row = request && (await readAction(deps.db, request.account_id, request.action_id))
  return row && { row, request, click, hash }
}

/** Why a press cannot decide, whatever the state of its action. */
async function pressRefusal(
  deps: Deps,
  press: SlackPress,
  answered: AnsweredRequest,
): Promise<PressRefusal | undefined> {
  if (!press.isExact) return 'not_exact'
  if (press.clicks.length > 1) return 'several_buttons'
  if (!(await isOfWorkspace(deps, press, answered))) return 'other_workspace'
  return answered.request.address === press.userId ? undefined : 'not_proposer'
}

/** In an organization each person has one id in all workspaces, so it counts as one workspace. */
async function isOfWorkspace(
  deps: Deps,
  { teams, organization }: SlackPress,
  { row, request, click }: AnsweredRequest,
): Promise<boolean> {
  const { workspace } = request
  if (teams.some((team) => workspace?.equals(consentWorkspaceHash(click.token, team)))) return true
  if (organization === undefined) return false
  const slack = await slackOf(deps, row)
  return (await slack?.dialogue.organization()) === organization
}

/** Signed by Slack, but no decision of the member. */
async function recordPressRefusal(
  deps: Deps,
  { row, click }: AnsweredRequest,
  reason: PressRefusal,
): Promise<void> {
  const decision = click.does === 'confirm' ? 'confirm' : 'cancel'
  await recordRefusal(deps, row, { decision, reason, actor: 'unknown', source: 'slack' })
}

const answerLater = (deps: Deps, press: SlackPress, sentence: string, row?: ActionRow) =>
  deps.background.start('shared', 'answer a press in Slack', () => answerPress(deps, press, sentence, row))

async function decide(deps: Deps, press: SlackPress, answered: AnsweredRequest): Promise<void> {
  const decided = await decideByClick(deps, answered)
  deps.background.start('shared', 'show the outcome of a click in Slack', () =>
    showDecided(deps, { ...decided, click: answered.click }, press),
  )
}

interface Decided {
  row: ActionRow
  refusal?: GateError
}

async function decideByClick(deps: Deps, { row, request, click, hash }: AnsweredRequest): Promise<Decided> {
  try {
    const decided = await decideAsMember(deps, {
      account: row.account_id,
      id: row.id,
      memberId: request.member_id ?? row.member_id!,
      does: click.does,
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

async function showDecided(
  deps: Deps,
  { row, refusal, click }: Decided & Pick<AnsweredRequest, 'click'>,
  press: SlackPress,
): Promise<void> {
  if (!refusal) return showLine(deps, await waitToShow(deps, row), press)
  const now = await readAction(deps.db, row.account_id, row.id)
  if (now && !isOpen(now)) return showLine(deps, now, press)
  // The buttons stay where the same click may succeed later.
  const mayCount = refusal instanceof OutcomeUnknown || refusal.code === 'conflict'
  const buttons = mayCount ? slackButtons(click.token) : undefined
  await showLine(deps, row, press, { line: refusal.message, buttons })
}

/**
 * Shows a line in the message that has the button; where that cannot be, says it to who pressed.
 * @param shown.line  absent: the outcome of the action
 */
async function showLine(
  deps: Deps,
  row: ActionRow,
  press: SlackPress,
  shown: Parameters<typeof showOutcome>[3] = {},
): Promise<void> {
  const isShown = press.message && (await showInMessage(deps, row, press.message, shown))
  if (!isShown) await answerPress(deps, press, shown.line ?? (await outcomeLine(deps, row)), row)
}

const showInMessage = (deps: Deps, row: ActionRow, ...shown: DropTwo<Parameters<typeof showOutcome>>) =>
  showOutcome(deps, row, ...shown).catch((error: unknown) => {
    const about = { err: error, account: row.account_id, action: row.id }
    deps.log.warn(about, 'the message in Slack could not be updated')
    return false
  })

type DropTwo<List extends unknown[]> = List extends [unknown, unknown, ...infer Rest] ? Rest : never
