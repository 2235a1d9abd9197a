import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install } from '#hook'
import { benchAccount, runnerKeyOf } from '../support/accounts.ts'
import { quantile } from '../support/load.ts'
import type { BenchCase } from './case.ts'

const call = JSON.stringify({
  hook_event_name: 'preToolUse',
  conversation_id: 'c',
  cwd: '/work/project',
  tool_name: 'Read',
  tool_input: { file_path: '/work/project/README.md' },
})

/**
 * The time of the installed hook for a call that the rules allow, beside a hook that is `exit 0`. Both are started as a runner does,
 * and take turns.
 */
export const hookProgram: BenchCase = {
  name: 'hook-program',
  async run(services, { seconds }) {
    const key = await runnerKeyOf(await benchAccount(services, { proposers: 1 }))
    const home = mkdtempSync(join(tmpdir(), 'hook-program-'))
    try {
      const env = { HOME: home, PATH: '/usr/bin:/bin' }
      await install({ runner: 'cursor', url: services.apiUrl, key, env, hasCanary: false })
      const { hooks } = JSON.parse(readFileSync(join(home, '.cursor/hooks.json'), 'utf8'))
      const tookMs = { ours: [] as number[], bare: [] as number[] }
      const until = performance.now() + seconds * 1_000
      while (performance.now() < until) {
        tookMs.bare.push(await timeOf('exit 0', env))
        tookMs.ours.push(await timeOf(hooks.preToolUse[0].command, env))
      }
      const [ours, bare] = [quantile(tookMs.ours, 0.5), quantile(tookMs.bare, 0.5)]
      return [
        {
          case: 'time of the hook beside one that is `exit 0`',
          clients: 1,
          unit: 'ms p50',
          ours: ours - bare,
          bare: null,
          ratio: null,
          target: { atMost: 30 },
          more: { hook_p50_ms: ours, bare_p50_ms: bare, calls: tookMs.ours.length },
        },
      ]
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  },
}

/** @throws Error if the call was not allowed */
const timeOf = (command: string, env: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const child = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (data) => (said += data))
    child.stdin.on('error', () => undefined)
    child.stdin.end(call)
    child.on('close', (code) =>
      code === 0 ? resolve(performance.now() - began) : reject(new Error(`exit code ${code}: ${said}`)),
    )
  })
