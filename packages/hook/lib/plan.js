import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { askCommand, reportCommand, shared } from './commands.js'
import { addEntries, removeEntries } from './entries.js'
import { hooksOf } from './hooks-of.js'
import { envFile, formatEnv, keyFile } from './settings.js'
import { formatKey } from './signing.js'

/** @typedef {import('./json-file.js').Json} Json */
/** @typedef {import('./place.js').Located} Located */
/** @typedef {import('./settings.js').Settings} Settings */
/**
 * A file that is merged with what others have in it.
 * @typedef {{path: string, mode: number, events: Record<string, Json>,
 *   add: (json: Json) => Json, remove: (json: Json) => Json}} Merge
 */
/** A file that is ours alone. @typedef {{path: string, mode: number, content: string}} Own */
/** @typedef {{merges: Merge[], own: Own[]}} Plan */

const onlyMine = 0o600
const program = 0o700
const readable = 0o644

/**
 * Every file of an installation. Pure, but for reading the package's own files.
 * @param {Located} place
 * @param {Settings} settings
 * @param {string} [key]  absent where only the places of the files matter
 * @returns {Plan}
 */
export function planOf(place, settings, key = '') {
  const { runner, config } = place
  const own = [
    { path: join(config, 'gate-hook.sh'), mode: program, content: asset('gate-hook.sh') },
    { path: envFile(config, runner), mode: onlyMine, content: formatEnv(settings) },
    keyOf(place, key),
  ]
  if (runner === 'opencode')
    return {
      merges: [],
      own: [...own, { path: hookFile(place), mode: readable, content: pluginOf(scriptsOf(place)) }],
    }
  const { base = {}, events } = hooksOf[runner](settings, scriptsOf(place))
  const hooks = {
    path: hookFile(place),
    mode: readable,
    events,
    add: (/** @type {Json} */ json) => addEntries({ ...base, ...json }, events),
    remove: removeEntries,
  }
  return { merges: [hooks], own }
}

/** @param {Located} place @param {string} key @returns {Own} */
export const keyOf = ({ config, runner }, key) => ({
  path: keyFile(config, runner),
  mode: onlyMine,
  content: formatKey(key),
})

/** @param {Located} place @returns {import('./commands.js').Scripts} */
const scriptsOf = ({ scope, config }) => (scope === 'user' ? config : shared)

/** The plugin of OpenCode, with its commands. @param {import('./commands.js').Scripts} scripts */
export const pluginOf = (scripts) =>
  asset('opencode-plugin.js')
    .replace("/* command: ask */ ''", () => JSON.stringify(askCommand(scripts, 'opencode')))
    .replace("/* command: report */ ''", () => JSON.stringify(reportCommand(scripts, 'opencode')))

/** @param {Located} place */
export const claudeHome = ({ env, home }) => env['CLAUDE_CONFIG_DIR'] || join(home, '.claude')

/** @param {Located} place */
export const codexHome = ({ env, home }) => env['CODEX_HOME'] || join(home, '.codex')

/** @param {Located} place */
export const opencodeHome = ({ env, home }) =>
  join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode')

/**
 * The file in which a runner looks for hooks.
 * @param {Located} place
 * @returns {string}
 */
export function hookFile(place) {
  const { runner, scope, dir, home } = place
  const isUser = scope === 'user'
  switch (runner) {
    case 'claude':
      if (isUser) return join(claudeHome(place), 'settings.json')
      return join(dir, '.claude', scope === 'local' ? 'settings.local.json' : 'settings.json')
    case 'codex':
      return join(isUser ? codexHome(place) : join(dir, '.codex'), 'hooks.json')
    case 'gemini':
      return join(dir, '.gemini', 'settings.json')
    case 'cursor':
      return join(dir, '.cursor', 'hooks.json')
    case 'copilot':
      return join(isUser ? join(home, '.copilot') : join(dir, '.github'), 'hooks', 'qualification-gate.json')
    case 'opencode':
      return join(isUser ? opencodeHome(place) : join(dir, '.opencode'), 'plugins', 'qualification-gate.js')
  }
}

/** @param {string} name */
export const asset = (name) =>
  readFileSync(fileURLToPath(new URL(`../assets/${name}`, import.meta.url)), 'utf8')
