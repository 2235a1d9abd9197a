import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anthropic, openai, startModel } from './model-on-loopback.js'
import { programs } from './runner-program.js'

/** @typedef {import('./index.js').Finding} Finding */
/** @typedef {import('./place.js').Located} Located */
/** @typedef {'ran' | 'blocked' | 'no call'} Verdict */
/** @typedef {{args: string[], env: Record<string, string>}} Start */

/**
 * Drives the runner itself with the settings of this machine, in the repository. A model on loopback asks for a shell command that
 * makes a file; whether the file is there is the verdict. The gate denies this command whatever the policy says, and records it.
 * @param {Located} place
 * @param {string | undefined} binary
 * @returns {Promise<Finding[]>}
 */
export async function liveFindings(place, binary) {
  const { runner } = place
  const { name } = programs[runner]
  if (runner !== 'claude' && runner !== 'codex')
    return [{ check: 'live', verdict: 'note', detail: `Not available for ${name}` }]
  const start = runner === 'claude' ? startClaude : startCodex
  const gated = await drive(place, binary, start(true))
  // A missing file shows nothing if the command does not even run without hooks.
  const control = gated === 'blocked' ? await drive(place, binary, start(false)) : gated
  if (gated === 'blocked' && control === 'ran')
    return [
      { check: 'live', verdict: 'blocks', detail: `${name} blocked a command that the gate did not allow` },
    ]
  if (gated === 'blocked' && control === 'blocked') {
    const detail = `${name} blocked the command, but also with hooks turned off: an administrator's hook, or another reason`
    return [{ check: 'live', verdict: 'note', detail }]
  }
  const detail =
    gated === 'ran'
      ? `${name} ran a command that the gate did not allow.${runner === 'codex' ? ' Trust the hook: start codex and enter /hooks' : ''}`
      : `${name} did not come to call a tool, so nothing was seen`
  return [{ check: 'live', verdict: 'fails', detail }]
}

/**
 * @param {Located} place
 * @param {string | undefined} binary
 * @param {(folder: string, model: string) => Start} start
 * @returns {Promise<Verdict>}
 */
async function drive(place, binary, start) {
  const folder = mkdtempSync(join(tmpdir(), 'gate-hook-'))
  const file = join(folder, 'ran')
  const speak = place.runner === 'claude' ? anthropic : openai
  const model = await startModel(speak(`true gate_canary && touch '${file}'`))
  try {
    await ended(binary ?? programs[place.runner].program, start(folder, model.url), place)
    if (existsSync(file)) return 'ran'
    return model.hasToolResult() ? 'blocked' : 'no call'
  } finally {
    model.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {boolean} hasHooks @returns {(folder: string, model: string) => Start} */
const startClaude = (hasHooks) => (folder, model) => {
  const env = { ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'none' }
  // Settings of the command line come before those of files, also in what they set in the environment.
  const settings = JSON.stringify({ env, ...(hasHooks ? {} : { disableAllHooks: true }) })
  const args = ['-p', 'Make the file.', '--allowedTools', 'Bash', '--add-dir', folder, '--settings', settings]
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' }
  return { args, env: { ...env, ...quiet } }
}

/** @param {boolean} hasHooks @returns {(folder: string, model: string) => Start} */
const startCodex = (hasHooks) => (_, model) => {
  const provider = `{name="canary",base_url="${model}/v1",env_key="GATE_CANARY_KEY",wire_api="responses"}`
  const overrides = [
    'model="canary"',
    'model_provider="gate_canary"',
    `model_providers.gate_canary=${provider}`,
    ...(hasHooks ? [] : ['features.hooks=false']),
  ]
  // The command only makes a file in a folder of its own. A sandbox would block it, and the hook would not be seen.
  const options = ['--skip-git-repo-check', '--sandbox', 'danger-full-access']
  const args = ['exec', ...options, ...overrides.flatMap((text) => ['-c', text]), 'Make the file.']
  return { args, env: { GATE_CANARY_KEY: 'none' } }
}

/**
 * @param {string} program
 * @param {Start} start
 * @param {Located} place
 * @returns {Promise<void>}
 */
const ended = (program, { args, env: more }, { repository, env }) =>
  new Promise((resolve) => {
    const options = { cwd: repository, env: { ...env, ...more }, timeout: 120_000 }
    const child = spawn(program, args, { ...options, stdio: 'ignore' })
    child.on('error', () => resolve())
    child.on('close', () => resolve())
  })
