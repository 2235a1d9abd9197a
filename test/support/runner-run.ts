import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install } from '#hook'
import { gateKey } from './fake-gate.ts'
import type { FakeModels, ToolCall } from './fake-models.ts'
import { startFakeModels } from './fake-models.ts'
import { programIn, runnerFolder } from './runner-binaries.ts'
import type { DrivenRunner } from './runner-binaries.ts'
import { commands, environments, settle } from './runner-settings.ts'

/** A runner with a home of its own, whose model asks for one shell command: to make `file`. */
export interface DrivenHome {
  runner: DrivenRunner
  home: string
  work: string
  /** The tool ran if, and only if, this file exists. */
  file: string
  models: FakeModels
  program: string
  env: Record<string, string>
  close: () => Promise<void>
}

export interface Run {
  ran: boolean
  output: string
  /** CPU time of the runner and all that it started. */
  cpuMs: number
  ms: number
}

/** How long a run may take on a machine that is busy with other things. */
const runMs = 90_000

/** @param asks  what its model asks for instead: a command, or a call of a tool, so many times */
export async function makeHome(
  runner: DrivenRunner,
  asks?: { command: string | ToolCall; times: number },
): Promise<DrivenHome> {
  const installed = await runnerFolder(runner)
  const root = mkdtempSync(join(tmpdir(), `runner-${runner}-`))
  const [home, work, file] = [join(root, 'home'), join(root, 'work'), join(root, 'made')]
  mkdirSync(home)
  mkdirSync(work)
  const models = await startFakeModels(asks?.command ?? `touch ${file}`, asks?.times)
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TERM: 'xterm-256color',
    ...environments[runner](models.url),
  }
  settle[runner]({ home, models: models.url, installed })
  const close = async (): Promise<void> => {
    await models.close()
    rmSync(root, { recursive: true, force: true })
  }
  return { runner, home, work, file, models, program: programIn(installed, runner), env, close }
}

/** Puts the gate before the tool calls of the runner, as a member does. */
export async function installHook(
  { runner, env, program }: DrivenHome,
  url: string,
  key = gateKey,
): Promise<void> {
  const headless = runner === 'claude'
  await install({ runner, url, key, wait: 0, headless, env, binary: program, hasCanary: false })
}

/** What Claude Code prints without a terminal. */
export interface ClaudeResult {
  session_id: string
  stop_reason: string
  deferred_tool_use?: { id: string; name: string; input: object }
}
export const resultOf = (output: string): ClaudeResult =>
  JSON.parse(output.slice(0, output.lastIndexOf('}') + 1))

/** Where the scripts and keys of the hook are. */
export const hookFolder = ({ home }: DrivenHome): string => join(home, '.config/qualification-gate')

/** The hook waits for the gate for this long, and no longer. */
export function shortenWait(place: DrivenHome, seconds: number): void {
  const file = join(hookFolder(place), `${place.runner}.env`)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/GATE_SECONDS=\d+/, `GATE_SECONDS=${seconds}`))
}

/** Takes away what the hook signs with. */
export const loseKey = (place: DrivenHome): void => rmSync(join(hookFolder(place), `${place.runner}.key`))

/** Claude Code allows no command itself. */
export function forgetPermissions(place: DrivenHome): void {
  changeClaudeSettings(place, (settings) => {
    delete settings.permissions
  })
}

type ClaudeSettings = { permissions?: object }

function changeClaudeSettings({ home }: DrivenHome, change: (settings: ClaudeSettings) => void): void {
  const path = join(home, '.claude/settings.json')
  const settings = JSON.parse(readFileSync(path, 'utf8')) as ClaudeSettings
  change(settings)
  writeFileSync(path, JSON.stringify(settings))
}

/** Runs the runner without a terminal until it ends. @param more  further arguments */
export async function run(place: DrivenHome, ...more: string[]): Promise<Run> {
  const { runner, program, env, work, file } = place
  const began = performance.now()
  const timed = 'TIMEFORMAT="cpu %U %S"; time nice -n 10 "$@"'
  const child = spawn('bash', ['-c', timed, 'bash', program, ...commands[runner], ...more], {
    cwd: work,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what the runner started ends with it.
    detached: true,
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => output.push(bytes.toString()))
  const late = setTimeout(() => endGroup(child.pid), runMs)
  await once(child, 'close')
  clearTimeout(late)
  endGroup(child.pid)
  const text = output.join('')
  const [, user = '0', system = '0'] = /cpu ([\d.]+) ([\d.]+)\s*$/.exec(text) ?? []
  return {
    ran: existsSync(file),
    output: text,
    cpuMs: Math.round((Number(user) + Number(system)) * 1_000),
    ms: Math.round(performance.now() - began),
  }
}

export function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
