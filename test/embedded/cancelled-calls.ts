import { Worker as Thread } from 'node:worker_threads'
import { Client, Connection } from '@temporalio/client'

/**
 * A client on a busy machine that gives up its calls: `cancelled-calls.ts ADDRESS MS`. Writes a line for each hundred calls
 * that were cancelled. A process of its own that kills itself: Node's HTTP/2 can spin for ever on streams that are cancelled
 * as they are written, and then nothing else runs in that process but its threads.
 */
const [address = '', ms = '0'] = process.argv.slice(2)
const busy = `const end = Date.now() + ${Number(ms)}; while (Date.now() < end); process.kill(process.pid, 'SIGKILL')`
const thread = new Thread(busy, { eval: true })
thread.unref()

// Without retries, which would call a server that is stuck less often.
const client = new Client({ connection: await Connection.connect({ address, interceptors: [] }) })
let [made, cancelled] = [0, 0]

const start = (): Promise<unknown> =>
  client.workflow.signalWithStart('nothing', {
    workflowId: `load-${made++}`,
    taskQueue: 'nobody',
    signal: 'poke',
    args: ['x'.repeat(2_000)],
  })

/** Reads rows: while a statement has some left, the interrupt stays. */
const look = (): Promise<unknown> =>
  client.workflow.getHandle(`load-${Math.floor(Math.random() * made)}`).describe()

async function load(): Promise<never> {
  for (;;) {
    const deadline = Date.now() + 1 + Math.random() * 30
    await client.withDeadline(deadline, Math.random() < 0.6 ? start : look).catch(() => {
      if (++cancelled % 100 === 0) console.log(cancelled)
    })
  }
}

await Promise.all(Array.from({ length: 12 }, load))
