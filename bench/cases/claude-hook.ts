import { type DrivenHome, installHook, makeHome, run } from '../../test/support/runner-run.ts'
import { benchAccount, runnerKeyOf } from '../support/accounts.ts'
import { quantile } from '../support/load.ts'
import type { BenchCase } from './case.ts'

const callsPerSession = 30

/**
 * The time that the hook adds to a tool call of a real Claude Code, whose model asks for a command that the rules allow. Sessions
 * with the hook and without take turns. Only on request: the first time it downloads Claude Code.
 */
export const claudeHook: BenchCase = {
  name: 'claude-hook',
  isOnRequest: true,
  async run(services, { seconds }) {
    const account = await benchAccount(services, { proposers: 1 })
    const key = await runnerKeyOf(account)
    const tookMs = { with: [] as number[], without: [] as number[] }
    const session = async (side: keyof typeof tookMs) => {
      const home = await makeHome('claude', { command: 'pwd', times: callsPerSession })
      try {
        if (side === 'with') await installHook(home, services.apiUrl, key)
        tookMs[side].push(...(await sessionOf(home)))
      } finally {
        await home.close()
      }
    }
    for (let pair = 0; pair < Math.max(2, Math.round(seconds / 2)); pair++) {
      for (const side of pair % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const))
        await session(side)
    }
    const [ours, bare] = [quantile(tookMs.with, 0.5), quantile(tookMs.without, 0.5)]
    const more = { with_p50_ms: ours, without_p50_ms: bare, calls: tookMs.with.length }
    return [
      {
        case: 'time that the hook adds to a call of Claude Code',
        clients: 1,
        unit: 'ms p50',
        ours: ours - bare,
        bare: null,
        ratio: null,
        target: { atMost: 30 },
        more,
      },
    ]
  },
}

/** The milliseconds of each tool call of a session. @throws Error if not every call ran */
async function sessionOf(home: DrivenHome): Promise<number[]> {
  const { output } = await run(home)
  const { tookMs, told } = home.models
  const isDone = tookMs.length === callsPerSession && !told.at(-1)!.includes('"is_error":true')
  if (!isDone) throw new Error(`${tookMs.length} of ${callsPerSession} calls ran: ${output.slice(-1_000)}`)
  return tookMs
}
