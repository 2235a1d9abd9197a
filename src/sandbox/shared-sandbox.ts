import type { Deps } from '../deps.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

/** Starts the simulated providers. A second worker on the same machine uses those of the first. */
export async function startSharedSandbox(deps: Deps): Promise<Sandbox | undefined> {
  const { SANDBOX_PORT: port } = deps.config
  try {
    const sandbox = await startSandbox({
      port,
      host: deps.config.HOST,
      dataFile: `${deps.config.DATA_DIR}/sandbox.jsonl`,
      gateUrl: () => deps.config.SANDBOX_GATE_URL ?? deps.publicUrl,
      log: deps.log,
    })
    deps.log.warn(`SANDBOX: nothing is delivered; messages are shown at ${sandbox.url}`)
    return sandbox
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    deps.log.warn(`SANDBOX: using the simulated providers on port ${port}`)
    return undefined
  }
}
