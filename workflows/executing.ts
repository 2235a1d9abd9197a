import {
  CancellationScope,
  condition,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { Ruling } from '../activities/decision.ts'
import type { Activities } from '../activities/index.ts'
import { workflowLimits as limits } from '../src/temporal/workflow-limits.ts'
import { type ProposalInput, type TaskQueue, signalName } from '../src/temporal/names.ts'

/** The steps of a confirmed action, and how many of them run at once on each task queue. */
export type ToExecute = Extract<Ruling, { state: 'execute' }>

export interface Progress {
  /** Recipients or provider calls with a recorded outcome. */
  settled: number
  steps_done: number
  steps_total: number
}

/**
 * Performs every step of a confirmed action. A step that fails for good is not thrown: the result counts it as unknown.
 * @returns whether a step goes on in another run of the workflow, which begins with an empty history
 */
export async function execute(
  input: ProposalInput,
  { steps, windows }: ToExecute,
  progress: Progress,
): Promise<{ isToContinue: boolean }> {
  progress.steps_total = steps.length
  const numbers = new Map(steps.map(({ name }, i) => [name, i + 1]))
  const waits = waitsBetweenCalls()
  const performOn = (queue: TaskQueue) => async (step: { name: string }) => {
    const summary = `Step ${numbers.get(step.name)} of ${steps.length}: ${step.name}`
    while (!waits.isToContinue) {
      const wakesBefore = waits.wakes
      const { settled, again } = await stepsOn(queue, summary).performStep(input, step.name)
      progress.settled += settled
      if (!again) {
        progress.steps_done++
        return
      }
      await waits.wait(again.inMs, wakesBefore, `${summary}, goes on later`)
    }
  }
  await Promise.all(
    windows.map(({ queue, width }) => {
      const ofQueue = steps.filter((step) => step.queue === queue)
      return eachInWindow(ofQueue, width, performOn(queue))
    }),
  )
  return { isToContinue: waits.isToContinue && !CancellationScope.current().consideredCancelled }
}

/** The waits of steps that go on later. A signal calls every waiting step: each then reads in the ledger whether it is due. */
function waitsBetweenCalls() {
  const waits = {
    wakes: 0,
    isToContinue: false,
    /** Waits for that time, for a signal that came after so many, or for the end of this run. */
    async wait(inMs: number, wakesBefore: number, summary: string): Promise<void> {
      if (workflowInfo().continueAsNewSuggested) waits.isToContinue = true
      const ms = Math.min(Math.max(inMs, limits.stepLaterMsMin), limits.stepLaterMsMax)
      await condition(() => waits.wakes > wakesBefore || waits.isToContinue, ms, { summary })
    },
  }
  setHandler(defineSignal(signalName.wake), () => void waits.wakes++)
  return waits
}

// A step may be slow: what bounds it is its heartbeat.
const stepsOn = (taskQueue: TaskQueue, summary: string) =>
  proxyActivities<Pick<Activities, 'performStep'>>({
    taskQueue,
    summary,
    startToCloseTimeout: limits.stepMs,
    scheduleToCloseTimeout: limits.stepScheduledMs,
    heartbeatTimeout: limits.heartbeatMissingMs,
    retry: { initialInterval: limits.stepAgainMs, maximumInterval: limits.stepAgainMsMax },
  })

async function eachInWindow<T>(items: T[], width: number, run: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift())
      await run(item).catch(() => undefined)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane))
}
