import { spawnSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { migrate } from '../../src/db/migrate.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../dev/embedded/postgres.ts'
import { until } from '../support/supervisor.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

/** A migrated database with a standby that has every commit before it is acknowledged. */
export interface ReplicatedDatabase {
  /** The service's address, which leads to the primary, whichever it is. */
  serviceUrl: string
  superuserUrl: string
  /** Stops the stream to the standby. */
  stall(): Promise<void>
  resume(): void
  /** Resolves when a commit waits for the standby. */
  commitWaits(): Promise<void>
  /** SIGKILL of the primary, awaited. What was stalled never goes on. */
  killPrimary(): Promise<void>
  /** Makes the standby the primary, and leads the address to it. */
  promote(): Promise<void>
  stop(): Promise<void>
}

const standbyName = 'standby'

/** @param folder  of its data; the reaper finds its processes by it */
export async function startReplicatedDatabase(folder: string): Promise<ReplicatedDatabase> {
  const [primaryDir, standbyDir] = [join(folder, 'primary'), join(folder, 'standby')]
  const first = await startEmbeddedPostgres({ dataDir: primaryDir, log })
  await migrate(first.ownerUrl, first.serviceUrl, log)
  await first.stop()
  copyCluster(primaryDir, standbyDir)
  const primary = await startEmbeddedPostgres({ dataDir: primaryDir, log })
  followFrom(join(standbyDir, 'postgres'), primary)
  const standby = await startEmbeddedPostgres({ dataDir: standbyDir, log })
  await makeSynchronous(primary)

  const address = await startTcpProxy(`127.0.0.1:${primary.port}`)
  const port = address.address.split(':')[1]!
  const through = (url: string) => Object.assign(new URL(url), { port, pathname: '/gate' }).href
  // The process of the primary that streams to the standby.
  let sender = 0
  return {
    serviceUrl: through(primary.serviceUrl),
    superuserUrl: through(primary.superuserUrl),
    async stall() {
      const [row] = await onServer(primary, (sql) => sql`select pid from pg_stat_replication`)
      sender = row!['pid'] as number
      process.kill(sender, 'SIGSTOP')
    },
    resume: () => void process.kill(sender, 'SIGCONT'),
    async commitWaits() {
      const waiting = (sql: postgres.Sql) => sql`select 1 from pg_stat_activity where wait_event = 'SyncRep'`
      await until(
        'a commit waits for the standby',
        60_000,
        async () => (await onServer(primary, waiting)).length > 0,
      )
    },
    async killPrimary() {
      process.kill(primary.pid, 'SIGKILL')
      await primary.exited
      process.kill(sender, 'SIGKILL')
    },
    async promote() {
      // Fenced first: a backend of the old primary may outlive it by a moment.
      await address.refuse()
      await onServer(standby, (sql) => sql`select pg_promote(true, 60)`)
      address.leadTo(`127.0.0.1:${standby.port}`)
      await address.accept()
    },
    async stop() {
      await address.stop()
      await standby.stop()
      await primary.stop()
    },
  }
}

/** A copy of a stopped server is what pg_basebackup makes of a running one. */
function copyCluster(from: string, to: string): void {
  const done = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`The cluster cannot be copied: ${done.stderr}`)
}

function followFrom(clusterDir: string, primary: EmbeddedPostgres): void {
  const { username, password, port } = new URL(primary.superuserUrl)
  const source = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=${standbyName}`
  appendFileSync(join(clusterDir, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  writeFileSync(join(clusterDir, 'standby.signal'), '')
}

async function makeSynchronous(primary: EmbeddedPostgres): Promise<void> {
  await onServer(primary, (sql) =>
    sql.unsafe(`alter system set synchronous_standby_names = '${standbyName}'`),
  )
  await onServer(primary, (sql) => sql`select pg_reload_conf()`)
  await until('the standby is synchronous', 60_000, async () => {
    const [row] = await onServer(primary, (sql) => sql`select sync_state from pg_stat_replication`)
    return row?.['sync_state'] === 'sync'
  })
}

async function onServer(
  { superuserUrl }: EmbeddedPostgres,
  ask: (sql: postgres.Sql) => PromiseLike<postgres.Row[]>,
): Promise<postgres.Row[]> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} })
  try {
    return await ask(sql)
  } finally {
    await sql.end({ timeout: 2 })
  }
}

function log(line: string): void {
  process.stderr.write(`${line}\n`)
}
