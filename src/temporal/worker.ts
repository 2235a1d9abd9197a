import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  makeTelemetryFilterString,
} from '@temporalio/worker'
import { type Logger } from 'pino'
import { createActivities } from '../../activities/index.ts'
import { type Deps } from '../deps.ts'
import { limits } from '../limits.ts'
import { projectRoot } from '../root.ts'
import { temporalOptions } from './connection.ts'
import { taskQueue } from './names.ts'
import { startRelay } from './relay.ts'

export interface RunningWorkers {
  /** Rejects when a worker dies of itself. */
  failed: Promise<never>
  /** Finishes what is under way within the grace, then ends. */
  stop(): Promise<void>
}

export interface WorkerOptions {
  /** A pre-built bundle of the workflows. */
  bundlePath?: string
}

/**
 * Starts the workers of this process: workflows and ledger activities on one queue, deliveries on a queue a channel,
 * billing on its own, and the outbox's relay.
 * @throws Error when Temporal cannot be reached
 */
export async function startWorkers(deps: Deps, options: WorkerOptions = {}): Promise<RunningWorkers> {
  installRuntime(deps.log)
  const { connectionOptions, namespace } = temporalOptions(deps.config)
  const connection = await NativeConnection.connect(connectionOptions)
  try {
    await deps.workflows.prepare()
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
    ]
    return run(deps, workers, connection)
  } catch (error) {
    await connection.close()
    throw error
  }
}

function run(deps: Deps, workers: Worker[], connection: NativeConnection): RunningWorkers {
  const relay = startRelay(deps)
  const runs = workers.map((worker) => worker.run())
  const failed = Promise.all(runs).then(() => new Promise<never>(() => {}))
  failed.catch(() => undefined)
  return {
    failed,
    async stop() {
      await relay.stop()
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
      await Promise.allSettled(runs)
      await connection.close()
    },
  }
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
