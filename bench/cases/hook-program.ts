import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install } from '#hook'
import { benchAccount, runnerKeyOf } from '../support/accounts.ts'
import { quantile } from '../support/load.ts'
import type { BenchCase } from './case.ts'

const callOf = (cwd: string, tool: string, input: object): string =>
  JSON.stringify({
    hook_event_name: 'preToolUse',
    conversation_id: 'c',
    cwd,
    tool_name: tool,
    tool_input: input,
  })

/**
 * The time of the installed hook beside one that is `exit 0`: for a call that the rules allow, and for one that waits for its member and
 * runs a file, so that the hook reads it and asks twice. All are started as a runner does, and take turns.
 */
export const hookProgram: BenchCase = {
  name: 'hook-program',
  async run(services, { seconds }) {
    const key = await runnerKeyOf(await benchAccount(services, { proposers: 1 }))
    const home = mkdtempSync(join(tmpdir(), 'hook-program-'))
    try {
      writeFileSync(join(home, 'deploy.sh'), 'echo deployed\n')
      const env = { HOME: home, PATH: '/usr/bin:/bin' }
      await install({ runner: 'cursor', url: services.apiUrl, key, env, hasCanary: false, wait: 0 })
      const { hooks } = JSON.parse(readFileSync(join(home, '.cursor/hooks.json'), 'utf8'))
      const hook = hooks.preToolUse[0].command
      const allowed = callOf(home, 'Read', { file_path: join(home, 'README.md') })
      const waits = callOf(home, 'Shell', { command: 'sh deploy.sh' })
      const tookMs = { bare: [] as number[], allowed: [] as number[], waits: [] as number[] }
      const until = performance.now() + seconds * 1_000
      while (performance.now() < until) {
        tookMs.bare.push(await timeOf('exit 0', env, allowed))
        tookMs.allowed.push(await timeOf(hook, env, allowed))
        tookMs.waits.push(await timeOf(hook, env, waits, /action \d+/))
      }
      const bare = quantile(tookMs.bare, 0.5)
      const finding = (name: string, times: number[]) => ({
        case: name,
        clients: 1,
        unit: 'ms p50',
        ours: quantile(times, 0.5) - bare,
        bare: null,
        ratio: null,
        more: { hook_p50_ms: quantile(times, 0.5), bare_p50_ms: bare, calls: times.length },
      })
      return [
        {
          ...finding('time of the hook beside one that is `exit 0`', tookMs.allowed),
          target: { atMost: 30 },
        },
        finding('the same for a call that waits and runs a file: two requests', tookMs.waits),
      ]
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  },
}

/**
 * @param waits  what it says where it blocks; absent: it allows
 * @throws Error if it ended otherwise
 */
const timeOf = (
  command: string,
  env: Record<string, string>,
  call: string,
  waits?: RegExp,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const child = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (data) => (said += data))
    child.stdin.on('error', () => undefined)
    child.stdin.end(call)
    child.on('close', (code) => {
      const isExpected = waits ? code === 2 && waits.test(said) : code === 0
      if (isExpected) resolve(performance.now() - began)
      else reject(new Error(`exit code ${code}: ${said}`))
    })
  })
