import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { startLimitedProviders } from './limited-providers.ts'

/**
 * The provider sandbox as a separate process, for both sides. Arguments: port, and `limited` where it enforces the limits
 * that the providers publish.
 */
const [port, mode] = process.argv.slice(2)
const isLimited = mode === 'limited'
const sandbox = await startSandbox({ port: isLimited ? 0 : Number(port) })
const stop = isLimited ? await startLimitedProviders(Number(port), sandbox.url) : () => {}
process.send?.('working')
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => {
  stop()
  void sandbox.stop().then(() => process.exit(0))
})
