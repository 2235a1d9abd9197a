import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts'

/** The default for PREVIEW_PORT. */
export const defaultPreviewPort = 8789

/**
 * Opens this host's gateway. A configured port must be free. Without one, the first host on a machine gets the default port
 * and the others any free port; links contain the actual port.
 * @throws Error that names PREVIEW_PORT if the port is in use
 */
export async function openGateway(
  config: Config,
  log: Logger,
  ways: Pick<GatewayOptions, 'find' | 'proxy' | 'now'>,
): Promise<Gateway> {
  const { HOST, PREVIEW_HOST, PREVIEW_PORT, PREVIEW_URL } = config
  const urlOf = (port: number) => new URL(PREVIEW_URL ?? `http://${PREVIEW_HOST}:${port}`).origin
  const open = (port: number) => startGateway({ ...ways, host: HOST, port, urlOf, log })
  // A reverse proxy forwards to a fixed port.
  const isFixed = PREVIEW_PORT !== undefined || PREVIEW_URL !== undefined
  const port = PREVIEW_PORT ?? defaultPreviewPort
  return open(port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    if (!isFixed) return open(0)
    throw new Error(
      `PREVIEW_PORT ${port} on ${HOST} is in use. Stop the process that uses it, or set PREVIEW_PORT.`,
    )
  })
}
