import { randomUUID } from 'node:crypto'
import { Client, type ClientPlugin, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client'
import type { Config } from '../config.ts'
import { finishesWithin } from '../waiting/finishes-within.ts'
import { limits } from '../limits.ts'
import { withDeadline } from '../waiting/with-deadline.ts'
import { lazyConnection } from './connection.ts'
import { scheduleId, taskQueue, workflowType } from './names.ts'
import { type PreviewWorkflows, previewWorkflows } from './preview-workflows.ts'
import { type ProposalWorkflows, proposalWorkflows } from './proposal-workflows.ts'
import { workflowLimits as workflow } from './workflow-limits.ts'
import { ensureSearchAttributes } from './search-attributes.ts'

/** Registering search attributes and the schedule: a server that just started, or is busy, takes its time. */
const temporalPrepareMs = 30_000

/** The service's client for workflows. Every call has a deadline and is idempotent. */
export interface Workflows extends ProposalWorkflows {
  /** The client for preview workflows. */
  previews: PreviewWorkflows
  /** Whether Temporal answers within this time. */
  isUp(withinMs?: number): Promise<boolean>
  /** Registers search attributes and the reconciler's schedule, once for all processes. */
  prepare(): Promise<void>
  close(): Promise<void>
}

/** @param plugin  observes the calls */
export function connectWorkflows(config: Config, plugin?: ClientPlugin): Workflows {
  const connection = lazyConnection(config)
  const plugins = plugin ? [plugin] : []
  const client = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE, plugins })
  const underWay = new Set<Promise<unknown>>()

  function within<T>(ms: number, call: () => Promise<T>): Promise<T> {
    const made = client.withDeadline(Date.now() + ms, call)
    underWay.add(made)
    void made
      .catch(() => undefined)
      .finally(() => {
        underWay.delete(made)
        // It holds the deadlines, and makes every promise of the process slower until it is disabled: see db/writes.ts.
        if (underWay.size === 0) connection.callContextStorage.disable()
      })
    // The client ignores a call's deadline while it sleeps between two tries: up to twice the time.
    return withDeadline(ms, made, () => new Error('Temporal did not answer in time.'))
  }

  return {
    previews: previewWorkflows(client, within),
    ...proposalWorkflows(client, within),
    async isUp(withinMs = limits.temporalConnectMs) {
      return within(withinMs, () =>
        client.workflowService.describeNamespace({ namespace: config.TEMPORAL_NAMESPACE }),
      ).then(
        () => true,
        () => false,
      )
    },
    async prepare() {
      await within(temporalPrepareMs, () => ensureSearchAttributes(connection, config.TEMPORAL_NAMESPACE))
      await within(temporalPrepareMs, () => client.schedule.create(reconcileSchedule())).catch(
        async (error: unknown) => {
          if (!(error instanceof ScheduleAlreadyRunning)) throw error
          await within(temporalPrepareMs, () => bringUpToDate(client))
        },
      )
    },
    // A call that is waiting for its next retry would throw on a closed channel, where nothing can catch it.
    async close() {
      await finishesWithin(limits.shutdownGraceMs, Promise.allSettled(underWay))
      await connection.close()
    },
  }
}

/** A schedule that an earlier version made gets the bounds of this one. It stays paused if an operator paused it. */
async function bringUpToDate(client: Client): Promise<void> {
  const handle = client.schedule.getHandle(scheduleId.reconcile)
  const { action } = await handle.describe()
  if (action.type === 'startWorkflow' && action.workflowRunTimeout === workflow.reconcileRunMs) return
  const { spec, policies, action: wanted } = reconcileSchedule()
  await handle.update(({ state }) => ({ spec, policies, action: wanted, state }))
}

function reconcileSchedule() {
  return {
    scheduleId: scheduleId.reconcile,
    spec: { intervals: [{ every: workflow.reconcileEveryMs }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '5 minutes' as const },
    action: {
      type: 'startWorkflow' as const,
      workflowType: workflowType.reconcile,
      taskQueue: taskQueue.gate,
      workflowId: `reconcile:${randomUUID().slice(0, 8)}`,
      workflowRunTimeout: workflow.reconcileRunMs,
      staticSummary: 'Repairs what should have ended or continued, for an hour',
    },
  }
}
