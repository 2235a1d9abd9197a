import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type RunningApi, startApi } from '../../src/api.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { type Deps, type DepsOptions, makeDeps } from '../../src/deps.ts'
import { type Sandbox, startSandbox } from '../../dev/sandbox/sandbox.ts'
import type { PreviewDrivers } from '../../src/previews/drivers.ts'
import { startWorkers } from '../../src/workers/start-workers.ts'
import { type TestAccount, type TestMember, freshAccount } from './account.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { type TestDatabase, freshDatabase } from './database.ts'
import { atEndOfFile } from './jest/end-of-file.js'
import { endSchedule, freshNamespace } from './namespace.ts'

export interface TestGate {
  config: Config
  database: TestDatabase
  sandbox: Sandbox
  deps: Deps
  api: RunningApi
  /** Starts the workers of this gate. */
  startWorkers(): Promise<void>
  /** Stops them. Nothing is executed then, so confirms and pages do not wait for it unless `isAwaited`. */
  stopWorkers(options?: { isAwaited?: boolean }): Promise<void>
  /** An account with a key, and a client that uses it. */
  account(): Promise<TestAccount & { client: ApiClient }>
  /** A `guarded_write` member and a proposed broadcast to that many recipients: Slack, e-mail and both by turns. */
  openBroadcast(options?: { recipients?: number }): Promise<OpenBroadcast>
  stop(): Promise<void>
}

export interface OpenBroadcast {
  account: TestAccount & { client: ApiClient }
  client: ApiClient
  proposer: TestMember
  actor: { email: string }
  id: number
}

export interface GateOptions extends DepsOptions {
  env?: Record<string, string>
  /** A database that has something in it already; the gate drops it. */
  database?: TestDatabase
  /** Without workers nothing is executed. */
  workers?: boolean
  /** Workflows run in a thread of their own, as in a service. */
  isThreaded?: boolean
  /** Other ways to run previews than the configured ones. */
  previewWays?: PreviewDrivers
}

/** A gate of its own: database, Temporal namespace, stand-ins, API on a real port and workers. */
export async function startGate(options: GateOptions = {}): Promise<TestGate> {
  let apiUrl = ''
  const [database, sandbox, namespace] = await Promise.all([
    options.database ?? freshDatabase(),
    startSandbox({ gateUrl: () => apiUrl }),
    freshNamespace(),
  ])
  const runDir = process.env['TEST_RUN_DIR'] ?? tmpdir()
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    DATABASE_URL: database.serviceUrl,
    TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'],
    TEMPORAL_NAMESPACE: namespace,
    RATE_LIMIT_PER_MINUTE: '0',
    DATA_DIR: join(runDir, `data-${namespace}`),
    WORKSPACE_ROOT: join(runDir, `workspaces-${namespace}`),
    PREVIEW_PORT: '0',
    CONFIRM_SIGNAL_MS: String(busyMs),
    CONFIRM_WAIT_MS: String(executedMs),
    ...options.env,
  })
  const { CONFIRM_WAIT_MS: confirmWaitMs } = config
  // Until the workers run: see stopWorkers.
  config.CONFIRM_WAIT_MS = 0
  const log = options.log ?? pino({ level: config.LOG_LEVEL })
  const deps = makeDeps(config, { sandboxUrl: sandbox.url, ...options, log })
  const { isUp, prepare } = deps.workflows
  deps.workflows.isUp = (withinMs = busyMs) => isUp(withinMs)
  let isPrepared = false
  deps.workflows.prepare = () => {
    isPrepared = true
    return prepare()
  }
  const api = await startApi(deps)
  apiUrl = api.url
  let workers: Awaited<ReturnType<typeof startWorkers>> | undefined
  const bundlePath = process.env['TEST_WORKFLOW_BUNDLE']
  const gate: TestGate = {
    config,
    database,
    sandbox,
    deps,
    api,
    async startWorkers() {
      const start = () =>
        startWorkers(deps, {
          ...(bundlePath ? { bundlePath } : {}),
          ...(options.previewWays ? { previewDrivers: options.previewWays } : {}),
        })
      workers ??= await (options.isThreaded ? start() : inThisThread(start))
      config.CONFIRM_WAIT_MS = confirmWaitMs
    },
    async stopWorkers({ isAwaited = false } = {}) {
      config.CONFIRM_WAIT_MS = isAwaited ? confirmWaitMs : 0
      await workers?.stop()
      workers = undefined
    },
    async account() {
      const account = await freshAccount(database.db)
      return { ...account, client: apiClient(api.url, account.key) }
    },
    async openBroadcast({ recipients = 3 } = {}) {
      const account = await gate.account()
      const proposer = await account.addMember({ name: 'Ada', ...addresses(0), tier: 'guarded_write' })
      for (let n = 1; n < recipients; n++) await account.addMember({ name: `Member ${n}`, ...addresses(n) })
      const actor = { email: proposer.email! }
      const answer = await account.client.propose(actor, 'Lunch is at noon.')
      if (answer.status !== 201) throw new Error(`proposing failed: ${JSON.stringify(answer)}`)
      return { account, client: account.client, proposer, actor, id: answer.body.id }
    },
    async stop() {
      await api.stop()
      await gate.stopWorkers()
      await deps.close()
      await sandbox.stop()
      await database.drop()
      if (isPrepared) await endSchedule(namespace)
    },
  }
  if (options.workers !== false) await gate.startWorkers()
  letGo(gate)
  return gate
}

/** Leaves nothing of a gate once its file has ended: 20 MB, through which each collection of garbage would go. */
export const letGo = (gate: Partial<TestGate>): void =>
  atEndOfFile(() => {
    for (const name of Object.keys(gate)) Reflect.deleteProperty(gate, name)
  })

/** Workflows run in the thread of the test: one of their own takes longer to start than the rest of a gate. */
async function inThisThread<T>(start: () => Promise<T>): Promise<T> {
  process.env['TEMPORAL_DEBUG'] = '1'
  try {
    return await start()
  } finally {
    delete process.env['TEMPORAL_DEBUG']
    // Temporal's SDK would follow each promise of the process from then on, and rewrite each stack.
    globalHandlers.uninstall()
  }
}

const { globalHandlers } = createRequire(import.meta.url)('@temporalio/worker/lib/workflow/vm-shared.js') as {
  globalHandlers: { uninstall(): void }
}

/** On a machine that is shared with other tests, Temporal may take longer than the second that a service gives it. */
const busyMs = 20_000
/** There an execution may also take longer than confirms and pages wait by default. */
const executedMs = 60_000

/** Recipient n: both channels, Slack alone, e-mail alone, by turns. The first has both. */
function addresses(n: number): { email?: string; slack?: string } {
  const [email, slack] = [`member${n}@example.com`, `U${String(n).padStart(8, '0')}`]
  return n % 3 === 0 ? { email, slack } : n % 3 === 1 ? { slack } : { email }
}
