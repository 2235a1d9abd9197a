import { mkdirSync } from 'node:fs'
import { dataFile } from '../../src/config.ts'
import type { Deps } from '../../src/deps.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

/** Starts the simulated providers. A second worker on the same machine uses those of the first. */
export async function startSharedSandbox(
  deps: Pick<Deps, 'config' | 'log' | 'publicUrl'>,
): Promise<Sandbox | undefined> {
  const { SANDBOX_PORT: port, HOST: host, DATA_DIR: folder, SANDBOX_GATE_URL: gateUrl } = deps.config
  try {
    // A worker may be the first process that uses the folder.
    mkdirSync(folder, { recursive: true, mode: 0o711 })
    const sandbox = await startSandbox({
      port,
      host,
      dataFile: dataFile(deps.config, 'sandbox.jsonl'),
      gateUrl: () => gateUrl ?? deps.publicUrl(),
      publicUrl: () => deps.publicUrl(),
      log: deps.log,
    })
    deps.log.warn(`SANDBOX: nothing is delivered; messages are shown at ${sandbox.url}`)
    return sandbox
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      deps.log.info({ port }, 'SANDBOX: using the simulated providers of another worker')
      return undefined
    }
    if (syscall === undefined || syscall === 'listen') throw error
    throw new Error(
      `DATA_DIR ${folder} cannot be used: ${code}. The sandbox keeps its messages there: make the folder writable, or set DATA_DIR.`,
      { cause: error },
    )
  }
}
