import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { claimFile, ownIdentity } from './claim-file.ts'
import { readPrivateJson, writePrivateJson } from './private-file.ts'
import {
  identify,
  isRunning,
  postgresStopSteps,
  stopProcess,
  temporalStopSteps,
  type ProcessIdentity,
  type StopSteps,
} from '../process/system-process.ts'

/** `DATA_DIR/run.json`, mode 0600: the process that is running on this DATA_DIR, and the servers it started. */
export type RunFile = {
  /** the process of `npm start` */
  owner: ProcessIdentity
  /** the servers it started; the next start stops them if this process is killed */
  servers: Partial<Record<ServerName, ProcessIdentity>>
  postgres?: { port: number; superuserUrl: string; ownerUrl: string; serviceUrl: string }
  temporal?: { address: string; uiUrl?: string | undefined }
  /** the addresses in the banner: base_url, console_url and others */
  addresses: Record<string, string>
}

type ServerName = keyof typeof stopSteps

const stopSteps = { temporal: temporalStopSteps, postgres: postgresStopSteps } satisfies Record<
  string,
  StopSteps
>

export type RunClaim = {
  /** Adds fields to the file. Pids must be those of running servers. */
  record(
    more: Partial<Omit<RunFile, 'owner' | 'servers'>> & { pids?: Partial<Record<ServerName, number>> },
  ): void
  /** Removes the file after everything has stopped. */
  release(): void
}

/**
 * Claims DATA_DIR for this process, and stops the servers that a killed start left running.
 * @throws Error that names the process if another one is running on this DATA_DIR
 * @source docs/quickstart.md#start-the-service
 */
export async function claimRunFile(dataDir: string, log: (line: string) => void): Promise<RunClaim> {
  mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  const owner = ownIdentity()
  let run: RunFile = { owner, servers: {}, addresses: {} }
  const leftOver = claimFile(fileOf(dataDir), run, (other) => refusal(dataDir, other))
  await stopServers(leftOver, log)
  return {
    record({ pids = {}, ...more }) {
      const servers = { ...run.servers }
      for (const name of Object.keys(pids) as ServerName[]) {
        const identity = identify(pids[name] ?? 0)
        if (identity) servers[name] = identity
      }
      run = { ...run, ...more, servers, addresses: { ...run.addresses, ...more.addresses } }
      writePrivateJson(fileOf(dataDir), run)
    },
    release: () => rmSync(fileOf(dataDir), { force: true }),
  }
}

/** @returns the run file of the running process; undefined if none is running on this DATA_DIR */
export function readRunFile(dataDir: string): RunFile | undefined {
  const found = readPrivateJson(fileOf(dataDir)) as RunFile | undefined
  return found && isRunning(found.owner) ? found : undefined
}

function refusal(dataDir: string, { owner, addresses }: RunFile): string {
  const where = addresses['base_url'] ? `, ${addresses['base_url']}` : ''
  return `The service is already running on ${dataDir} (process ${owner.pid}${where}). Stop it first, or set another DATA_DIR.`
}

async function stopServers(leftOver: RunFile | undefined, log: (line: string) => void): Promise<void> {
  for (const name of Object.keys(stopSteps) as ServerName[]) {
    const server = leftOver?.servers[name]
    if (!server || !isRunning(server)) continue
    log(`Stopping the ${name} server that an earlier start left running (process ${server.pid}).`)
    await stopProcess(server, stopSteps[name])
  }
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'run.json')
}
