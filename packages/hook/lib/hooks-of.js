import { join } from 'node:path'

/** @typedef {import('./json-file.js').Json} Json */
/** @typedef {import('./settings.js').Settings} Settings */
/** @typedef {{events: Record<string, Json>, base?: Json}} Hooks */

// The runner waits longer than the hook, so that the hook's own limit decides.
const marginSeconds = 20
const outcomeSeconds = 10

/**
 * The entries that put the gate before the tool calls of a runner, in the form of its settings.
 * @type {Record<Exclude<import('./index.js').Runner, 'opencode'>, (settings: Settings, scripts: string) => Hooks>}
 */
export const hooksOf = {
  claude: claudeHooks,
  // Only `hooks` and `description` may stand at the top of this file: otherwise Codex refuses it.
  codex: (settings, scripts) => ({
    events: {
      PreToolUse: { hooks: [{ ...before('codex', scripts), timeout: limitOf(settings) }] },
      PostToolUse: { hooks: [{ ...after('codex', scripts), timeout: outcomeSeconds }] },
    },
  }),
  // Gemini counts in milliseconds.
  gemini: (settings, scripts) => ({
    events: {
      BeforeTool: { hooks: [{ ...before('gemini', scripts), timeout: limitOf(settings) * 1000 }] },
      AfterTool: { hooks: [{ ...after('gemini', scripts), timeout: outcomeSeconds * 1000 }] },
    },
  }),
  cursor: (settings, scripts) => ({
    base: { version: 1 },
    events: {
      preToolUse: {
        command: before('cursor', scripts).command,
        timeout: limitOf(settings),
        failClosed: true,
      },
      postToolUse: { command: after('cursor', scripts).command, timeout: outcomeSeconds },
      postToolUseFailure: { command: after('cursor', scripts).command, timeout: outcomeSeconds },
    },
  }),
  // Event names in PascalCase give the fields and tool names of Claude Code.
  copilot: (settings, scripts) => ({
    base: { version: 1 },
    events: {
      PreToolUse: {
        type: 'command',
        bash: before('copilot', scripts).command,
        timeoutSec: limitOf(settings),
      },
      PostToolUse: {
        type: 'command',
        bash: after('copilot', scripts).command,
        timeoutSec: outcomeSeconds,
      },
    },
  }),
}

/**
 * Claude Code calls the gate itself: no process is started for a tool call.
 * @param {Settings} settings
 * @returns {Hooks}
 */
function claudeHooks({ url, query, seconds }) {
  const hook = (/** @type {string} */ path, /** @type {Json} */ rest) => ({
    matcher: '*',
    hooks: [
      {
        type: 'http',
        url: `${url}/api/v1/runner/${path}`,
        headers: { Authorization: 'Bearer $GATE_KEY', 'x-runner-entrypoint': '$CLAUDE_CODE_ENTRYPOINT' },
        allowedEnvVars: ['GATE_KEY', 'CLAUDE_CODE_ENTRYPOINT'],
        ...rest,
      },
    ],
  })
  const outcome = hook('outcomes?runner=claude', { timeout: outcomeSeconds })
  return {
    events: {
      PreToolUse: hook(`tool-calls?${query}`, { timeout: seconds, onFailure: 'block' }),
      PostToolUse: outcome,
      PostToolUseFailure: outcome,
    },
  }
}

/** @param {Settings} settings */
const limitOf = ({ seconds }) => seconds + marginSeconds

/**
 * Whatever happens to the script, also when it is gone: exit code 2 with a reason, without which Codex and Gemini run the tool.
 * @param {string} runner
 * @param {string} scripts
 */
const before = (runner, scripts) => ({
  type: 'command',
  command: `${shellPath(scripts, 'gate-hook.sh')} ${runner} || { echo "gate: the tool call was not allowed" >&2; exit 2; }`,
})

/** @param {string} runner @param {string} scripts */
const after = (runner, scripts) => ({
  type: 'command',
  command: `${shellPath(scripts, 'gate-outcome.sh')} ${runner} || true`,
})

/** @param {string} folder @param {string} name */
function shellPath(folder, name) {
  const path = join(folder, name)
  return folder.startsWith('$') ? `"${path}"` : `'${path.replaceAll("'", `'\\''`)}'`
}

/** As a shell of any member finds their own folder, for a file of a project that several members use. */
export const sharedScripts = '${XDG_CONFIG_HOME:-$HOME/.config}/qualification-gate'
