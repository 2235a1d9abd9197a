import { linkSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivateJson, writePrivateJson } from './private-file.ts'
import {
  identify,
  isRunning,
  postgresStopSteps,
  stopProcess,
  temporalStopSteps,
  type ProcessIdentity,
  type StopSteps,
} from '../system-process.ts'

/** `DATA_DIR/run.json`, mode 0600: the start that runs on this DATA_DIR, and what it started. */
export type RunFile = {
  /** the start itself */
  owner: ProcessIdentity
  /** the servers it started: stopped by the next start if this one is killed */
  servers: Partial<Record<ServerName, ProcessIdentity>>
  postgres?: { port: number; superuserUrl: string; ownerUrl: string; serviceUrl: string }
  temporal?: { address: string; uiUrl?: string | undefined }
  /** what the banner prints: base_url, console_url and so on */
  addresses: Record<string, string>
}

const placeAttemptsMax = 5

type ServerName = keyof typeof stopSteps

const stopSteps = { temporal: temporalStopSteps, postgres: postgresStopSteps } satisfies Record<
  string,
  StopSteps
>

export type RunClaim = {
  /** Adds to the file. Pids are those of running servers. */
  record(
    more: Partial<Omit<RunFile, 'owner' | 'servers'>> & { pids?: Partial<Record<ServerName, number>> },
  ): void
  /** Removes the file, when everything has been stopped. */
  release(): void
}

/**
 * Takes DATA_DIR for this process, and stops the servers that a killed start left.
 * @throws Error naming the process when another start runs on this DATA_DIR
 */
export async function claimRunFile(dataDir: string, log: (line: string) => void): Promise<RunClaim> {
  mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  const owner = identify(process.pid)
  if (!owner)
    throw new Error('This process cannot see itself in the process table: is /proc mounted, is `ps` there?')
  let run: RunFile = { owner, servers: {}, addresses: {} }
  const leftOver = takePlace(dataDir, run)
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

/** @returns what the start that is running now wrote; undefined when none runs on this DATA_DIR */
export function readRunFile(dataDir: string): RunFile | undefined {
  const found = readPrivateJson(fileOf(dataDir)) as RunFile | undefined
  return found && isRunning(found.owner) ? found : undefined
}

/**
 * Puts our file into its place. Linking fails when there is one, so of two that start at once one wins; a file whose
 * start is dead is moved away first, and moved back should another have been quicker.
 * @returns the file of a start that was killed, if there was one
 */
function takePlace(dataDir: string, run: RunFile): RunFile | undefined {
  const [file, draft, aside] = [
    fileOf(dataDir),
    `${fileOf(dataDir)}.${process.pid}`,
    `${fileOf(dataDir)}.old-${process.pid}`,
  ]
  writePrivateJson(draft, run)
  let leftOver: RunFile | undefined
  try {
    for (let attempt = 1; attempt <= placeAttemptsMax; attempt++) {
      if (link(draft, file)) return leftOver
      refuseIfRunning(dataDir, file)
      if (!moveAway(file, aside)) continue
      leftOver = readPrivateJson(aside) as RunFile
      if (isRunning(leftOver.owner)) link(aside, file)
      refuseIfRunning(dataDir, aside)
    }
    throw new Error(`${file} cannot be taken: several starts fight for it. Start one of them again.`)
  } finally {
    for (const path of [draft, aside]) rmSync(path, { force: true })
  }
}

function refuseIfRunning(dataDir: string, file: string): void {
  const other = readPrivateJson(file) as RunFile | undefined
  if (!other || !isRunning(other.owner)) return
  const where = other.addresses['base_url'] ? `, ${other.addresses['base_url']}` : ''
  throw new Error(
    `The service already runs on ${dataDir} (process ${other.owner.pid}${where}): stop it first, or set another DATA_DIR.`,
  )
}

/** @returns false when somebody else moved it first */
function moveAway(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
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
