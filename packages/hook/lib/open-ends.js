import { join } from 'node:path'
import { readIfExists } from './files.js'
import { codexHome } from './plan.js'

/** @typedef {import('./index.js').Finding} Finding */
/** @typedef {import('./place.js').Located} Located */

/**
 * Settings that turn hooks off.
 * @param {Located} place
 * @returns {Finding[]}
 */
export function offSwitches(place) {
  const { dir, env, home } = place
  switch (place.runner) {
    case 'claude': {
      const files = [
        join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json'),
        join(dir, '.claude', 'settings.json'),
        join(dir, '.claude', 'settings.local.json'),
      ]
      return offIn(files, /"disableAllHooks"\s*:\s*true/, 'disableAllHooks')
    }
    case 'codex': {
      const files = [join(codexHome(place), 'config.toml'), join(dir, '.codex', 'config.toml')]
      return offIn(
        files,
        /^[^\S\n\r\u2028\u2029]*(features\.)?(codex_)?hooks\s*=\s*false/m,
        'features.hooks = false',
      )
    }
    case 'gemini': {
      const files = [join(home, '.gemini', 'settings.json'), join(dir, '.gemini', 'settings.json')]
      return offIn(files, /"hooksConfig"\s*:\s*\{[^{}]*"enabled"\s*:\s*false/, 'hooksConfig.enabled')
    }
    default:
      return []
  }
}

/** @param {string[]} files @param {RegExp} pattern @param {string} name @returns {Finding[]} */
const offIn = (files, pattern, name) =>
  [...new Set(files)]
    .filter((path) => pattern.test(readIfExists(path)?.toString('utf8') ?? ''))
    .map((path) => ({
      check: 'hooks on',
      verdict: 'fails',
      detail: `${path} turns all hooks off (${name}). Remove it.`,
    }))

/**
 * What a hook cannot prevent.
 * @param {Located} place
 * @returns {Finding[]}
 */
export const openEnds = ({ runner }) =>
  [...open[runner], everyRunner].map((detail) => ({ check: 'not blocked', verdict: 'note', detail }))

const everyRunner =
  'Anyone who can edit these files can take the hook out. Keep credentials that matter behind the gate'

/** @type {Record<import('./index.js').Runner, string[]>} */
const open = {
  claude: [
    'The user can turn hooks off with disableAllHooks, --bare or --safe-mode, unless an administrator installed them (--managed)',
    'An empty answer with status 200 lets the tool run. The gate never gives one: use https, so that no proxy can',
  ],
  codex: [
    'Codex skips the hook until you trust it: start codex and enter /hooks. Check it with doctor --live',
    'The user can turn hooks off with -c features.hooks=false, unless an administrator installed and pinned them (--managed)',
  ],
  gemini: [
    'The user can turn hooks off with hooksConfig.enabled',
    "A project's hooks are skipped in a folder that is not trusted",
  ],
  cursor: ['A version of Cursor without failClosed runs the tool when the script cannot be started'],
  copilot: [
    'Copilot runs the tool when a hook takes longer than its limit. The hook gives up and blocks 20 seconds before that',
  ],
  opencode: ['The user can start OpenCode without plugins (--pure)'],
}
