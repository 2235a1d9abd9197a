import { askCommand, reportCommand, shared } from './commands.js'
import { isObject } from './json-file.js'
import { runners } from './place.js'
import { effectOf } from './variables.js'

/** @typedef {import('./json-file.js').Json} Json */
/**
 * What a file does to the hook. `off`: switches it off. `hooks`: a hook of its own may change a call after the gate judged it.
 * `plugin`: code in the process of the runner. `git`: git starts a program. Others: see `variables.js`.
 * @typedef {'off' | 'hooks' | 'plugin' | 'git' | 'worktree' | 'unreadable' | import('./variables.js').Effect} Effect
 */
/** @typedef {{field: string, effect: Effect}} Problem */
/** @typedef {(document: Json) => Problem[]} Judge */

/** @param {boolean} isOfRepository @returns {Judge} */
export const claudeOf = (isOfRepository) => (settings) => [
  ...switchedOff(settings, [['disableAllHooks', true]]),
  ...setVariables(Object.keys(objectIn(settings, 'env')), 'env.'),
  ...(isOfRepository
    ? [...hooksIn(['PreToolUse', 'PermissionRequest'])(settings), ...pluginsIn(settings)]
    : []),
]

/** Plugins of Claude Code can have hooks. @type {Judge} */
const pluginsIn = (settings) =>
  Object.values(objectIn(settings, 'enabledPlugins')).some((value) => value !== false)
    ? [{ field: 'enabledPlugins', effect: 'hooks' }]
    : []

/** @param {boolean} isOfRepository @returns {Judge} */
export const codexOf = (isOfRepository) => (config) => {
  const layers = [
    { at: '', layer: config },
    ...Object.entries(objectIn(config, 'profiles')).map(([name, layer]) => ({
      at: `profiles.${name}.`,
      layer,
    })),
  ]
  return [
    ...layers.flatMap(({ at, layer }) =>
      ['hooks', 'codex_hooks'].flatMap((name) =>
        objectIn(layer, 'features')[name] === false
          ? [{ field: `${at}features.${name}`, effect: /** @type {const} */ ('off') }]
          : [],
      ),
    ),
    ...Object.entries(objectIn(objectIn(config, 'hooks'), 'state')).flatMap(([name, state]) =>
      isObject(state) && state['enabled'] === false
        ? [{ field: `hooks.state.${JSON.stringify(name)}.enabled`, effect: /** @type {const} */ ('off') }]
        : [],
    ),
    ...(isOfRepository ? hooksIn(['PreToolUse', 'PermissionRequest'])(config) : []),
  ]
}

/** @param {boolean} isOfRepository @returns {Judge} */
export const geminiOf = (isOfRepository) => (settings) => [
  ...switchedOff(settings, [
    ['hooksConfig.enabled', false],
    ['hooks.enabled', false],
    ['tools.enableHooks', false],
  ]),
  ...['hooksConfig', 'hooks'].flatMap((name) => {
    const { disabled } = objectIn(settings, name)
    const isEmpty = disabled === undefined || (Array.isArray(disabled) && disabled.length === 0)
    return isEmpty ? [] : [{ field: `${name}.disabled`, effect: /** @type {const} */ ('off') }]
  }),
  ...(isOfRepository ? hooksIn(['BeforeTool'])(settings) : []),
]

/** The settings of an editor that runs Copilot. @type {Judge} */
export const editorOf = (settings) => [
  ...(isOff(settings['chat.useHooks'], false)
    ? [{ field: 'chat.useHooks', effect: /** @type {const} */ ('off') }]
    : []),
  ...(settings['chat.hookFilesLocations'] === undefined
    ? []
    : [{ field: 'chat.hookFilesLocations', effect: /** @type {const} */ ('off') }]),
]

export const cursorEvents = ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution']

/** @param {boolean} isOfRepository @returns {Judge} */
export const copilotOf = (isOfRepository) => (settings) => [
  ...switchedOff(settings, [['disableAllHooks', true]]),
  ...(isOfRepository
    ? hooksIn(['PreToolUse', 'preToolUse', 'PermissionRequest', 'permissionRequest'])(settings)
    : []),
]

/** @type {Judge} */
export const opencodeOf = (config) => {
  const { plugin } = config
  return Array.isArray(plugin) && plugin.length > 0 ? [{ field: 'plugin', effect: 'plugin' }] : []
}

/** @param {Json} settings @param {[string, boolean][]} switches @returns {Problem[]} */
const switchedOff = (settings, switches) =>
  switches
    .filter(([field, off]) => {
      const path = field.split('.')
      const holder = path.length === 1 ? settings : objectIn(settings, /** @type {string} */ (path[0]))
      return isOff(holder[/** @type {string} */ (path.at(-1))], off)
    })
    .map(([field]) => ({ field, effect: 'off' }))

/** What the entry of a project runs, on every machine. */
const sharedCommands = runners.flatMap((runner) => [
  askCommand(shared, runner),
  askCommand(shared, runner, true),
  reportCommand(shared, runner),
])
const fieldsOfEntries = [
  'type',
  'command',
  'bash',
  'name',
  'timeout',
  'timeoutSec',
  'onFailure',
  'failClosed',
]

/** Whether a hook in a repository is ours to the letter. @param {Json} hook */
const isOurs = (hook) =>
  Object.keys(hook).every((name) => fieldsOfEntries.includes(name)) &&
  (hook['type'] ?? 'command') === 'command' &&
  ['command', 'bash'].every((name) => hook[name] === undefined || sharedCommands.includes(hook[name])) &&
  (hook['command'] ?? hook['bash']) !== undefined

/** A runner may take a text for a boolean. @param {unknown} value @param {boolean} off */
const isOff = (value, off) =>
  value === off || value === String(off) || (off && value === 1) || (!off && value === 0)

/** Hooks before a tool that are not ours. @param {string[]} events @returns {Judge} */
export const hooksIn = (events) => (settings) =>
  events
    .filter((event) => {
      const entries = objectIn(settings, 'hooks')[event]
      if (entries === undefined) return false
      if (!Array.isArray(entries)) return true
      const hooks = entries.flatMap((entry) => (Array.isArray(entry?.hooks) ? entry.hooks : [entry]))
      return hooks.some((hook) => !isObject(hook) || !isOurs(hook))
    })
    .map((event) => ({ field: `hooks.${event}`, effect: 'hooks' }))

/** @param {string[]} names @param {string} at @returns {Problem[]} */
export const setVariables = (names, at) =>
  names.flatMap((name) => {
    const effect = effectOf(name)
    return effect === undefined ? [] : [{ field: `${at}${name}`, effect }]
  })

/** @param {Json} of @param {string} name @returns {Json} */
export const objectIn = (of, name) => (isObject(of) && isObject(of[name]) ? of[name] : {})
