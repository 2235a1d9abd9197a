import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  makeTelemetryFilterString,
} from '@temporalio/worker'
import { createActivities } from '../../activities/index.ts'
import { hostActivities } from '../../activities/previews.ts'
import type { Deps } from '../deps.ts'
import { limits } from '../limits.ts'
import { startMemberNotices } from '../operations/notices/send-notices.ts'
import { startMessageUpdates } from '../operations/consent/update-messages.ts'
import { startClosingExpired } from '../operations/decisions/close-expired.ts'
import { startEvents } from '../operations/events/send-events.ts'
import { startMandateEnds } from '../operations/mandates/mandate-ends.ts'
import { startIdentityNotices } from '../operations/members/identity-notices.ts'
import { startSealing } from '../operations/seals/seal-loop.ts'
import { startRefreshing } from '../operations/upstreams/refresh-loop.ts'
import { type PreviewHost, startPreviewHost } from '../previews/host.ts'
import { type PreviewDrivers, previewDrivers } from '../previews/drivers.ts'
import { projectRoot } from '../process/root.ts'
import { temporalOptions } from '../temporal/connection.ts'
import { previewQueue, taskQueue } from '../temporal/names.ts'
import { startRelay } from '../temporal/relay.ts'

/** How long a workflow task waits for the worker that has the workflow cached, before any other may take it. */
const stickyQueueMs = 1_000
/** Steps that wait for calls. */
const executorActivitiesMax = 100

/** Parallel calls to a payment provider in a process. */
const billingActivitiesMax = 64

/** Parallel activities of a host, besides one per preview that watches it. */
const previewActivitiesMax = 20

export interface RunningWorkers {
  /** Rejects if a worker fails. */
  failed: Promise<never>
  /** The address of this process's previews; undefined if it serves none. */
  previewUrl: string | undefined
  /** Finishes running work within the grace period, then stops. */
  stop(): Promise<void>
}

export interface WorkerOptions {
  /** The path of a pre-built workflow bundle. */
  bundlePath?: string
  /** The preview drivers; those of the configuration by default. */
  previewDrivers?: PreviewDrivers
}

/**
 * Starts the workers of this process: workflows and ledger activities on one queue, deliveries on one queue per channel,
 * billing and executors on their own queues, previews on the queue of this host, the outbox relay, the closing of expired
 * proposals, the sender of identity notices, the updates of messages in Slack, the sealer of the ledgers, the readers of MCP servers'
 * tools, and the sender of events.
 * @throws Error if Temporal cannot be reached, or the preview port is in use
 */
export async function startWorkers(deps: Deps, options: WorkerOptions = {}): Promise<RunningWorkers> {
  await installRuntime(deps)
  const { connectionOptions, namespace } = temporalOptions(deps.config)
  const connection = await NativeConnection.connect(connectionOptions)
  let host: PreviewHost | undefined
  try {
    await deps.workflows.prepare()
    // Without the preview tools nothing can start a preview.
    const ways = options.previewDrivers ?? previewDrivers(deps.config)
    host = deps.config.TOOLS.includes('preview') ? await startPreviewHost(deps, ways) : undefined
    const activities = createActivities(deps)
    const { tracing } = deps.telemetry
    const plugins = tracing ? [tracing.plugin] : []
    const shared = { connection, namespace, activities, plugins, shutdownGraceTime: limits.shutdownGraceMs }
    const workers = [
      await Worker.create({
        ...shared,
        taskQueue: taskQueue.gate,
        ...workflowsFrom(options.bundlePath, tracing !== undefined),
        maxConcurrentWorkflowTaskExecutions: limits.workflowTasksMax,
        maxCachedWorkflows: limits.workflowsCachedMax,
        stickyQueueScheduleToStartTimeout: stickyQueueMs,
        maxConcurrentActivityTaskExecutions: limits.ledgerActivitiesMax,
      }),
      ...(await Promise.all(
        [taskQueue.slack, taskQueue.email].map((queue) =>
          Worker.create({
            ...shared,
            taskQueue: queue,
            maxConcurrentActivityTaskExecutions: limits.deliveryActivitiesMax,
          }),
        ),
      )),
      await Worker.create({
        ...shared,
        taskQueue: taskQueue.billing,
        maxConcurrentActivityTaskExecutions: billingActivitiesMax,
      }),
      await Worker.create({
        ...shared,
        taskQueue: taskQueue.executors,
        maxConcurrentActivityTaskExecutions: executorActivitiesMax,
      }),
      ...(host
        ? [
            await Worker.create({
              ...shared,
              activities: hostActivities(host),
              taskQueue: previewQueue(host.hostId),
              maxConcurrentActivityTaskExecutions: deps.config.PREVIEWS_PER_HOST + previewActivitiesMax,
            }),
          ]
        : []),
    ]
    return run(deps, workers, connection, host)
  } catch (error) {
    await stopHost(deps, host)
    await connection.close()
    throw error
  }
}

function run(
  deps: Deps,
  workers: Worker[],
  connection: NativeConnection,
  host: PreviewHost | undefined,
): RunningWorkers {
  const relay = startRelay(deps)
  const closing = startClosingExpired(deps)
  const notices = startIdentityNotices(deps)
  const mandateEnds = startMandateEnds(deps)
  const memberNotices = startMemberNotices(deps)
  const updates = startMessageUpdates(deps)
  const sealing = deps.config.SEAL_LEDGERS ? startSealing(deps) : { stop: async () => undefined }
  const refreshing = startRefreshing(deps)
  const events = startEvents(deps)
  const runs = workers.map((worker) => worker.run())
  const failed = Promise.all(runs).then(() => new Promise<never>(() => {}))
  failed.catch(() => undefined)
  return {
    failed,
    previewUrl: host?.url,
    async stop() {
      const loops = [
        relay,
        closing,
        notices,
        mandateEnds,
        memberNotices,
        updates,
        sealing,
        refreshing,
        events,
      ]
      await Promise.all(loops.map((loop) => loop.stop()))
      // Before the workers, so that activities that watch previews end too.
      await stopHost(deps, host)
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
      await Promise.allSettled(runs)
      await connection.close()
    },
  }
}

/** A failure does not stop the shutdown: other hosts remove what is left. */
async function stopHost({ log }: Deps, host: PreviewHost | undefined): Promise<void> {
  await host?.stop().catch((error: unknown) => log.warn({ err: error }, 'preview host failed to stop'))
}

// Bundling takes seconds: the build contains a bundle, and tests share one.
function workflowsFrom(bundlePath: string | undefined, isTraced: boolean) {
  const built = bundlePath ?? join(projectRoot, `dist/${isTraced ? 'traced-' : ''}workflow-bundle.js`)
  if (existsSync(built)) return { workflowBundle: { codePath: built } }
  return { workflowsPath: join(projectRoot, 'workflows/index.ts') }
}

let isInstalled = false

// Once per process, before other native calls: our own shutdown order, and Temporal's warnings in our log.
async function installRuntime({ log, telemetry: { metrics } }: Deps): Promise<void> {
  if (isInstalled) return
  isInstalled = true
  const bindAddress = await metrics?.addressForTemporal()
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // Intended: the delivery queues have only activities.
      if (message.startsWith('No workflows registered')) return
      log[level === 'ERROR' ? 'error' : 'warn']({ temporal: meta }, message)
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) },
      ...(bindAddress === undefined ? {} : { metrics: { prometheus: { bindAddress, ...metricNames } } }),
    },
  })
}

/** As Prometheus names things: seconds, with the unit, counters with `_total`. */
const metricNames = { useSecondsForDurations: true, countersTotalSuffix: true, unitSuffix: true }
