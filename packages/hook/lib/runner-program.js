import { spawnSync } from 'node:child_process'
import { HookError } from './hook-error.js'

/** @typedef {import('./index.js').Runner} Runner */
/** @typedef {{program: string, name: string, versionMin?: [number, number, number], why?: string}} Program */

/** @type {Record<Runner, Program>} */
export const programs = {
  claude: {
    program: 'claude',
    name: 'Claude Code',
    versionMin: [2, 1, 317],
    why: 'older versions ignore `onFailure: "block"` and run the tool when the gate cannot be reached',
  },
  codex: {
    program: 'codex',
    name: 'Codex',
    versionMin: [0, 124, 0],
    why: 'older versions do not run hooks unless they are turned on',
  },
  gemini: { program: 'gemini', name: 'Gemini CLI' },
  cursor: { program: 'cursor-agent', name: 'Cursor' },
  copilot: { program: 'copilot', name: 'Copilot' },
  opencode: { program: 'opencode', name: 'OpenCode' },
}

/**
 * Asks a runner for its version.
 * @param {import('./place.js').Located} place
 * @param {string | undefined} binary
 * @returns {string | null} null if the runner is not on this machine
 * @throws {HookError} on a version with which the hook does not block
 */
export function readVersion({ runner, env }, binary) {
  const { program, name, versionMin, why } = programs[runner]
  const { status, stdout, error } = spawnSync(binary ?? program, ['--version'], {
    env,
    encoding: 'utf8',
    timeout: 30_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const found = status === 0 ? /(?<!\d)\d+\.\d+\.\d+/.exec(stdout)?.[0] : undefined
  if (found === undefined) {
    const reason =
      error && 'code' in error && error.code === 'ENOENT' ? 'was not found' : 'did not tell its version'
    if (!versionMin && binary === undefined) return null
    throw new HookError(
      `${binary ?? program} ${reason}. Install ${name}${versionMin ? ` ${versionMin.join('.')} or newer` : ''}, or name its program with --binary.`,
    )
  }
  if (versionMin && isOlder(found.split('.').map(Number), versionMin))
    throw new HookError(
      `${name} ${found} cannot be gated: ${why}. Update to ${versionMin.join('.')} or newer.`,
    )
  return found
}

/** @param {number[]} version @param {number[]} than */
function isOlder(version, than) {
  const at = than.findIndex((part, i) => part !== version[i])
  return at !== -1 && /** @type {number} */ (version[at]) < /** @type {number} */ (than[at])
}
