import { type Config, publicUrl, readConfig } from '../config.ts'
import { type Db, connect } from '../db/connect.ts'
import { type RunFile, readRunFile } from '../data-dir/run-file.ts'
import { readSecretsKeys } from '../data-dir/secrets-file.ts'
import { GateError } from '../errors.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import type { AdminContext } from '../operations/admin-context.ts'
import { parseKeyRing } from '../secrets/key-ring.ts'
import type { Workflows } from '../temporal/client.ts'
import { print } from './print.ts'

/** The environment that a command reads and the streams that it writes to. */
export interface CliIo {
  /** The environment; absent: that of the process. */
  env?: Record<string, string | undefined>
  stdout: NodeJS.WritableStream
  stderr: NodeJS.WritableStream
}

/** What verbs work with. Connections open on first use: a verb with `--file` needs no database. */
export interface CliContext {
  isJson: boolean
  /** The stream for files and for answers that programs read. */
  stdout: NodeJS.WritableStream
  /** Prints lines on stderr. */
  say(line: string): void
  db(): Db
  /** For verbs that run as the database owner. @throws GateError if one of the two URLs is unknown */
  databaseUrls(): { ownerUrl: string; serviceUrl: string }
  /** Decrypts the credentials of accounts. @throws GateError if no key is known */
  secretsKeys(): KeyProvider
  /** The same, for what is stored plain where the service has no SECRETS_KEYS. */
  ownSecretsKeys(): KeyProvider | undefined
  /** The configuration as this process was given it, which is what the service should be given, too. */
  config(): Config
  temporalAddress(): string
  /** The base of links for people. */
  publicUrl(): string
  /** What hosted agents are given by the service that runs on DATA_DIR; undefined where none runs, or they cannot be connected. */
  runningHostedUrl(): string | undefined
  /** Where the stand-ins of the service that runs on DATA_DIR listen; undefined where none runs. */
  sandboxUrl(): string | undefined
  /** Whether the service that runs on DATA_DIR is in the sandbox; undefined where none is known to run there. */
  isRunningSandbox(): boolean | undefined
  workflows(): Promise<Workflows>
  close(): Promise<void>
}

const defaultTemporalAddress = '127.0.0.1:7233'

export function openContext(io: CliIo, isJson: boolean): CliContext {
  const opened: { db?: Db; workflows?: Workflows } = {}
  const read = once(() => readConfig(io.env))
  const running = once(() => readRunFile(read().DATA_DIR))

  const temporalAddress = () =>
    read().TEMPORAL_ADDRESS ?? running()?.temporal?.address ?? defaultTemporalAddress

  return {
    isJson,
    stdout: io.stdout,
    say: (line) => print(io.stderr, line),
    db: () =>
      (opened.db ??= connect(serviceUrl(read(), running), {
        applicationName: 'gate cli',
        connectionsMax: 4,
      })),
    databaseUrls: () => ({ ownerUrl: ownerUrl(read(), running), serviceUrl: serviceUrl(read(), running) }),
    secretsKeys: () => secretsKeys(read()),
    ownSecretsKeys: () => ownSecretsKeys(read()),
    config: read,
    temporalAddress,
    // `npm start` may listen on any free port.
    publicUrl: () => read().PUBLIC_URL ?? running()?.addresses['base_url'] ?? ownUrl(read()),
    runningHostedUrl: () => running()?.addresses['hosted_url'],
    sandboxUrl: () => running()?.addresses['sandbox_url'],
    isRunningSandbox() {
      const addresses = read().DATABASE_URL === undefined ? running()?.addresses : undefined
      // Without an address it is still starting.
      return addresses?.['base_url'] === undefined ? undefined : addresses['sandbox_url'] !== undefined
    },
    async workflows() {
      if (opened.workflows) return opened.workflows
      const { connectWorkflows } = await import('../temporal/client.ts')
      opened.workflows = connectWorkflows({ ...read(), TEMPORAL_ADDRESS: temporalAddress() })
      return opened.workflows
    },
    // Temporal's connection stays open; it does not keep the process alive. Its client may be waiting to retry a call, and
    // would throw on a closed channel.
    async close() {
      await opened.db?.close()
    },
  }
}

/** The context for administering an account. The ledger records changes from the command line as made by `admin`. */
export const adminContextOf = (context: CliContext, account: string): AdminContext => ({
  db: context.db(),
  account,
  session: null,
})

function serviceUrl(config: Config, running: () => RunFile | undefined): string {
  return config.DATABASE_URL ?? embedded(config, running).serviceUrl
}

function ownerUrl(config: Config, running: () => RunFile | undefined): string {
  if (!config.DATABASE_URL && !config.DATABASE_OWNER_URL) return embedded(config, running).ownerUrl
  if (config.DATABASE_URL && config.DATABASE_OWNER_URL) return config.DATABASE_OWNER_URL
  const missing = config.DATABASE_URL ? 'DATABASE_OWNER_URL' : 'DATABASE_URL'
  throw new GateError(
    'invalid',
    `${missing} must also be set: migrations run as the owner and grant rights to the service's role.`,
  )
}

function embedded(config: Config, running: () => RunFile | undefined): NonNullable<RunFile['postgres']> {
  const found = running()?.postgres
  if (found) return found
  throw new GateError(
    'unavailable',
    `No service is running on ${config.DATA_DIR}, and DATABASE_URL is not set. Start the service with \`npm start\`, or set DATABASE_URL.`,
  )
}

function ownUrl(config: Config): string {
  const url = publicUrl(config)
  if (url !== undefined) return url
  throw new GateError(
    'invalid',
    'PUBLIC_URL must be set if PORT is 0, because the link needs the address of the API.',
  )
}

// The key file of DATA_DIR belongs to the embedded database only.
function ownSecretsKeys(config: Config): KeyProvider | undefined {
  const ring = config.SECRETS_KEYS ?? (config.DATABASE_URL ? undefined : readSecretsKeys(config.DATA_DIR))
  return ring === undefined ? undefined : parseKeyRing(ring)
}

function secretsKeys(config: Config): KeyProvider {
  const keys = ownSecretsKeys(config)
  if (keys) return keys
  throw new GateError('invalid', 'SECRETS_KEYS must be set to the same keys that the service uses.')
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
