import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { type Runner, install } from '#hook'
import { type Machine, newMachine } from '../../packages/hook/test/machine.ts'
import type { TestAccount, TestMember } from '../support/account.ts'
import type { TestGate } from '../support/gate.ts'

/** What a runner says of a call before it makes it. */
export interface Call {
  tool: string
  input: Record<string, unknown>
  cwd?: string
}

export interface Ended {
  /** 0: the runner makes the call. 2: it does not. */
  code: number | null
  said: string
}

export interface HookedMachine extends Machine {
  /** Starts the entry that stands in the settings of the runner, as it would, in the folder of the project. */
  ask(call: Call, env?: Record<string, string>): Promise<Ended>
}

/** A machine with the hook before a runner, under a key of its own of a real gate. */
export async function hookedMachine(
  gate: TestGate,
  account: TestAccount,
  { member, runner = 'claude' }: { member: TestMember; runner?: Exclude<Runner, 'opencode'> },
): Promise<HookedMachine> {
  const { key } = await account.mintKey({ powers: ['runner'], actors: [member] })
  const machine = newMachine()
  await install({ ...machine.options(runner, gate.api.url), key, wait: 0 })
  const session = randomUUID()
  return {
    ...machine,
    ask: ({ tool, input, cwd = '/work/app' }, env = {}) =>
      start(machine, entryOf(machine, runner), env, {
        session_id: session,
        conversation_id: session,
        cwd,
        hook_event_name: { gemini: 'BeforeTool', cursor: 'preToolUse' }[runner as string] ?? 'PreToolUse',
        tool_name: tool,
        tool_input: input,
        tool_use_id: `toolu_${randomUUID()}`,
      }),
  }
}

const files = {
  claude: ['.claude/settings.json', 'PreToolUse'],
  codex: ['.codex/hooks.json', 'PreToolUse'],
  gemini: ['.gemini/settings.json', 'BeforeTool'],
  cursor: ['.cursor/hooks.json', 'preToolUse'],
  copilot: ['.copilot/hooks/qualification-gate.json', 'PreToolUse'],
} as const

function entryOf({ read }: Machine, runner: keyof typeof files): string {
  const [file, event] = files[runner]
  const [entry] = JSON.parse(read(file)).hooks[event]
  const { command, bash } = entry.hooks?.[0] ?? entry
  return command ?? bash
}

function start(machine: Machine, command: string, env: Record<string, string>, body: object): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      env: { ...machine.env, ...env },
      cwd: machine.project,
    })
    let said = ''
    child.stdout.resume()
    child.stderr.on('data', (data) => (said += data))
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify(body))
    child.on('close', (code) => resolve({ code, said }))
  })
}
