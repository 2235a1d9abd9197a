import type { Config } from '../config.ts'
import { commandDriver } from './command/driver.ts'
import { projectRoot } from '../process/root.ts'
import type { PreviewDriver } from './driver.ts'
import type { ProxyPreview } from './gateway.ts'
import { proxyPreview } from './proxy.ts'
import { staticDriver } from './static-driver.ts'

export interface PreviewDrivers {
  /** In order of preference: a driver that cannot run a workspace leaves it to the next one. */
  drivers: PreviewDriver[]
  /** Forwards requests to previews behind a socket, if a driver runs such previews. */
  proxy?: ProxyPreview
}

/** The preview drivers that this process is configured for. */
export function previewDrivers(config: Config): PreviewDrivers {
  const { PREVIEW_COMMAND_ENABLED, PREVIEW_MEMORY_MB, PREVIEW_CPU_SECONDS, DATA_DIR, WORKSPACE_ROOT } = config
  if (!PREVIEW_COMMAND_ENABLED) return { drivers: [staticDriver] }
  const command = commandDriver({
    memoryMiB: PREVIEW_MEMORY_MB,
    cpuSeconds: PREVIEW_CPU_SECONDS,
    keptFrom: [projectRoot, DATA_DIR, WORKSPACE_ROOT],
  })
  return { drivers: [command, staticDriver], proxy: proxyPreview }
}
