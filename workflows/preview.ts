import {
  type ActivityOptions,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common'
import type { HostActivities } from '../activities/previews.ts'
import { workflowLimits as limits } from '../src/temporal/workflow-limits.ts'
import {
  type PreviewInput,
  previewQueue,
  previewSignal,
  queryName,
  searchAttribute,
} from '../src/temporal/names.ts'
import { inLedger } from './ledger-calls.ts'

const stop = defineSignal(previewSignal.stop)
const extend = defineSignal(previewSignal.extend)
const live = defineQuery<string>(queryName.state)
const previewStatus = defineSearchAttributeKey(searchAttribute.status, SearchAttributeType.KEYWORD)

type Ending = 'stopped' | 'timeOver' | 'noHost' | 'hostLost'

/**
 * One preview: finds it a host, lets it boot there, watches over it until it ends or is to end, and leaves nothing of it.
 * The host writes down what happens there; this writes down what no host can.
 */
export async function preview(input: PreviewInput): Promise<{ state: string }> {
  let wakes = 0
  let phase = 'starting'
  setHandler(stop, () => void wakes++)
  setHandler(extend, () => void wakes++)
  setHandler(live, () => phase)

  const watch = new CancellationScope()
  let onHost: HostActivities | undefined
  let ending: Ending
  try {
    ending = await watch.run(async () => {
      const { outcome, host } = await inLedger('placePreview', input)
      if (outcome !== 'placed') return outcome === 'none' ? 'noHost' : 'stopped'
      onHost = activitiesOf(host, input)
      const running = runThere(onHost, input, () => (phase = 'running'))
      return Promise.race([running, untilOver()])
    })
  } catch (error) {
    // An operator cancelled the workflow: that is a stop like others.
    ending = isCancellation(error) ? 'stopped' : 'hostLost'
  }
  return CancellationScope.nonCancellable(async () => {
    phase = 'stopping'
    watch.cancel()
    // Also where it has ended by itself, and where the host seems lost: it may have come back.
    await onHost?.clearPreview({ ...input, ending }).catch(() => undefined)
    return finish(ending)
  })

  /** Ends once the ledger says that its time is over, or that it was asked to stop. A signal only wakes. */
  async function untilOver(): Promise<Ending> {
    let expiresAt = input.expiresAt
    for (let seen = 0; ;) {
      const isWoken = await condition(
        () => wakes > seen,
        Math.max(Date.parse(expiresAt) - Date.now(), limits.waitMsMin),
      )
      seen = wakes
      const said = await inLedger('reviewPreview', input)
      if (said.state === 'stopping') return 'stopped'
      if (said.isOver) return 'hostLost'
      if (!isWoken && Date.parse(said.expiresAt) <= Date.now()) return 'timeOver'
      expiresAt = said.expiresAt
    }
  }

  // Whoever was first has written down how it ended; this is what else would be true.
  async function finish(said: Ending): Promise<{ state: string }> {
    phase = (await inLedger('finishPreview', { ...input, ending: said })).state
    upsertSearchAttributes([{ key: previewStatus, value: phase }])
    setCurrentDetails(`Ended: **${phase}**`)
    return { state: phase }
  }
}

/** Boots it and watches over it. @returns how it ended, as far as its host did not write that down */
async function runThere(onHost: HostActivities, input: PreviewInput, onRunning: () => void): Promise<Ending> {
  try {
    const { state } = await onHost.bootPreview(input)
    if (state === 'stopping') return 'stopped'
    if (state === 'running') {
      onRunning()
      await onHost.watchPreview(input)
    }
  } catch (error) {
    if (isCancellation(error)) throw error
  }
  // It has ended by itself, and its host has written why: or else could not, and this is as much as is known.
  return 'hostLost'
}

/**
 * What is done on the host that a preview was placed on. A dead host takes no task in time and sends no heartbeat. A short
 * silence, as while Temporal restarts, is survived: the host finds what it runs.
 */
function activitiesOf(host: string, { bootMs }: PreviewInput): HostActivities {
  const onHost = (startToCloseTimeout: number, options: Pick<ActivityOptions, 'cancellationType'> = {}) =>
    proxyActivities<HostActivities>({
      taskQueue: previewQueue(host),
      scheduleToStartTimeout: limits.previewReachMs,
      heartbeatTimeout: limits.previewHeartbeatMs,
      startToCloseTimeout,
      retry: {
        initialInterval: limits.previewAgainMs,
        maximumAttempts: limits.previewTriesMax,
      },
      ...options,
    })
  const { bootPreview } = onHost(bootMs + limits.previewBootSlackMs, { cancellationType: 'TRY_CANCEL' })
  const { watchPreview } = onHost(limits.previewWatchMs, { cancellationType: 'TRY_CANCEL' })
  const { clearPreview } = onHost(limits.previewClearMs)
  return { bootPreview, watchPreview, clearPreview }
}
