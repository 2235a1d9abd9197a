import type { Config } from '../config.ts'
import { commandDriver } from './command/driver.ts'
import { projectRoot } from '../root.ts'
import type { PreviewDriver } from './driver.ts'
import type { ProxyPreview } from './gateway.ts'
import { proxyPreview } from './proxy.ts'
import { staticDriver } from './static-driver.ts'

export interface PreviewDrivers {
  /** The preferred first: one that finds nothing for it in a workspace leaves it to the next. */
  drivers: PreviewDriver[]
  /** How viewers reach what runs behind a socket, where a driver runs such things. */
  proxy?: ProxyPreview
}

/** The ways to run a preview that this process is configured for. */
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
