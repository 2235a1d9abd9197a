import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseYaml } from 'yaml'
import { freePort } from '../../dev/embedded/free-port.ts'
import { projectRoot } from '../../src/process/root.ts'
import type { TemporalDatabase } from './temporal-database.ts'

/** The processes of the cluster. Shards move between the two of the history. */
export const members = ['frontend', 'history', 'history2', 'matching', 'worker'] as const
export type Member = (typeof members)[number]
export const roleOf = (member: Member) => (member === 'history2' ? 'history' : member)

/** Each is a lease that one history process holds: enough that each of the two surely holds some. */
export const shards = 16

export type Ports = Record<Member, { grpcPort: number; membershipPort: number }>

export async function portsOfMembers(): Promise<Ports> {
  const found = await Promise.all(
    members.map(async (member) => [
      member,
      { grpcPort: await freePort(), membershipPort: await lowFreePort() },
    ]),
  )
  return Object.fromEntries(found) as Ports
}

/** The column that it is published in is a smallint. */
async function lowFreePort(): Promise<number> {
  for (;;) {
    const port = await freePort(10_000 + Math.floor(Math.random() * 20_000))
    if (port < 32_768) return port
  }
}

/** Makes the folder of a member, with its configuration. Members find each other by a table of their database. */
export function writeConfig(
  folder: string,
  { member, ports, database }: { member: Member; ports: Ports; database: TemporalDatabase },
): void {
  mkdirSync(folder)
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `${database.host}:${database.port}`,
      connectProtocol: 'tcp',
      user: database.user,
      password: database.password,
      maxConns,
      maxIdleConns: maxConns,
    },
  })
  const rpc = (of: Member) => ({ rpc: { ...ports[of], bindOnLocalHost: true } })
  const active = { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend' }
  const config = {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: shards,
      datastores: { default: store(database.temporal, 8), visibility: store(database.visibility, 2) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: {
      frontend: rpc('frontend'),
      history: rpc(member === 'history2' ? 'history2' : 'history'),
      matching: rpc('matching'),
      worker: rpc('worker'),
    },
    clusterMetadata: {
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { ...active, rpcAddress: `127.0.0.1:${ports.frontend.grpcPort}` },
      },
    },
    dynamicConfigClient: { filepath: join(folder, 'dynamic.yaml'), pollInterval: '10s' },
  }
  // JSON is YAML.
  writeFileSync(join(folder, 'development.yaml'), JSON.stringify(config), { mode: 0o600 })
  writeFileSync(join(folder, 'dynamic.yaml'), dynamicConfigOfCompose())
}

/** The dynamic configuration of docker-compose.yml: what is tested and what is deployed do not differ. */
function dynamicConfigOfCompose(): string {
  const compose = parseYaml(readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8')) as {
    configs: { 'temporal-dynamic-config': { content: string } }
  }
  return compose.configs['temporal-dynamic-config'].content
}
