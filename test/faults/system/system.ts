import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Db, connect } from '../../../src/db/connect.ts'
import { type ProcessName, type Service, startService } from '../../support/supervisor.ts'
import { type StripeFaultServer, startStripeFaultServer } from '../../support/stripe-fault-server.ts'
import type { Bounds } from '../../support/shorten.ts'
import { ringOf } from '../../support/connect.ts'
import { type EdgeName, processes, targets } from '../schedule/steps.ts'
import { type Clocks, makeClocks } from './clocks.ts'
import { type Disk, diskOf, mountDisk } from './disk.ts'
import { type Edges, makeEdges } from './edges.ts'
import { type ExecutorStandIn, startExecutor } from './executor.ts'
import { type NotesServer, startNotesServer } from './notes-server.ts'

/** The whole service in real processes, with a network, clocks and a disk that can fail. */
export interface System {
  service: Service
  stripe: StripeFaultServer
  /** The executor of the declared kind that is executed by webhook, in every account. */
  executor: ExecutorStandIn
  /** The MCP server behind the gate, in every account. */
  notes: NotesServer
  edges: Edges
  clocks: Clocks
  /** Undefined where this user may not mount. */
  disk: Disk | undefined
  /** The database as the command line of administrators reaches it: over an edge. */
  adminDb: Db
  /** Copies Temporal's files, which must be down: the copy that is restored later. */
  keepTemporal(): void
  /** Puts the copy back; Temporal must be down. False where nothing was kept yet. */
  restoreTemporal(): boolean
  stop(): Promise<void>
}

/** The app of one deployment: it stands for real Slack, and signs as it. */
export const slackApp = { signingSecret: 'signed-by-the-faults-slack', team: 'TFAULT' }

/** What encrypts the secrets of webhooks and the keys of receipts. */
export const secretsKeys = ringOf('k1')
/** The account that may use the environment's Stripe. */
export const moneyAccount = 'acct_faultsMoney00000'

/** What takes minutes in production takes seconds here, so that a run sees it. */
const bounds: Bounds = {
  claimUnendedMs: 15_000,
  workflowStalledMs: 60_000,
  providerCallMs: 3_000,
  stripeCallMs: 3_000,
  slackReconcileMs: 4_000,
  billingBackoffMax: 4,
  databaseCallMs: 8_000,
  decideWaitMs: 2_000,
  executorCallMs: 3_000,
  executorCloseMs: 500,
  executorRepeatMs: 20_000,
  executorAgainMsMax: 4_000,
  executorPollMsMax: 2_000,
  claimWindowMs: 15_000,
  upstreamConnectMs: 3_000,
  upstreamListMs: 6_000,
  upstreamCallMs: 3_000,
  upstreamRefreshMs: 20_000,
  upstreamPutOffMs: 20_000,
  // These limits are not under test here.
  consentAsksPerHourMax: 1_000_000,
  consentAsksPerDayMax: 1_000_000,
  failedAuthenticationsPerMinute: 1_000_000,
}

export interface SystemOptions {
  /** The place of logs, clocks and the kept Temporal. */
  folder: string
  program?: string | undefined
  /** Runs on the migrated database before any process starts. */
  prepare?: ((sql: Service['sql']) => Promise<void>) | undefined
}

export async function startSystem({ folder, program, prepare }: SystemOptions): Promise<System> {
  const edges = await makeEdges()
  const stripe = await startStripeFaultServer()
  const executor = await startExecutor()
  const notes = await startNotesServer()
  const clocks = makeClocks(folder)
  const disk = mountDisk(diskOf(folder))
  let service: Service | undefined
  const stops = [
    () => edges.stop(),
    () => stripe.stop(),
    () => executor.stop(),
    () => notes.stop(),
    async () => disk?.unmount(),
  ]
  const stop = async () => {
    await service?.stop().catch(() => undefined)
    for (const one of stops) await one()
  }
  try {
    service = await startService({
      processes: [],
      hasOwnPostgres: true,
      hasOwnTemporal: true,
      ...(disk ? { postgresDir: join(disk.folder, 'data') } : {}),
      ...(program ? { program } : {}),
      bounds,
      nodeArgs: clocks.nodeArgs,
      env: (name) => environmentOf(name, edges, service!.serviceUrl),
    })
    leadEdges(edges, service, stripe)
    edges.leadTo('webhook', executor.address)
    edges.leadTo('notes', notes.address)
    await prepare?.(service.sql)
    await service.start(...processes)
  } catch (error) {
    await stop()
    throw error
  }
  const started = service
  const adminDb = connect(through(started.serviceUrl, edges.addressOf('admin-database')), {
    applicationName: 'gate cli',
    connectionsMax: 2,
  })
  stops.unshift(() => adminDb.close())
  const standIns = { stripe, executor, notes }
  return { service, ...standIns, edges, clocks, disk, adminDb, ...temporalKeeper(started, folder), stop }
}

function leadEdges(edges: Edges, service: Service, stripe: StripeFaultServer): void {
  const to = {
    database: new URL(service.serviceUrl).host,
    temporal: service.temporalAddress,
    messages: new URL(service.provider.slackApiUrl).host,
    money: new URL(stripe.apiBase).host,
  }
  for (const name of processes) for (const target of targets) edges.leadTo(`${name}-${target}`, to[target])
  edges.leadTo('admin-database', to.database)
}

function environmentOf(name: ProcessName, edges: Edges, serviceUrl: string): Record<string, string> {
  const at = (target: (typeof targets)[number]) => edges.addressOf(`${name}-${target}` as EdgeName)
  return {
    DATABASE_URL: through(serviceUrl, at('database')),
    TEMPORAL_ADDRESS: at('temporal'),
    SLACK_API_URL: `http://${at('messages')}/slack/`,
    SLACK_SIGNING_SECRET: slackApp.signingSecret,
    RESEND_BASE_URL: `http://${at('messages')}/resend`,
    STRIPE_SECRET_KEY: 'sk_test_faults',
    ENVIRONMENT_PROVIDERS_ACCOUNT: moneyAccount,
    STRIPE_API_BASE: `http://${at('money')}`,
    CONFIRM_WAIT_MS: '2000',
    TRUST_PROXY: 'true',
    SECRETS_KEYS: secretsKeys,
    EXECUTOR_ALLOW: '127.0.0.1',
  }
}

const through = (url: string, host: string) => Object.assign(new URL(url), { host }).href

const temporalFiles = ['', '-wal', '-shm'].map((suffix) => `temporal.db${suffix}`)

function temporalKeeper({ dataDir }: Service, folder: string) {
  const kept = join(folder, 'temporal-kept')
  const copy = (from: string, to: string) => {
    for (const file of temporalFiles) {
      rmSync(join(to, file), { force: true })
      if (existsSync(join(from, file))) cpSync(join(from, file), join(to, file))
    }
  }
  return {
    keepTemporal() {
      mkdirSync(kept, { recursive: true })
      copy(dataDir, kept)
    },
    restoreTemporal() {
      if (!existsSync(kept)) return false
      copy(kept, dataDir)
      return true
    },
  }
}
