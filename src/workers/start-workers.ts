import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  makeTelemetryFilterString,
} from '@temporalio/worker'
import type { Logger } from 'pino'
import { createActivities } from '../../activities/index.ts'
import { hostActivities } from '../../activities/previews.ts'
import type { Deps } from '../deps.ts'
import { limits } from '../limits.ts'
import { startIdentityNotices } from '../operations/members/identity-notices.ts'
import { type PreviewHost, startPreviewHost } from '../previews/host.ts'
import { type PreviewDrivers, previewDrivers } from '../previews/drivers.ts'
import { projectRoot } from '../root.ts'
import { temporalOptions } from '../temporal/connection.ts'
import { previewQueue, taskQueue } from '../temporal/names.ts'
import { startRelay } from '../temporal/relay.ts'

export interface RunningWorkers {
  /** Rejects when a worker dies of itself. */
  failed: Promise<never>
  /** Where the previews of this process are reached; undefined where it serves none. */
  previewUrl: string | undefined
  /** Finishes what is under way within the grace, then ends. */
  stop(): Promise<void>
}

export interface WorkerOptions {
  /** A pre-built bundle of the workflows. */
  bundlePath?: string
  /** The ways to run previews; those of the configuration by default. */
  previewWays?: PreviewDrivers
}

/**
 * Starts the workers of this process: workflows and ledger activities on one queue, deliveries on a queue a channel,
 * billing on its own, previews on the one of this host, the outbox's relay, and what tells members of changed identities.
 * @throws Error when Temporal cannot be reached, or the previews' port is taken
 */
export async function startWorkers(deps: Deps, options: WorkerOptions = {}): Promise<RunningWorkers> {
  installRuntime(deps.log)
  const { connectionOptions, namespace } = temporalOptions(deps.config)
  const connection = await NativeConnection.connect(connectionOptions)
  let host: PreviewHost | undefined
  try {
    await deps.workflows.prepare()
    // Where their tools are not served, nobody starts one.
    const ways = options.previewWays ?? previewDrivers(deps.config)
    host = deps.config.TOOLS.includes('preview') ? await startPreviewHost(deps, ways) : undefined
    const activities = createActivities(deps)
    const shared = { connection, namespace, activities, shutdownGraceTime: limits.shutdownGraceMs }
    const workers = [
      await Worker.create({
        ...shared,
        taskQueue: taskQueue.gate,
        ...workflowsFrom(options.bundlePath),
        maxConcurrentWorkflowTaskExecutions: limits.workflowTasksMax,
        maxCachedWorkflows: limits.workflowsCachedMax,
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
        maxConcurrentActivityTaskExecutions: limits.billingActivitiesMax,
      }),
      ...(host
        ? [
            await Worker.create({
              ...shared,
              activities: hostActivities(host),
              taskQueue: previewQueue(host.hostId),
              maxConcurrentActivityTaskExecutions:
                deps.config.PREVIEWS_PER_HOST + limits.previewActivitiesMax,
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
  const notices = startIdentityNotices(deps)
  const runs = workers.map((worker) => worker.run())
  const failed = Promise.all(runs).then(() => new Promise<never>(() => {}))
  failed.catch(() => undefined)
  return {
    failed,
    previewUrl: host?.url,
    async stop() {
      await Promise.all([relay.stop(), notices.stop()])
      // Before the workers, so that what watches the previews ends with them.
      await stopHost(deps, host)
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
      await Promise.allSettled(runs)
      await connection.close()
    },
  }
}

/** What it leaves others sweep, and keeps nothing else from its end. */
async function stopHost({ log }: Deps, host: PreviewHost | undefined): Promise<void> {
  await host?.stop().catch((error: unknown) => log.warn({ err: error }, 'previews did not stop in order'))
}

// Bundling takes seconds: a built program brings its bundle, tests make one for all.
function workflowsFrom(bundlePath: string | undefined) {
  const built = bundlePath ?? join(projectRoot, 'dist/workflow-bundle.js')
  if (existsSync(built)) return { workflowBundle: { codePath: built } }
  return { workflowsPath: join(projectRoot, 'workflows/index.ts') }
}

let isInstalled = false

// Once a process, before anything native: our own shutdown order, and Temporal's warnings in our own log.
function installRuntime(log: Logger): void {
  if (isInstalled) return
  isInstalled = true
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // The delivery queues have activities alone, which is meant.
      if (message.startsWith('No workflows registered')) return
      log[level === 'ERROR' ? 'error' : 'warn']({ temporal: meta }, message)
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) },
    },
  })
}
