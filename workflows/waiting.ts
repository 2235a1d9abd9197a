import {
  condition,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { Ruling } from '../activities/decision.ts'
import type { Activities } from '../activities/index.ts'
import { workflowLimits as limits } from '../src/temporal/workflow-limits.ts'
import { type ProposalInput, signalName } from '../src/temporal/names.ts'
import { type Asking, askingFor } from './asking.ts'
import type { ToExecute } from './executing.ts'
import { inLedger, localFirst } from './ledger-calls.ts'

/**
 * Waits until the ledger says that a proposal is closed or is to be executed. Meanwhile the member is asked, when a signal
 * says so, and reminded.
 * @param isDecided  as far as is known: the ledger is read at once
 */
export async function waitForRuling(
  input: ProposalInput,
  isDecided: boolean,
): Promise<Extract<Ruling, { state: 'closed' }> | ToExecute> {
  const signals = listen(isDecided)
  const asking = askingFor(input)
  for (;;) {
    const event = await nextEvent(input, signals, asking)
    if (event === 'ask') asking.send()
    if (event === 'ask' || event === 'asked') continue
    // A signal only wakes: what happens next is what the ledger says.
    const ruling = event === 'decision' ? await decide(input) : await expire(input)
    if (ruling.state === 'closed' || ruling.state === 'execute') return ruling
  }
}

/** Which signals came since they were last acted on. */
interface Signals {
  isDecided: boolean
  isToAsk: boolean
}

function listen(isDecided: boolean): Signals {
  const signals = { isDecided, isToAsk: false }
  setHandler(defineSignal(signalName.ask), () => void (signals.isToAsk = true))
  setHandler(defineSignal(signalName.confirm), () => void (signals.isDecided = true))
  setHandler(defineSignal(signalName.cancel), () => void (signals.isDecided = true))
  // It belongs to a step whose workflow was lost and is started again with it.
  setHandler(defineSignal(signalName.wake), () => void (signals.isDecided = true))
  return signals
}

/** `ask`: a request or a reminder is due. `asked`: it was sent or given up, so the time of the next reminder is known. */
type Event = 'decision' | 'expiry' | 'ask' | 'asked'

async function nextEvent(input: ProposalInput, signals: Signals, asking: Asking): Promise<Event> {
  const expiresAt = Date.parse(input.expiresAt)
  const { remindAt } = asking
  const isAskDue = () => signals.isToAsk && !asking.isUnderWay
  asking.isNews = false
  // Clocks differ. When the ledger says that it is too early, wait a moment instead of asking in a loop.
  const isReminderFirst = remindAt < expiresAt
  const wakeAt = isReminderFirst ? remindAt : expiresAt + endLaterMs(input)
  const waitMs = Math.max(wakeAt - Date.now(), limits.waitMsMin)
  const summary = isReminderFirst
    ? `Wait for a decision; reminder at ${timeText(remindAt)}`
    : `Wait for a decision until ${timeText(expiresAt)}`
  const isWoken = () => signals.isDecided || isAskDue() || asking.isNews
  const isInTime = await condition(isWoken, waitMs, { summary })
  if (signals.isDecided) {
    signals.isDecided = false
    return 'decision'
  }
  if (!isInTime && !isReminderFirst) return 'expiry'
  if (isInTime && !isAskDue()) return 'asked'
  signals.isToAsk = false
  return 'ask'
}

/**
 * How long after the expiry the workflow looks. A worker closes the row at its moment, so nobody waits for this end: workflows
 * whose proposals expire together end one after the other, and leave Temporal room for confirms. Sooner where the proposal was
 * open for minutes only.
 */
function endLaterMs({ uuid, expiresAt }: ProposalInput): number {
  const openMs = Math.max(Date.parse(expiresAt) - workflowInfo().startTime.getTime(), 0)
  // The end of a uuid is random.
  const share = Number.parseInt(uuid.slice(-8), 16) / 2 ** 32
  return Math.floor(share * Math.min(limits.endsSpreadOpenTimes * openMs, limits.endsSpreadMs))
}

const timeText = (ms: number): string => new Date(ms).toISOString()

// A small action is executed inside the workflow task, in one try. What a provider delays, or what was interrupted, continues
// in an ordinary activity, which finds out what was already done.
const quick = proxyLocalActivities<Pick<Activities, 'decide'>>({
  scheduleToCloseTimeout: limits.decideLocalMs,
  summary: 'Read the decision; execute it if it is small',
  retry: { maximumAttempts: 1 },
})
const patient = proxyActivities<Pick<Activities, 'decide'>>({
  startToCloseTimeout: limits.stepMs,
  heartbeatTimeout: limits.heartbeatMissingMs,
  summary: 'Read the decision; plan or continue its execution',
  retry: { initialInterval: limits.ledgerAgainMs, maximumInterval: limits.ledgerAgainMsMax },
})

const decide = (input: ProposalInput): Promise<Ruling> =>
  localFirst(
    () => quick.decide(input),
    () => patient.decide(input),
  )

/** Claims the expiry. If a decision came first, follows that one. */
async function expire(input: ProposalInput): Promise<Ruling> {
  const ruling = await inLedger('expire', input)
  return ruling.state === 'confirmed' ? decide(input) : ruling
}
