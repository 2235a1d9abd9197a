import { spawn, type ChildProcess } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdtempSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../dev/embedded/postgres.ts'
import { startEmbeddedTemporal } from '../../dev/embedded/temporal.ts'
import { projectRoot } from '../../src/process/root.ts'
import { makeTemplate } from './database.ts'

/** What the teardown needs; both run in the main process of jest. */
export type TestServices = { reaper: ChildProcess; stops: (() => Promise<void>)[] }
declare global {
  var testServices: TestServices | undefined
}

const log = (line: string): void => void process.stderr.write(`${line}\n`)

/**
 * Starts one PostgreSQL and one Temporal server for the whole run, and tells the tests by environment variables where
 * they are. `npm run test:unit` does without.
 */
export default async function setup(): Promise<void> {
  const folder = mkdtempSync(join(tempRoot(), 'gate-test-'))
  chmodSync(folder, 0o711)
  // Whatever else the tests make for a while goes with it.
  process.env['TMPDIR'] = folder
  const services: TestServices = { reaper: startReaper(folder), stops: [] }
  globalThis.testServices = services
  const bundling = bundleWorkflows(folder)
  // Both run to their end before one of them may fail: the reaper must find what was started.
  const starting = [
    startEmbeddedPostgres({ dataDir: join(folder, 'data'), log }),
    startEmbeddedTemporal({ dbFile: join(folder, 'temporal.db'), headless: true, log }),
  ] as const
  await Promise.allSettled([...starting, bundling])
  const [postgres, temporal] = await Promise.all(starting)
  services.stops = [temporal.stop, postgres.stop]
  process.env['TEST_RUN_DIR'] = folder
  process.env['TEST_PG_SUPERUSER_URL'] = postgres.superuserUrl
  process.env['TEST_PG_OWNER_URL'] = postgres.ownerUrl
  process.env['TEST_PG_SERVICE_URL'] = postgres.serviceUrl
  process.env['TEST_TEMPORAL_ADDRESS'] = temporal.address
  if (temporal.program) process.env['TEST_TEMPORAL_PROGRAM'] = temporal.program
  await Promise.all([makeTemplate(), bundling])
}

/** A folder in memory where there is room: tests write much, and nothing of it need outlive the machine. */
function tempRoot(): string {
  if (process.env['TMPDIR'] !== undefined) return tmpdir()
  try {
    accessSync(sharedMemory, constants.W_OK | constants.X_OK)
    const { type, bavail, bsize } = statfsSync(sharedMemory)
    return type === tmpfsMagic && bavail * bsize >= roomBytesMin ? sharedMemory : tmpdir()
  } catch {
    return tmpdir()
  }
}

const sharedMemory = '/dev/shm'
/** @source statfs(2) */
const tmpfsMagic = 0x01021994
const roomBytesMin = 6 * 2 ** 30

/** Bundled once here: each test file that runs a worker saves two seconds. */
async function bundleWorkflows(folder: string): Promise<void> {
  const workflowsPath = join(projectRoot, 'test', 'support', 'workflows.ts')
  const { bundleWorkflowCode } = await import('@temporalio/worker')
  const silent = { trace: noop, debug: noop, info: noop, warn: log, error: log, log: noop }
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: silent })
  const file = join(folder, 'workflow-bundle.js')
  writeFileSync(file, code)
  process.env['TEST_WORKFLOW_BUNDLE'] = file
}

/** A process of its own that cleans up when this one is killed: it notices because its input ends. */
function startReaper(folder: string): ChildProcess {
  const program = join(projectRoot, 'test', 'support', 'reaper.js')
  const reaper = spawn(process.execPath, [program, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  reaper.unref()
  return reaper
}

function noop(): void {}
