import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ErrorCode, McpError, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import type { UpstreamConnection } from '../db/queries/upstreams/connections.ts'
import { finishesWithin } from '../waiting/finishes-within.ts'
import { withDeadline } from '../waiting/with-deadline.ts'
import { limits } from '../limits.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import { connectionPool } from '../executors/guarded-request.ts'
import { gateHeader } from './gate-header.ts'
import { findCommand } from './commands.ts'
import { type Exchange, exchangeOfClient } from './exchange.ts'
import { exchangeOverHttp } from './http-exchange.ts'
import { boundedOpening } from './opening.ts'
import { type UpstreamSecrets, openSecrets } from './secrets.ts'
import { productVersion } from '../process/version.ts'
import { StdioLines } from './stdio-lines.ts'
import { UpstreamFault } from './upstream-fault.ts'
import { type CheckedFetch, upstreamFetch } from './upstream-fetch.ts'

const upstreamEndMs = 1_000

/** How long a connection below it is kept for the next request. */
const upstreamSocketIdleMs = 1_000

/** What connecting works with. */
export interface ConnectOptions {
  keys: KeyProvider | undefined
  fetch: CheckedFetch
  /** Networks and hosts that may be called although they are not public. */
  allow: readonly string[]
  /** The path of the operator's file of commands. */
  commands: string | undefined
}

/** An open connection to a server. */
export interface OpenUpstream {
  exchange: Exchange
  /** Called once, when its process ends or its session is closed. */
  onClose(closed: () => void): void
  /** What the server says of itself. */
  server: { name: string; version: string; protocol: string }
  /** Ends its session, or its process. */
  close(): Promise<void>
}

/** A server of an account. */
export interface UpstreamName {
  account: string
  upstream: string
}

/**
 * Connects to a server and agrees with it on a version of the protocol.
 * @param place.onToolsChanged  the server says that its tools changed
 * @throws UpstreamFault, or an error of the SDK: no tool was called
 */
export async function connectUpstream(
  options: ConnectOptions,
  name: UpstreamName,
  place: UpstreamConnection,
  onToolsChanged: () => void,
): Promise<OpenUpstream> {
  const { transport, exchangeWith, protocolOf, fault, end } = await transportTo(options, name, place)
  // It offers the server nothing: no sampling, no elicitation, no roots.
  const client = new Client({ name: 'qualification-gate', version: productVersion }, { capabilities: {} })
  client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged)
  const close = async () => {
    await finishesWithin(upstreamEndMs, end()).catch(() => undefined)
    await client.close().catch(() => undefined)
  }
  try {
    // All of it: the SDK bounds the answer to `initialize` alone.
    await withDeadline(limits.upstreamConnectMs, client.connect(transport), tooSlow)
    const found = fault()
    if (found) throw found
  } catch (error) {
    await close()
    throw fault() ?? (place.transport === 'stdio' && isClosed(error) ? programEnded() : error)
  }
  const { name: title = '', version = '' } = client.getServerVersion() ?? {}
  const cut = (text: string) => text.slice(0, limits.upstreamWordsCharsMax).toWellFormed()
  return {
    exchange: exchangeWith(client),
    onClose(closed) {
      // eslint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
      client.onclose = closed
    },
    server: { name: cut(title), version: cut(version), protocol: cut(protocolOf()) },
    close,
  }
}

const tooSlow = () => new UpstreamFault('it did not answer in time', { isNotDone: true })

const isClosed = (error: unknown): boolean =>
  error instanceof McpError && error.code === (ErrorCode.ConnectionClosed as number)

const programEnded = () =>
  new UpstreamFault(
    'its program ended before it answered; the operator of the gate can run it by hand to see what it prints',
    { isNotDone: true },
  )

const ofGate = { [gateHeader]: '1' }

interface Opened {
  transport: Transport
  exchangeWith(client: Client): Exchange
  protocolOf(): string
  /** Why the transport was closed while the server was connected to. */
  fault(): UpstreamFault | undefined
  /** Says good-bye: the client only stops. */
  end(): Promise<void>
}

async function transportTo(
  options: ConnectOptions,
  name: UpstreamName,
  place: UpstreamConnection,
): Promise<Opened> {
  if (place.transport === 'stdio') {
    const { command, args, env, cwd } = await findCommand(options.commands, name.account, place.command)
    const transport = new StdioClientTransport({
      command,
      args,
      env,
      stderr: 'ignore',
      ...(cwd === undefined ? {} : { cwd }),
    })
    let protocol = ''
    const told: Transport = Object.assign(transport, {
      // The SDK has no option for it.
      _readBuffer: new StdioLines(),
      setProtocolVersion: (version: string) => void (protocol = version),
    })
    return {
      transport: told,
      exchangeWith: exchangeOfClient,
      protocolOf: () => protocol,
      fault: () => undefined,
      end: () => Promise.resolve(),
    }
  }
  const secrets = await openSecrets(options.keys, name, place)
  return transportOverHttp(options, name, secrets, place.url)
}

function transportOverHttp(
  options: ConnectOptions,
  { account }: UpstreamName,
  { query, headers }: UpstreamSecrets,
  at: string,
): Opened {
  const { allow } = options
  const pool = connectionPool(upstreamSocketIdleMs)
  const url = new URL(at + query)
  const ours = { ...Object.fromEntries(new Headers(headers)), ...ofGate }
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: upstreamFetch(options.fetch, { account, allow, pool }),
    requestInit: { headers: ours },
  })
  const opening = boundedOpening(transport)
  const session = () => ({
    ...(transport.sessionId === undefined ? {} : { 'mcp-session-id': transport.sessionId }),
    ...(transport.protocolVersion === undefined ? {} : { 'mcp-protocol-version': transport.protocolVersion }),
  })
  return {
    transport: transport as Transport,
    exchangeWith: (client) =>
      exchangeOverHttp({
        account,
        url: url.href,
        allow,
        pool,
        headers: () => ({ ...session(), ...ours }),
        onMessage: opening.take,
        cancel(requestId) {
          const params = { requestId, reason: 'Nobody waits for the answer any more.' }
          client.notification({ method: 'notifications/cancelled', params }).catch(() => undefined)
        },
      }),
    protocolOf: () => transport.protocolVersion ?? '',
    fault: opening.fault,
    // Connections of the pool that nobody uses end by themselves: others may carry calls that are under way.
    end: () => transport.terminateSession(),
  }
}
