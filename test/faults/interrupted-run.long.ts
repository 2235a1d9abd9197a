import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'
import { builtProgram } from '../support/program.ts'
import { runFolder, until } from '../support/supervisor.ts'
import { commandOf, startedBy } from './system/processes.ts'

/** A run of faults as a command of its own, which uses the program that is compiled already. */
async function startRun() {
  const folder = mkdtempSync(join(tmpdir(), 'interrupted-'))
  chmodSync(folder, 0o711)
  symlinkSync(await builtProgram(runFolder()), join(folder, 'program'))
  const args = ['--import', './test/support/run-ts.js', 'test/faults/run.ts', '--seed', '1', '--faults', '50']
  const run = spawn(process.execPath, args, {
    cwd: projectRoot,
    env: { ...process.env, TEST_RUN_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  run.stdout.on('data', (data: Buffer) => void (said += data.toString()))
  const started = () => startedBy(run.pid!)
  return { folder, run, started, said: () => said }
}

const commandsOf = (processes: { command: string }[]) => processes.map(({ command }) => command).join('\n')

test.each([
  [
    'SIGINT',
    130,
    'while its servers start',
    (_said: string, started: string) => /postgres -D/.test(started) && /temporal server/.test(started),
  ],
  ['SIGTERM', 143, 'amid faults', (said: string) => /^ *3\b/m.test(said)],
] as const)(
  'a run of faults that is interrupted leaves no process, no disk and no folder: %s (exit code %d) %s',
  async (signal, code, _when, isThen) => {
    const { folder, run, started, said } = await startRun()
    await until('the run has come to that point', 120_000, () => isThen(said(), commandsOf(started())))
    const before = started()
    expect(commandsOf(before)).toMatch(/postgres -D/)
    const ended = once(run, 'exit')
    run.kill(signal)
    expect(await ended).toEqual([code, null])
    expect(before.filter(({ pid, command }) => commandOf(pid) === command)).toEqual([])
    expect(readdirSync(folder).filter((name) => name.startsWith('gate-faults-'))).toEqual([])
    if (existsSync('/proc/mounts')) expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(folder)
    rmSync(folder, { recursive: true, force: true })
  },
  180_000,
)
