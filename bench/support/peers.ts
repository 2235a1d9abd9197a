import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type postgres from 'postgres'
import { freePort } from '../../dev/embedded/free-port.ts'
import { projectRoot } from '../../src/process/root.ts'
import { type Started, type startNode, untilAnswering } from './processes.ts'

/** Another product that does the same job, on the same PostgreSQL server and the same stand-in. */
export interface Peer {
  url: string
  pid: number
}

export const howToInstall = 'npm install --prefix bench/peers --ignore-scripts'

interface PeerOptions {
  node(name: string, given: Omit<Parameters<typeof startNode>[0], 'logFile'>): Started
  superuser: postgres.Sql
  databaseUrl: URL
  sandboxUrl: string
}

/** Starts a program of `bench/peers` with an empty database. Undefined where the peers are not installed. */
export async function startPeer(name: string, options: PeerOptions): Promise<Peer | undefined> {
  const folder = join(projectRoot, 'bench/peers')
  if (!existsSync(join(folder, 'node_modules'))) return undefined
  const database = `peer_${name}`
  await options.superuser.unsafe(`create database ${database}`)
  const url = new URL(options.databaseUrl)
  url.pathname = `/${database}`
  const port = await freePort()
  const env = { DATABASE_URL: url.href, SANDBOX_URL: options.sandboxUrl, PORT: String(port) }
  const started = options.node(`peer-${name}`, { program: join(folder, `${name}.js`), env })
  const peer = { url: `http://127.0.0.1:${port}`, pid: started.pid }
  await untilAnswering(`${peer.url}/readyz`, started)
  return peer
}
