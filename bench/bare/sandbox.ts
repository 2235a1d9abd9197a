import { startSandbox } from '../../src/sandbox/sandbox.ts'

/** The provider sandbox as a separate process, for both sides. Arguments: port, latency in milliseconds. */
const [port, latencyMs] = process.argv.slice(2).map(Number)
const sandbox = await startSandbox({ port: port!, latencyMs: latencyMs! })
process.send?.('working')
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => void sandbox.stop().then(() => process.exit(0)))
