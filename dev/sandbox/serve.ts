import { addressOf, readConfig } from '../../src/config.ts'
import { makeLog } from '../../src/log.ts'
import { stopOnSignal } from '../../src/process/shutdown.ts'
import { startSharedSandbox } from './shared-sandbox.ts'

/** The stand-ins as a process of their own, for services that do not contain them: see docker-compose.yml. */
async function main(): Promise<void> {
  const config = readConfig()
  const log = makeLog(config)
  const publicUrl = () => config.PUBLIC_URL ?? addressOf(config.HOST, config.PORT)
  const sandbox = await startSharedSandbox({ config, log, publicUrl })
  stopOnSignal(log, async () => sandbox?.stop(), new Promise(() => {}))
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
