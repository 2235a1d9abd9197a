import { startSandbox } from '../../src/sandbox/sandbox.ts'

/** The stand-ins of the providers as a process of their own, for both sides. Arguments: port, latency in milliseconds. */
const [port, latencyMs] = process.argv.slice(2).map(Number)
const sandbox = await startSandbox({ port: port!, latencyMs: latencyMs! })
process.send?.('working')
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => void sandbox.stop().then(() => process.exit(0)))
