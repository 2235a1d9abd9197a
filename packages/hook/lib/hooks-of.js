import { askCommand, reportCommand } from './commands.js'

/** @typedef {import('./commands.js').Scripts} Scripts */
/** @typedef {import('./json-file.js').Json} Json */
/** @typedef {import('./settings.js').Settings} Settings */
/** @typedef {{events: Record<string, Json>, base?: Json}} Hooks */

// The runner waits longer than the hook, so that the hook's own limit decides.
const marginSeconds = 20
const outcomeSeconds = 10

/**
 * The entries that put the gate before the tool calls of a runner, in the form of its settings.
 * @type {Record<Exclude<import('./index.js').Runner, 'opencode'>, (settings: Settings, scripts: Scripts) => Hooks>}
 */
export const hooksOf = {
  claude: (settings, scripts) => ({
    events: {
      PreToolUse: claudeGroup({
        type: 'command',
        command: askCommand(scripts, 'claude', isHeadless(settings)),
        timeout: limitOf(settings),
        onFailure: 'block',
      }),
      PostToolUse: claudeGroup({ ...after('claude', scripts), timeout: outcomeSeconds }),
      PostToolUseFailure: claudeGroup({ ...after('claude', scripts), timeout: outcomeSeconds }),
    },
  }),
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
      BeforeTool: {
        hooks: [{ ...named(settings), ...before('gemini', scripts), timeout: limitOf(settings) * 1000 }],
      },
      AfterTool: {
        hooks: [{ ...named(settings), ...after('gemini', scripts), timeout: outcomeSeconds * 1000 }],
      },
    },
  }),
  cursor: (settings, scripts) => ({
    base: { version: 1 },
    events: {
      preToolUse: {
        command: askCommand(scripts, 'cursor'),
        timeout: limitOf(settings),
        failClosed: true,
      },
      postToolUse: { command: reportCommand(scripts, 'cursor'), timeout: outcomeSeconds },
      postToolUseFailure: { command: reportCommand(scripts, 'cursor'), timeout: outcomeSeconds },
    },
  }),
  // Event names in PascalCase give the fields and tool names of Claude Code.
  copilot: (settings, scripts) => ({
    base: { version: 1 },
    events: {
      PreToolUse: { type: 'command', bash: askCommand(scripts, 'copilot'), timeoutSec: limitOf(settings) },
      PostToolUse: { type: 'command', bash: reportCommand(scripts, 'copilot'), timeoutSec: outcomeSeconds },
    },
  }),
}

/** @param {Json} hook */
const claudeGroup = (hook) => ({ matcher: '*', hooks: [hook] })

/** @param {Settings} settings */
const isHeadless = ({ query }) => new URLSearchParams(query).get('headless') === '1'

/** A file of a repository could name a command to switch it off, but not a random name. @param {Settings} settings */
const named = ({ entry }) => (entry === undefined ? {} : { name: entry })

/** @param {Settings} settings */
const limitOf = ({ seconds }) => seconds + marginSeconds

/** @param {string} runner @param {Scripts} scripts */
const before = (runner, scripts) => ({ type: 'command', command: askCommand(scripts, runner) })

/** @param {string} runner @param {Scripts} scripts */
const after = (runner, scripts) => ({ type: 'command', command: reportCommand(scripts, runner) })
