import { startSandbox } from '../../dev/sandbox/sandbox.ts'
import { startLimitedProviders } from './limited-providers.ts'

/**
 * The providers as a separate process, for both sides. Arguments: port, and `limited` for those that enforce their published
 * limits.
 */
const [port, kind] = process.argv.slice(2)
const stop =
  kind === 'limited'
    ? await startLimitedProviders(Number(port))
    : (await startSandbox({ port: Number(port) })).stop
process.send?.('working')
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => void Promise.resolve(stop()).then(() => process.exit(0)))
