import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { install } from '../../packages/hook/lib/index.js'
import { newMachine } from '../../packages/hook/test/machine.ts'

/** The program that a runner starts, on a machine of its own, with a working folder. */
export interface HookProgram {
  /** The working folder. */
  folder: string
  write(path: string, content: string | Buffer): void
  /** Asks about a call of Claude Code's Bash. `code` 10 lets it run. */
  ask(command: string, given?: { wait?: number }): Promise<{ code: number | null; said: string }>
  remove(): void
}

export async function hookProgram(url: string, key: string): Promise<HookProgram> {
  const machine = newMachine()
  // The folder is not where temporary files of tests are: in a folder of the system nothing counts as inside.
  const folder = mkdtempSync("/tmp/it's a project ")
  await install({ ...machine.options('claude', url), key, wait: 0 })
  const installed = '.config/qualification-gate'
  const settings = machine.read(`${installed}/claude.env`)
  const session = randomUUID()
  return {
    folder,
    write(path, content) {
      mkdirSync(join(folder, path, '..'), { recursive: true })
      writeFileSync(join(folder, path), content)
    },
    ask(command, { wait = 0 } = {}) {
      const waiting = settings
        .replace('wait=0', `wait=${wait}`)
        .replace(/(?<=GATE_SECONDS=)\d+/, String(wait + 20))
      machine.write(`${installed}/claude.env`, waiting, 0o600)
      const program = join(machine.home, installed, 'gate-hook.sh')
      const body = {
        session_id: session,
        cwd: folder,
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_input: { command },
        tool_use_id: `toolu_${randomUUID()}`,
      }
      return new Promise((resolve) => {
        const child = spawn('/bin/sh', [program, 'claude', 'tool-calls'], { env: {} })
        let said = ''
        child.stderr.on('data', (data) => (said += data))
        child.stdin.on('error', () => undefined)
        child.stdin.end(JSON.stringify(body))
        child.on('close', (code) => resolve({ code, said: said.replace(/^gate: /, '').trim() }))
      })
    },
    remove() {
      machine.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
