import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { type FoundRequest, findChatRequest, findConsentRequest } from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import { GateError, OutcomeUnknown } from '../../errors.ts'
import { consentTokenHash, consentWorkspaceHash, isTokenForm } from '../../keys/link-token.ts'
import type { ChatChannel } from '../../gate/consent.ts'
import type { ChatMessage } from '../../providers/ports.ts'
import { finishesWithin } from '../../waiting/finishes-within.ts'
import { isOpen } from '../actions/action-view.ts'
import { waitToShow } from '../actions/wait-for-execution.ts'
import { answerPress } from './answer-press.ts'
import { decideAsMember } from './decide-as-member.ts'
import { type RefusalReason, recordRefusal } from '../clearance/refusal.ts'
import { chatOf } from '../consent/channel-by.ts'
import { isOutdated, outcomeLine, outdated, showOutcome } from '../consent/chat-outcome.ts'

/**
 * A press of a button in a chat, as the chat reports it. That the chat reports it is verified; each part may be missing. A chat is a
 * folder of `providers`, whose channel has a dialogue; its cards; and a route that makes this of what it is sent.
 */
export interface ChatPress {
  via: ChatChannel
  /** Whether every reader of what the chat sent has the same value. */
  isExact: boolean
  /** It was pressed where others can read, and see who presses. */
  isAmongOthers: boolean
  /** The workspaces that the chat names: where it was pressed or, where Slack does not say, the user's own. */
  workspaces: string[]
  /** The organization of an app that is installed for all of it. */
  organization: string | undefined
  userId: string | undefined
  /** What the pressed buttons of ours ask for, each once. */
  clicks: ChatClick[]
  /** A button of ours was pressed that declines, whatever else is missing. */
  isDecline: boolean
  /** The message that has the button. */
  message: ChatMessage | undefined
  /** Says a sentence to who pressed, where they pressed. Answers whether the chat took it. */
  answer(sentence: string): Promise<boolean>
}

export interface ChatClick {
  does: 'confirm' | 'decline'
  /** The token that the button carries. */
  token: string
}

/** The result of a press: decided; refused, with a sentence to the person; later: the decision is still being made. */
export type Pressed = 'decided' | 'refused' | 'later'

/**
 * Decides by a press, but answers within a time, because a chat does not wait, and continues in the background. An error before
 * the answer is shown by the chat; an error after it is shown in the message.
 */
export async function decidePressWithin(deps: Deps, press: ChatPress, ms: number): Promise<Pressed> {
  const deciding = decideInChat(deps, press)
  if (await finishesWithin(ms, deciding)) return deciding
  deps.background.start('due', 'a press in a chat', async () => {
    await deciding.catch(async (error: unknown) => {
      await sayUndecided(deps, press).catch((unsaid: unknown) =>
        deps.log.warn({ err: unsaid, via: press.via }, 'a message in a chat could not be updated'),
      )
      throw error
    })
  })
  return 'later'
}

/**
 * Decides by a press in the member's own chat. Resolves once it is decided or refused. In the background the message then
 * shows the outcome instead of its buttons. A press that decides nothing is an entry of the ledger, if it answers a request,
 * and a sentence to who pressed.
 */
async function decideInChat(deps: Deps, press: ChatPress): Promise<Pressed> {
  const known = await requestsOf(deps, press)
  const [answered] = known
  if (!answered) return refuseUnknown(deps, press)
  const refusal = await pressRefusal(deps, press, answered)
  if (refusal === undefined) return decide(deps, press, answered)
  for (const one of known) await recordPressRefusal(deps, press, one, refusal)
  answerLater(deps, press, refusalSentence[refusal](press.via), answered.row)
  return 'refused'
}

/** No known button was pressed: the message tells which action it is about, if it is one of ours. */
async function refuseUnknown(deps: Deps, press: ChatPress): Promise<Pressed> {
  const sentence = press.clicks.length === 0 ? noButton : noRequest
  const { userId: user, message } = press
  const found = user && message && (await findChatRequest(deps.db, { user, id: message.id }))
  const row = found && (await readAction(deps.db, found.account_id, found.action_id))
  if (row)
    await recordRefusal(deps, row, {
      decision: press.isDecline ? 'cancel' : 'confirm',
      reason: 'no_button',
      actor: 'unknown',
      source: press.via,
    })
  answerLater(deps, press, sentence, row || undefined)
  return 'refused'
}

