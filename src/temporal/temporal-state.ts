import { Connection } from '@temporalio/client'
import type { Config } from '../config.ts'
import { limits } from '../limits.ts'
import { temporalOptions } from './connection.ts'
import { isInterrupted } from './interrupted.ts'

/** `interrupted`: a development server whose database is stuck. */
export type TemporalState = 'up' | 'interrupted' | 'down'

/**
 * Asks Temporal for the gate's namespace, which it reads from its database. A stuck database refuses reads as it refuses
 * writes, and to read is what every client of a namespace may.
 */
export async function temporalState(config: Config): Promise<TemporalState> {
  const { connectionOptions, namespace } = temporalOptions(config)
  // Without the client's retries, which hide the reason behind the deadline.
  const connection = Connection.lazy({ ...connectionOptions, interceptors: [] })
  try {
    await connection.withDeadline(Date.now() + limits.temporalProbeMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    )
    return 'up'
  } catch (error) {
    return isInterrupted(error) ? 'interrupted' : 'down'
  } finally {
    await connection.close()
  }
}
