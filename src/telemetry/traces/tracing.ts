import type { ClientPlugin } from '@temporalio/client'
import type { WorkerPlugin } from '@temporalio/worker'
import type { Db } from '../../db/connect.ts'
import type { WorkflowStarter } from '../../temporal/start-action.ts'
import type { Workflows } from '../../temporal/client.ts'
import type { ObserveCall } from '../../waiting/observe-call.ts'

/** The span of a request. */
export interface RequestSpan {
  /** Stands in the log beside the request. */
  traceId: string
  /** Runs what the request does next as part of it. */
  run(next: () => void): void
  end(answered: {
    name: string
    status: number
    attributes: Record<string, string | number | undefined>
  }): void
}

/** Spans of requests, statements, workflows and calls: names, ids and codes, never a payload, an address or a message. */
export interface Tracing {
  /** @param headers  an incoming `traceparent` is continued */
  request(headers: Record<string, unknown>): RequestSpan
  db(db: Db): Db
  call: ObserveCall
  /** Of Temporal's clients and workers. */
  plugin: ClientPlugin & WorkerPlugin
  /** Starts that wait belong to the request that made the proposal. */
  starter(starter: WorkflowStarter): WorkflowStarter
  workflows(workflows: Workflows): Workflows
  /** Sends what is left, for a moment. */
  stop(): Promise<void>
}
