import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'

/** Where TEMPORAL_ADDRESS names the server of this run, there is no program to start others from. */
export const withTemporal = process.env['TEST_TEMPORAL_PROGRAM'] ? test : test.skip

const cleanUps: (() => unknown)[] = []

/** Runs at the end of the test, last in first out. */
export function later<T>(cleanUp: () => T): void {
  cleanUps.push(cleanUp)
}

/** For `afterEach`: every cleanup runs, and the first failure is told. */
export async function cleanUp(): Promise<void> {
  const failures: unknown[] = []
  for (const step of cleanUps.splice(0).reverse()) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * A folder for this test, which other users may pass through. Inside the folder of the run: what is started there is
 * stopped even when jest is killed.
 */
export function folder(mode = 0o711): string {
  const made = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'embedded-'))
  chmodSync(made, mode)
  later(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Gathers what was logged. */
export function logBook(): { log: (line: string) => void; lines: string[]; text(): string } {
  const lines: string[] = []
  return { lines, log: (line) => void lines.push(line), text: () => lines.join('\n') }
}

export type Start = {
  child: ChildProcess
  pids: { postgres?: number; temporal?: number }
  kill(): Promise<void>
}

/** A start in a process of its own, to be killed with SIGKILL: its servers live on. */
export async function startElsewhere(
  dataDir: string,
  ...servers: ('postgres' | 'temporal')[]
): Promise<Start> {
  const child = spawnStart(dataDir, ...servers)
  const { value } = await createInterface(child.stdout!)[Symbol.asyncIterator]().next()
  if (!value) throw new Error('The other start said nothing.')
  return { child, pids: JSON.parse(value) as Start['pids'], kill: () => killHard(child) }
}

export function spawnStart(dataDir: string, ...servers: string[]): ChildProcess {
  const program = join(projectRoot, 'test', 'embedded', 'start-servers.ts')
  const hooks = join(projectRoot, 'test', 'support', 'run-ts.js')
  const child = spawn(process.execPath, ['--no-warnings', '--import', hooks, program, dataDir, ...servers], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, TEMPORAL_ADDRESS: '' },
  })
  child.stderr?.resume()
  later(() => killHard(child))
  return child
}

export async function killHard(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** A process that has nothing to do with us. */
export function stranger(): ChildProcess & { pid: number } {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  later(() => killHard(child))
  if (!child.pid) throw new Error('`sleep` does not run.')
  return child as ChildProcess & { pid: number }
}
