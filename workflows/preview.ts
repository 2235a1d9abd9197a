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
 * One preview: places it on a host, boots it there, watches it until it ends or is to be stopped, and removes it. The host
 * records what happens there. The workflow records what no host can, such as the loss of the host.
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
      const running = runOnHost(onHost, input, () => (phase = 'running'))
      return Promise.race([running, untilOver()])
    })
  } catch (error) {
    // A workflow that an operator cancels stops its preview.
    ending = isCancellation(error) ? 'stopped' : 'hostLost'
  }
  return CancellationScope.nonCancellable(async () => {
    phase = 'stopping'
    watch.cancel()
    // Also where it ended by itself, and where the host seems lost: the host may have come back.
    await onHost?.clearPreview({ ...input, ending }).catch(() => undefined)
    return finish(ending)
  })

  /** Resolves once the ledger says that its time is over or that it is to stop. A signal only wakes. */
  async function untilOver(): Promise<Ending> {
    let expiresAt = input.expiresAt
    for (let seen = 0; ;) {
      const isWoken = await condition(
        () => wakes > seen,
        Math.max(Date.parse(expiresAt) - Date.now(), limits.waitMsMin),
        { summary: `Show the preview until ${expiresAt}` },
      )
      seen = wakes
      const row = await inLedger('reviewPreview', input)
      if (row.state === 'stopping') return 'stopped'
      if (row.isOver) return 'hostLost'
      if (!isWoken && Date.parse(row.expiresAt) <= Date.now()) return 'timeOver'
      expiresAt = row.expiresAt
    }
  }

  /** Records how it ended, unless the host already did. */
  async function finish(ending: Ending): Promise<{ state: string }> {
    phase = (await inLedger('finishPreview', { ...input, ending })).state
    upsertSearchAttributes([{ key: previewStatus, value: phase }])
    setCurrentDetails(`Ended: **${phase}**`)
    return { state: phase }
  }
}

/** Boots it and watches it. @returns how it ended, unless its host records that */
async function runOnHost(
  onHost: HostActivities,
  input: PreviewInput,
  onRunning: () => void,
): Promise<Ending> {
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
  // It ended by itself and its host recorded why. If the host could not, it is lost.
  return 'hostLost'
}

/**
 * The activities on the host that a preview was placed on. A dead host takes no task in time and sends no heartbeat. A short
 * silence, as while Temporal restarts, is survived: the host finds what it runs.
 */
function activitiesOf(host: string, { bootMs }: PreviewInput): HostActivities {
  const onHost = (
    startToCloseTimeout: number,
    options: Pick<ActivityOptions, 'cancellationType' | 'summary'>,
  ) =>
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
  const { bootPreview } = onHost(bootMs + limits.previewBootSlackMs, {
    cancellationType: 'TRY_CANCEL',
    summary: 'Start the preview',
  })
  const { watchPreview } = onHost(limits.previewWatchMs, {
    cancellationType: 'TRY_CANCEL',
    summary: 'Watch the preview until it ends',
  })
  const { clearPreview } = onHost(limits.previewClearMs, { summary: 'Stop the preview and remove its files' })
  return { bootPreview, watchPreview, clearPreview }
}
