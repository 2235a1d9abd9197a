import { fileURLToPath } from 'node:url'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { limits } from '../../src/limits.ts'
import { cycleActivities } from './cycle.ts'
import { bareQueue } from './names.ts'

/** A worker with our settings, an empty activity and the plain cycle's. Prints `working` once it polls. */
Runtime.install({ logger: new DefaultLogger('WARN') })
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS']! }),
  taskQueue: bareQueue,
  workflowsPath: fileURLToPath(new URL('./workflow.ts', import.meta.url)),
  activities: {
    doNothing: async () => {},
    ...cycleActivities(process.env['SANDBOX_URL']!, process.env['DATABASE_URL']!),
  },
  maxConcurrentWorkflowTaskExecutions: limits.workflowTasksMax,
  maxCachedWorkflows: limits.workflowsCachedMax,
  maxConcurrentActivityTaskExecutions: limits.ledgerActivitiesMax,
})
const ended = worker.run()
process.send?.('working')
process.on('disconnect', () => process.exit(0))
await ended
process.exit(0)
