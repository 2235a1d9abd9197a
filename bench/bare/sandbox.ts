import { startSandbox } from '../../dev/sandbox/sandbox.ts'

/** The providers as a separate process, for both sides. Argument: the port. */
const sandbox = await startSandbox({ port: Number(process.argv[2]) })
process.send?.('working')
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => void sandbox.stop().then(() => process.exit(0)))