/**
 * Says in the message that a click failed after it was acknowledged, and keeps the buttons. Where the action was decided all
 * the same, says its outcome.
 */
async function sayUndecided(deps: Deps, press: ChatPress): Promise<void> {
  const [answered] = await requestsOf(deps, press)
  if (!answered || (await pressRefusal(deps, press, answered)) !== undefined)
    return answerPress(deps, press, undecided, answered?.row)
  const { row } = answered
  if (!isOpen(row)) return showLine(deps, row, press)
  await keepButtons(deps, answered, press, undecided)
}

const pressAgain = 'Press a button again: your decision counts once, and this message shows the outcome.'

const undecided = 'This took too long. Nothing was decided. Press a button again: your decision counts once.'

const noButton = 'Nothing was decided: the gate has no such button.'
const noRequest =
  'Nothing was decided: this button belongs to no consent request of the gate. Ask the agent to propose the action again.'

type PressRefusal = Extract<
  RefusalReason,
  'not_exact' | 'several_buttons' | 'other_workspace' | 'not_personal' | 'not_proposer'
>

const refusalSentence: Record<PressRefusal, (via: ChatChannel) => string> = {
  not_exact: (via) =>
    `Nothing was decided: what ${chatName[via]} sent can be read in two ways. Press the button again, or decide in the console.`,
  several_buttons: (via) =>
    `Nothing was decided: ${chatName[via]} reported several buttons in one press. Press one button.`,
  other_workspace: (via) =>
    `Nothing was decided: ${otherWorkspace[via]} Press the button there, or decide in the console.`,
  not_personal: () =>
    'Nothing was decided: the button was pressed where others can read. Press it in your own conversation with the app, or decide in the console.',
  not_proposer: () => 'Nothing was decided: only the member this was proposed for can decide about it.',
}

const chatName: Record<ChatChannel, string> = { slack: 'Slack', teams: 'Teams' }
const otherWorkspace: Record<ChatChannel, string> = {
  slack: 'this request was sent in another Slack workspace.',
  teams: 'this request was sent in another organization in Teams, or by another bot.',
}

/** The consent request that a click answers. */
interface AnsweredRequest {
  row: ActionRow
  request: FoundRequest
  click: ChatClick
  /** The hash of the token. */
  hash: Buffer
}

/** The known requests whose buttons were pressed. */
async function requestsOf(deps: Deps, { via, clicks }: ChatPress): Promise<AnsweredRequest[]> {
  const found = await Promise.all(clicks.map((click) => requestOf(deps, via, click)))
  return found.filter((one) => one !== undefined)
}

async function requestOf(
  deps: Deps,
  via: ChatChannel,
  click: ChatClick,
): Promise<AnsweredRequest | undefined> {
  const hash = consentTokenHash(via, click.token)
  const request = isTokenForm(click.token) ? await findConsentRequest(deps.db, hash) : undefined
  const row = request && (await readAction(deps.db, request.account_id, request.action_id))
  return row && { row, request, click, hash }
}

/** Why a press cannot decide, whatever the state of its action. */
async function pressRefusal(
  deps: Deps,
  press: ChatPress,
  answered: AnsweredRequest,
): Promise<PressRefusal | undefined> {
  if (!press.isExact) return 'not_exact'
  if (press.clicks.length > 1) return 'several_buttons'
  if (press.isAmongOthers) return 'not_personal'
  if (!(await isOfWorkspace(deps, press, answered))) return 'other_workspace'
  return answered.request.address === press.userId ? undefined : 'not_proposer'
}

/** In an organization each person has one id in all workspaces, so it counts as one workspace. */
async function isOfWorkspace(
  deps: Deps,
  { via, workspaces, organization }: ChatPress,
  { row, request, click }: AnsweredRequest,
): Promise<boolean> {
  const { workspace } = request
  if (workspaces.some((team) => workspace?.equals(consentWorkspaceHash(click.token, team)))) return true
  if (organization === undefined) return false
  const chat = await chatOf(deps, via, row)
  return (await chat?.dialogue.organization()) === organization
}

