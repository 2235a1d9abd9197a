import {
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common'
import type { Activities } from '../activities/index.ts'
import {
  type ProposalInput,
  type TaskQueue,
  queryName,
  searchAttribute,
  signalName,
} from '../src/temporal/names.ts'

const ask = defineSignal(signalName.ask)
const confirm = defineSignal(signalName.confirm)
const cancel = defineSignal(signalName.cancel)
const state = defineQuery<string>(queryName.state)
const progress = defineQuery<{ settled: number; steps_done: number; steps_total: number }>(queryName.progress)
const actionStatus = defineSearchAttributeKey(searchAttribute.status, SearchAttributeType.KEYWORD)

// The ledger's own statements, inside the workflow task: no round trip to the server. Few and short tries, since a long
// local retry fills the history with heartbeats; then the same function as an ordinary activity, for as long as it takes.
const local = proxyLocalActivities<Activities>({
  scheduleToCloseTimeout: '4 seconds',
  retry: { maximumAttempts: 2, initialInterval: '50 milliseconds' },
})
const ledgerWrites = proxyActivities<Activities>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
})

// The whole of a small action, inside the workflow task too. It is not tried again there: what a provider delays, or what
// was interrupted, goes on in an ordinary activity, which finds what was done.
const quick = proxyLocalActivities<Activities>({
  scheduleToCloseTimeout: '5 minutes',
  retry: { maximumAttempts: 1 },
})
const decisions = proxyActivities<Activities>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
})

// A request to the member: a provider that is down is waited for, by the activity's own count of hours at most.
const requests = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '12 hours',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
})

/** One proposal: waits for a decision or its expiry, executes what the ledger says was confirmed, and ends. */
export async function proposal(input: ProposalInput): Promise<{ status: string }> {
  let wakes = 0
  let asks = 0
  let phase = 'waiting'
  const done = { settled: 0, steps_done: 0, steps_total: 0 }
  setHandler(ask, () => void asks++)
  setHandler(confirm, () => void wakes++)
  setHandler(cancel, () => void wakes++)
  setHandler(state, () => phase)
  setHandler(progress, () => done)

  const asking: Asking = { isUnderWay: false, hasAnswered: false, remindAt: Infinity }
  for (let seen = 0, asked = 0; ;) {
    asking.hasAnswered = false
    const isToAsk = () => asks > asked && !asking.isUnderWay
    const isToRemind = asking.remindAt < Date.parse(input.expiresAt)
    const isHeard = await condition(
      () => wakes > seen || isToAsk() || asking.hasAnswered,
      waitMs(input, asking.remindAt),
    )
    const isWoken = wakes > seen
    if (!isWoken && (isToAsk() || (!isHeard && isToRemind))) {
      asked = asks
      // Not waited for: a decision may come before the request is out.
      void askMember(input, asking)
    }
    if (!isWoken && (isHeard || isToRemind)) continue
    seen = wakes
    // A signal only wakes: what happens next is what the ledger says.
    let ruling = isWoken ? await decide(input) : await ledger('expire', input)
    if (ruling.state === 'confirmed') ruling = await decide(input)
    if (ruling.state === 'waiting' || ruling.state === 'confirmed') continue
    if (ruling.state === 'closed') return end(ruling.status)
    phase = 'executing'
    done.steps_total = ruling.steps.length
    await Promise.all(
      ruling.windows.map(({ queue, width }) =>
        eachInWindow(
          ruling.steps.filter((step) => step.queue === queue),
          width,
          async (step) => {
            const { settled } = await perform(queue)(input, step.name)
            done.settled += settled
            done.steps_done++
          },
        ),
      ),
    )
    phase = 'finishing'
    // Also when an operator cancelled the workflow meanwhile: what was done must be written down.
    return CancellationScope.nonCancellable(async () => end((await ledger('finish', input)).status))
  }
}

// Clocks differ: where the ledger says that it is too early, a second is waited, never nothing.
function waitMs(input: ProposalInput, remindAt: number): number {
  return Math.max(Math.min(Date.parse(input.expiresAt), remindAt) - Date.now(), 1_000)
}

interface Asking {
  isUnderWay: boolean
  /** When to remind is known anew. */
  hasAnswered: boolean
  /** Milliseconds since 1970; infinite where no reminder is to come. */
  remindAt: number
}

const lookAgainMs = 3_600_000

/** Sends what is to be sent to the member, and learns when they are to be reminded. Which and whether, the ledger says. */
async function askMember(input: ProposalInput, asking: Asking): Promise<void> {
  asking.isUnderWay = true
  asking.remindAt = Infinity
  try {
    const { remindAt } = await requests.askMember(input)
    if (remindAt !== null) asking.remindAt = Date.parse(remindAt)
  } catch {
    // Given up, for now: what is still to be sent, or to be reminded of, is not lost with this activity.
    asking.remindAt = Date.now() + Math.min(lookAgainMs, (Date.parse(input.expiresAt) - Date.now()) / 2)
  } finally {
    asking.isUnderWay = false
    asking.hasAnswered = true
  }
}

// A send is slow and bounded by its heartbeat; a step that cannot be done within a day is left to the count of outcomes.
function perform(queue: TaskQueue): Activities['performStep'] {
  return proxyActivities<Activities>({
    taskQueue: queue,
    startToCloseTimeout: '12 hours',
    scheduleToCloseTimeout: '24 hours',
    heartbeatTimeout: '20 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  }).performStep
}

async function decide(input: ProposalInput): ReturnType<Activities['decide']> {
  try {
    return await quick.decide(input)
  } catch {
    return decisions.decide(input)
  }
}

async function ledger<K extends 'expire' | 'finish'>(
  name: K,
  input: ProposalInput,
): Promise<Awaited<ReturnType<Activities[K]>>> {
  type Call = (input: ProposalInput) => Promise<Awaited<ReturnType<Activities[K]>>>
  try {
    return await (local[name] as unknown as Call)(input)
  } catch {
    return (ledgerWrites[name] as unknown as Call)(input)
  }
}

function end(status: string): { status: string } {
  upsertSearchAttributes([{ key: actionStatus, value: status }])
  setCurrentDetails(`Ended: **${status}**`)
  return { status }
}

async function eachInWindow<T>(items: T[], width: number, run: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift())
      await run(item).catch(() => undefined)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane))
}
