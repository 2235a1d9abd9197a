import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startModel } from './model-on-loopback.js'
import { programs } from './runner-program.js'

/** @typedef {import('./index.js').Finding} Finding */
/** @typedef {import('./place.js').Located} Located */
/** @typedef {'ran' | 'blocked' | 'no call'} Verdict */

/**
 * Drives Claude Code itself with the settings of this machine. A model on loopback asks for a shell command that makes a file;
 * whether the file is there is the verdict. The gate does not know the key of that run, so it must be blocked.
 * @param {Located} place
 * @param {string | undefined} binary
 * @returns {Promise<Finding[]>}
 */
export async function liveFindings(place, binary) {
  if (place.runner !== 'claude')
    return [{ check: 'live', verdict: 'note', detail: `Not available for ${programs[place.runner].name}` }]
  // Where the command does not even run without hooks, a missing file shows nothing.
  const control = await drive(place, binary, { disableAllHooks: true })
  const gated = await drive(place, binary, {})
  if (gated === 'blocked' && control === 'ran')
    return [
      { check: 'live', verdict: 'blocks', detail: 'Claude Code blocked a call that the gate did not answer' },
    ]
  if (gated === 'blocked' && control === 'blocked')
    return [
      {
        check: 'live',
        verdict: 'blocks',
        detail: 'Claude Code blocked the call, also with hooks turned off',
      },
    ]
  const detail =
    gated === 'ran'
      ? 'Claude Code ran a command that the gate did not allow'
      : 'Claude Code did not come to call a tool, so nothing was seen'
  return [{ check: 'live', verdict: 'fails', detail }]
}

/**
 * @param {Located} place
 * @param {string | undefined} binary
 * @param {object} settings
 * @returns {Promise<Verdict>}
 */
async function drive(place, binary, settings) {
  const folder = mkdtempSync(join(tmpdir(), 'gate-hook-'))
  const file = join(folder, 'ran')
  const model = await startModel('Bash', { command: `touch '${file}'`, description: 'Make a file' })
  const env = { GATE_KEY: 'not-a-key-of-this-gate', ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none' }
  const given = JSON.stringify({ ...settings, env })
  const args = ['-p', 'Make the file.', '--allowedTools', 'Bash', '--add-dir', folder, '--settings', given]
  try {
    await end(binary ?? programs.claude.program, args, place, env)
    if (existsSync(file)) return 'ran'
    return model.hasToolResult() ? 'blocked' : 'no call'
  } finally {
    model.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {Located} place
 * @param {Record<string, string>} more
 * @returns {Promise<void>}
 */
const end = (program, args, { dir, env }, more) =>
  new Promise((resolve) => {
    const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' }
    const options = { cwd: dir, env: { ...env, ...quiet, ...more }, timeout: 120_000 }
    const child = spawn(program, args, { ...options, stdio: 'ignore' })
    child.on('error', () => resolve())
    child.on('close', () => resolve())
  })