/** Reported by the chat, but no decision of the member. */
async function recordPressRefusal(
  deps: Deps,
  { via }: ChatPress,
  { row, click }: AnsweredRequest,
  reason: PressRefusal,
): Promise<void> {
  const decision = click.does === 'confirm' ? 'confirm' : 'cancel'
  await recordRefusal(deps, row, { decision, reason, actor: 'unknown', source: via })
}

const answerLater = (deps: Deps, press: ChatPress, sentence: string, row?: ActionRow) =>
  deps.background.start('shared', 'answer a press in a chat', () => answerPress(deps, press, sentence, row))

async function decide(deps: Deps, press: ChatPress, answered: AnsweredRequest): Promise<Pressed> {
  const decided = await decideByClick(deps, press, answered)
  deps.background.start('shared', 'show the outcome of a press in a chat', () =>
    showDecided(deps, { ...answered, ...decided }, press),
  )
  return 'decided'
}

interface Decided {
  row: ActionRow
  refusal?: GateError
}

async function decideByClick(
  deps: Deps,
  { via }: ChatPress,
  { row, request, click, hash }: AnsweredRequest,
): Promise<Decided> {
  try {
    const decided = await decideAsMember(deps, {
      account: row.account_id,
      id: row.id,
      memberId: request.member_id ?? row.member_id!,
      does: click.does,
      strength: 'chat',
      channel: via,
      shown: request.card!,
      credential: { token: hash },
      request: { via, address: request.address },
    })
    return { row: decided }
  } catch (error) {
    // Without an acknowledgement the chat would tell the member that the click failed, but it may have counted.
    if (error instanceof OutcomeUnknown)
      return { row, refusal: new OutcomeUnknown('your decision', pressAgain) }
    if (!(error instanceof GateError) || error.code === 'unavailable') throw error
    return { row, refusal: error }
  }
}

async function showDecided(deps: Deps, answered: Decided & AnsweredRequest, press: ChatPress): Promise<void> {
  const { row, refusal } = answered
  if (!refusal) return showLine(deps, await waitToShow(deps, row), press)
  const now = await readAction(deps.db, row.account_id, row.id)
  if (now && !isOpen(now)) return showLine(deps, now, press)
  // The same click may succeed later.
  if (refusal instanceof OutcomeUnknown || refusal.code === 'conflict')
    return keepButtons(deps, { ...answered, row: now ?? row }, press, refusal.message)
  await showLine(deps, row, press, { line: refusal.message })
}

/** Shows a line below the card, and keeps its buttons, unless the action was changed since: they would decide nothing. */
async function keepButtons(
  deps: Deps,
  { row, request, click }: Pick<AnsweredRequest, 'row' | 'request' | 'click'>,
  press: ChatPress,
  line: string,
): Promise<void> {
  const isOver = await isOutdated(deps, row, request.card)
  await showLine(deps, row, press, isOver ? outdated : { line, token: click.token })
}

/**
 * Shows a line in the message that has the button; where that cannot be, says it to who pressed.
 * @param shown.line  absent: the outcome of the action
 */
async function showLine(
  deps: Deps,
  row: ActionRow,
  press: ChatPress,
  shown: Parameters<typeof showOutcome>[3] = {},
): Promise<void> {
  const { via, message } = press
  const isShown = message && (await showInMessage(deps, row, { ...message, via }, shown))
  if (!isShown) await answerPress(deps, press, shown.line ?? (await outcomeLine(deps, row)), row)
}

const showInMessage = (deps: Deps, row: ActionRow, ...shown: DropTwo<Parameters<typeof showOutcome>>) =>
  showOutcome(deps, row, ...shown).catch((error: unknown) => {
    const about = { err: error, account: row.account_id, action: row.id }
    deps.log.warn(about, 'the message in a chat could not be updated')
    return false
  })

type DropTwo<List extends unknown[]> = List extends [unknown, unknown, ...infer Rest] ? Rest : never
