import { type Config } from '../config.ts'
import { type PreviewDriver } from './driver.ts'
import { type ProxyPreview } from './gateway.ts'
import { staticDriver } from './static-driver.ts'

export interface PreviewWays {
  /** The preferred first: one that finds nothing for it in a workspace leaves it to the next. */
  drivers: PreviewDriver[]
  /** How viewers reach what runs behind a socket, where a driver runs such things. */
  proxy?: ProxyPreview
}

/** The ways to run a preview that this process is configured for. */
export function previewWays(_config: Config): PreviewWays {
  return { drivers: [staticDriver] }
}
