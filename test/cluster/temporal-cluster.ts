import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client'
import { until } from '../support/supervisor.ts'
import { serverPrograms } from './server-programs.ts'
import { type Member, members, portsOfMembers, roleOf, shards, writeConfig } from './temporal-config.ts'
import { type TemporalDatabase, makeTemporalDatabase } from './temporal-database.ts'

/** A Temporal server as it is deployed: each role a process of its own, on PostgreSQL. */
export interface TemporalCluster {
  /** `host:port` of the frontend. */
  address: string
  database: TemporalDatabase
  pidOf(member: Member): number
  /** SIGKILL, awaited. */
  kill(member: Member): Promise<void>
  /** A new process on the ports of one that was killed. */
  start(member: Member): Promise<void>
  /** The members that do not run. */
  down(): Member[]
  /** Resolves when every shard of the history answers. */
  answering(): Promise<void>
  stop(): Promise<void>
}

const namespace = 'default'
const answerMs = 180_000

/**
 * Starts the cluster, with databases of its own on the given server.
 * @param options.folder  of its configuration and logs; the reaper finds its processes by it
 */
export async function startTemporalCluster(options: {
  folder: string
  superuserUrl: string
}): Promise<TemporalCluster> {
  const programs = await serverPrograms()
  const folder = mkdtempSync(join(options.folder, 'temporal-cluster-'))
  const database = await makeTemporalDatabase(programs, options.superuserUrl)
  const ports = await portsOfMembers()
  for (const member of members) writeConfig(join(folder, member), { member, ports, database })
  const children = new Map<Member, ChildProcess>()
  const address = `127.0.0.1:${ports.frontend.grpcPort}`

  const cluster: TemporalCluster = {
    address,
    database,
    pidOf: (member) => children.get(member)?.pid ?? 0,
    kill: (member) => end(children.get(member), 'SIGKILL'),
    async start(member) {
      children.set(member, spawnMember(programs.server, join(folder, member), roleOf(member)))
    },
    down: () => members.filter((member) => hasEnded(children.get(member))),
    answering: () => withConnection(address, untilEveryShardAnswers),
    async stop() {
      // The frontend last: what the others do as they end may still ask it.
      for (const member of [...members].reverse()) await end(children.get(member), 'SIGTERM')
      await database.drop()
    },
  }
  try {
    // The first of all writes the metadata of the cluster, and of two at once one would fail.
    await cluster.start('frontend')
    await Promise.race([withConnection(address, untilServing), firstExit(children)])
    for (const member of members.filter((one) => one !== 'frontend')) await cluster.start(member)
    const failed = firstExit(children)
    await Promise.race([withConnection(address, makeNamespace), failed])
    await Promise.race([cluster.answering(), failed])
    return cluster
  } catch (error) {
    const logs = members.map((member) => `${member}: ${tailOf(join(folder, member, 'log'))}`)
    await cluster.stop().catch(() => undefined)
    throw new Error(`The Temporal cluster does not start.\n${logs.join('\n')}`, { cause: error })
  }
}

/** Starts a member in a process group of its own, as the other servers. */
function spawnMember(program: string, folder: string, role: string): ChildProcess {
  const output = openSync(join(folder, 'log'), 'a')
  const args = ['--root', folder, '--config', '.', '--env', 'development', '--allow-no-auth']
  const child = spawn(program, [...args, 'start', '--service', role], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  return child
}

/** Rejects when one of them ends. */
async function firstExit(children: Map<Member, ChildProcess>): Promise<never> {
  const member = await Promise.race(
    [...children].map(([member, child]) => once(child, 'exit').then(() => member)),
  )
  throw new Error(`${member} has ended.`)
}

const hasEnded = (child: ChildProcess | undefined) =>
  child === undefined || child.exitCode !== null || child.signalCode !== null

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || hasEnded(child)) return
  const gone = once(child, 'exit')
  child.kill(signal)
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
  await gone
  clearTimeout(late)
}

const tailOf = (file: string) => readFileSync(file, 'utf8').slice(-1_000)

async function withConnection(
  address: string,
  use: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connection = Connection.lazy({ address })
  try {
    await use(connection)
  } finally {
    await connection.close()
  }
}

async function untilServing(connection: Connection): Promise<void> {
  await until('the frontend serves', answerMs, () =>
    answersWithin(5_000, connection, () => connection.workflowService.getSystemInfo({})),
  )
}

async function makeNamespace(connection: Connection): Promise<void> {
  await until('the frontend registers the namespace', answerMs, () =>
    answersWithin(5_000, connection, async () => {
      await connection.workflowService
        .registerNamespace({
          namespace,
          workflowExecutionRetentionPeriod: { seconds: (30 * 86_400) as never },
        })
        .catch((error: Error) => {
          if (!/already registered|already exists/i.test(error.message)) throw error
        })
      await connection.operatorService.listSearchAttributes({ namespace })
    }),
  )
}

/** Asks for workflows that do not exist, enough of them to meet each shard. */
async function untilEveryShardAnswers(connection: Connection): Promise<void> {
  const client = new Client({ connection, namespace })
  const ids = Array.from({ length: 8 * shards }, (_, n) => `nobody-${n}`)
  await until('every shard of the history answers', answerMs, () =>
    answersWithin(5_000, connection, () =>
      Promise.all(
        ids.map((id) =>
          client.workflow
            .getHandle(id)
            .describe()
            .catch((error: unknown) => {
              if (!(error instanceof WorkflowNotFoundError)) throw error
            }),
        ),
      ),
    ),
  )
}

function answersWithin(ms: number, connection: Connection, ask: () => Promise<unknown>): Promise<boolean> {
  return connection.withDeadline(Date.now() + ms, ask).then(
    () => true,
    () => false,
  )
}
