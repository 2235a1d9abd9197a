import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addEntries, removeEntries } from './entries.js'
import { hooksOf, sharedScripts } from './hooks-of.js'
import { envFile, formatEnv } from './settings.js'

/** @typedef {import('./json-file.js').Json} Json */
/** @typedef {import('./place.js').Located} Located */
/** @typedef {import('./settings.js').Settings} Settings */
/**
 * A file that is merged with what others have in it.
 * @typedef {{path: string, part: 'hooks' | 'key', mode: number, events: Record<string, Json>,
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
 * @returns {Plan}
 */
export function planOf(place, settings) {
  const { runner, config } = place
  const env = { path: envFile(config, runner), mode: onlyMine, content: formatEnv(settings) }
  if (runner === 'opencode')
    return {
      merges: [],
      own: [env, { path: hookFile(place), mode: readable, content: asset('opencode-plugin.js') }],
    }

  const scripts = ['gate-hook.sh', 'gate-outcome.sh'].map((name) => ({
    path: join(config, name),
    mode: program,
    content: asset(name),
  }))
  const { base = {}, events } = hooksOf[runner](settings, place.scope === 'user' ? config : sharedScripts)
  /** @type {Merge} */
  const hooks = {
    path: hookFile(place),
    part: 'hooks',
    mode: readable,
    events,
    add: (json) => addEntries({ ...base, ...json }, events),
    remove: removeEntries,
  }
  if (runner !== 'claude') return { merges: [hooks], own: [...scripts, env] }
  return { merges: [hooks, claudeKey(place, settings)], own: [env] }
}

/**
 * Claude Code hands the variables of its settings to the headers of its hooks. Only the user's own settings have the key:
 * those of a project may be committed.
 * @param {Located} place
 * @param {Settings} settings
 * @returns {Merge}
 */
function claudeKey(place, { key }) {
  return {
    path: claudeUserSettings(place),
    part: 'key',
    mode: onlyMine,
    events: {},
    add: (json) => ({ ...json, env: { ...json['env'], GATE_KEY: key } }),
    remove(json) {
      const { env, ...rest } = json
      if (env?.['GATE_KEY'] === undefined) return json
      const { GATE_KEY: _, ...others } = env
      return Object.keys(others).length === 0 ? rest : { ...json, env: others }
    },
  }
}

/** @param {Located} place */
export const claudeUserSettings = ({ env, home }) =>
  join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json')

/**
 * The file in which a runner looks for hooks.
 * @param {Located} place
 * @returns {string}
 */
export function hookFile(place) {
  const { runner, scope, dir, env, home } = place
  const isUser = scope === 'user'
  switch (runner) {
    case 'claude':
      if (isUser) return claudeUserSettings(place)
      return join(dir, '.claude', scope === 'local' ? 'settings.local.json' : 'settings.json')
    case 'codex':
      return join(isUser ? codexHome(place) : join(dir, '.codex'), 'hooks.json')
    case 'gemini':
      return join(dir, '.gemini', 'settings.json')
    case 'cursor':
      return join(dir, '.cursor', 'hooks.json')
    case 'copilot':
      return join(isUser ? join(home, '.copilot') : join(dir, '.github'), 'hooks', 'qualification-gate.json')
    case 'opencode': {
      const folder = isUser
        ? join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode')
        : join(dir, '.opencode')
      return join(folder, 'plugins', 'qualification-gate.js')
    }
  }
}

/** @param {Located} place */
export const codexHome = ({ env, home }) => env['CODEX_HOME'] || join(home, '.codex')

/** @param {string} name */
export const asset = (name) =>
  readFileSync(fileURLToPath(new URL(`../assets/${name}`, import.meta.url)), 'utf8')
