import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type AgentClientId, type GatePlace, agentClients } from '../../src/keys/agent-clients.ts'
import type { DrivenHome } from './runner-run.ts'
import type { DrivenRunner } from './runner-binaries.ts'

/** What docs/connect-an-agent.md and the console have people paste. */
const pasted = (id: AgentClientId, place: GatePlace): string => agentClients[id].lines(place)[0]!.text

/** Pastes a line into a shell in which the program has its name. */
async function paste({ program, env, work }: DrivenHome, text: string): Promise<void> {
  const line = `${text.split(' ')[0]}() { ${program} "$@"; }; ${text}`
  await promisify(execFile)('bash', ['-c', line], { env, cwd: work })
}

const connects: Record<DrivenRunner, (home: DrivenHome, place: GatePlace) => Promise<void> | void> = {
  claude(home, place) {
    // Its model is offered every tool from its first words on.
    Object.assign(home.env, { ENABLE_TOOL_SEARCH: 'false', MCP_CONNECTION_NONBLOCKING: '0' })
    return paste(home, pasted('claude-code', place))
  },
  codex({ home }, place) {
    const path = join(home, '.codex/config.toml')
    writeFileSync(path, `${readFileSync(path, 'utf8')}${pasted('codex', place)}\n`)
  },
  gemini: (home, place) => paste(home, pasted('gemini', place)),
  opencode({ home }, place) {
    const path = join(home, '.config/opencode/opencode.json')
    const [has, gets] = [readFileSync(path, 'utf8'), pasted('opencode', place)].map((text) =>
      JSON.parse(text),
    )
    writeFileSync(path, JSON.stringify({ ...has, ...gets }))
  },
}

/** Connects the program of an agent with a key, by the lines that people paste. */
export const connectAgent = async (home: DrivenHome, place: GatePlace): Promise<void> =>
  connects[home.runner](home, place)
