import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts'

/** Where the gateway listens unless PREVIEW_PORT says otherwise. */
export const defaultPreviewPort = 8789

/**
 * Opens this host's gateway. A port that was chosen must be free; of several hosts on one machine that chose none, the
 * first has the usual port and the others any free one: each preview's link names its own.
 * @throws Error that names PREVIEW_PORT where that is taken
 */
export async function openGateway(
  config: Config,
  log: Logger,
  ways: Pick<GatewayOptions, 'find' | 'proxy'>,
): Promise<Gateway> {
  const { HOST, PREVIEW_HOST, PREVIEW_PORT, PREVIEW_URL } = config
  const urlOf = (port: number) => new URL(PREVIEW_URL ?? `http://${PREVIEW_HOST}:${port}`).origin
  const open = (port: number) => startGateway({ ...ways, host: HOST, port, urlOf, log })
  // What is reached through a proxy is reached on the port that the proxy knows.
  const isFixed = PREVIEW_PORT !== undefined || PREVIEW_URL !== undefined
  const port = PREVIEW_PORT ?? defaultPreviewPort
  return open(port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    if (!isFixed) return open(0)
    throw new Error(`PREVIEW_PORT ${port} on ${HOST} is taken: stop what listens there, or set PREVIEW_PORT.`)
  })
}
