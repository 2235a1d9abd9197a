import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isOurs } from './entries.js'
import { isObject } from './json-file.js'
import { parseJsonc } from './jsonc.js'
import { claudeHome, codexHome, opencodeHome } from './plan.js'
import { parseToml } from './toml.js'
import { effectOf, variablesIn } from './variables.js'

/** @typedef {import('./index.js').Finding} Finding */
/** @typedef {import('./index.js').Runner} Runner */
/** @typedef {import('./json-file.js').Json} Json */
/** @typedef {import('./place.js').Located} Located */
/**
 * What a file does to the hook. `off`: switches it off. `hooks`: a hook of its own may change a call after the gate judged it.
 * `plugin`: code in the process of the runner. Others: see `variables.js`.
 * @typedef {'off' | 'hooks' | 'plugin' | 'unreadable' | import('./variables.js').Effect} Effect
 */
/** @typedef {{field: string, effect: Effect}} Problem */
/** @typedef {(document: Json) => Problem[]} Judge */
/** A file, or a folder of files, that a runner reads. @typedef {{path: string, problems: (path: string) => Problem[]}} Read */

/** @type {Record<Effect, string>} */
const words = {
  off: 'switches the hook off',
  hooks: 'has a hook that can change a call after the gate judged it',
  plugin: 'has code that runs inside the runner, and can change a call after the gate judged it',
  unreadable: 'cannot be read, so nobody can tell what it does to the hook',
  loads: 'sets a variable that loads code into the program of the hook, or starts another one in its place',
  folder: 'sets a variable that selects other settings, without the hook',
  switch: 'sets a variable that changes what the runner does with the hook',
  diverts: 'diverts the connections of the runner. The hook does not follow it',
}

/** What the settings of an administrator hold against a repository. @type {Partial<Record<Runner, Effect[]>>} */
const heldByManaged = { claude: ['off', 'hooks'], codex: ['off', 'hooks'] }

const bytesMax = 1_000_000

/**
 * What the files of the repository, and those of the user, do to the hook.
 * @param {Located} place
 * @param {{isManaged?: boolean}} [given]
 * @returns {Finding[]}
 */
export function repositoryFindings(place, { isManaged = false } = {}) {
  const held = ['diverts', ...(isManaged ? (heldByManaged[place.runner] ?? []) : [])]
  const seen = new Set()
  /** @type {Finding[]} */
  const findings = []
  for (const { path, problems } of readsOf(place)) {
    if (seen.has(path) || !existsSync(path)) continue
    seen.add(path)
    for (const { field, effect } of problems(path))
      findings.push({
        check: 'not gated',
        verdict: held.includes(effect) ? 'note' : 'fails',
        detail: `${path}${field === '' ? '' : `: ${field}`} ${words[effect]}.`,
      })
  }
  if (findings.length > 0) return findings
  return [{ check: 'repository', verdict: 'ok', detail: `Nothing in ${place.repository} changes the hook` }]
}

/** @param {Located} place @returns {Read[]} */
function readsOf(place) {
  const { runner, home, repository } = place
  const inRepository = folders(repository, (folder) => existsSync(join(folder, '.git')))
  const above = folders(repository, (folder) => folder === home)
  const each = (/** @type {string[]} */ names, /** @type {(path: string) => Read} */ read) =>
    inRepository.flatMap((folder) => names.map((name) => read(join(folder, name))))
  switch (runner) {
    case 'claude':
      return [
        ...each(['.claude/settings.json', '.claude/settings.local.json'], (path) =>
          jsonc(path, claudeOf(true)),
        ),
        jsonc(join(claudeHome(place), 'settings.json'), claudeOf(false)),
        jsonc(join(claudeHome(place), 'settings.local.json'), claudeOf(false)),
        ...each(['.env', '.env.local', 'bunfig.toml'], bunFile),
      ]
    case 'codex':
      return [
        ...each(['.codex/config.toml'], (path) => toml(path, codexOf(true))),
        ...each(['.codex/hooks.json'], (path) => jsonc(path, hooksIn(['PreToolUse', 'PermissionRequest']))),
        ...each(['.codex/.env', '.env'], dotenv),
        toml(join(codexHome(place), 'config.toml'), codexOf(false)),
      ]
    case 'gemini':
      return [
        ...each(['.gemini/settings.json'], (path) => jsonc(path, geminiOf(true))),
        jsonc(join(home, '.gemini', 'settings.json'), geminiOf(false)),
        ...above.flatMap((folder) => [dotenv(join(folder, '.gemini', '.env')), dotenv(join(folder, '.env'))]),
      ]
    case 'cursor':
      return [
        ...each(['.cursor/hooks.json'], (path) => jsonc(path, hooksIn(cursorEvents))),
        // Cursor also runs the hooks of Claude Code.
        ...each(['.claude/settings.json', '.claude/settings.local.json'], (path) =>
          jsonc(path, claudeOf(true)),
        ),
      ]
    case 'copilot':
      return [
        ...each(['.github/hooks'], (path) =>
          folderOf(path, /\.json$/, (file) => jsonc(file, copilotOf(true))),
        ),
        ...each(
          [
            '.github/copilot/settings.json',
            '.github/copilot/settings.local.json',
            '.claude/settings.json',
            '.claude/settings.local.json',
          ],
          (path) => jsonc(path, copilotOf(true)),
        ),
        jsonc(join(home, '.copilot', 'settings.json'), copilotOf(false)),
        jsonc(join(home, '.copilot', 'config.json'), copilotOf(false)),
      ]
    case 'opencode':
      return [
        ...each(
          ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
          (path) => jsonc(path, opencodeOf),
        ),
        ...each(['.opencode/plugin', '.opencode/plugins'], (path) =>
          folderOf(path, /\.[cm]?[jt]s$/, (file) => ({ path: file, problems: pluginProblems })),
        ),
        ...each(['.env', '.env.local', 'bunfig.toml'], bunFile),
        ...['opencode.json', 'opencode.jsonc', 'config.json'].map((name) =>
          jsonc(join(opencodeHome(place), name), opencodeOf),
        ),
      ]
  }
}

/** A folder and those above it, up to the first that ends them; the folder alone where none does. @param {string} from @param {(folder: string) => boolean} isLast @returns {string[]} */
function folders(from, isLast) {
  const all = [from]
  for (let folder = from; !isLast(folder);) {
    const parent = dirname(folder)
    if (parent === folder) return [from]
    folder = parent
    all.push(folder)
  }
  return all
}

/** @param {string} path @param {Judge} judge @returns {Read} */
const jsonc = (path, judge) => ({ path, problems: (file) => judged(file, parseJsonc, judge) })

/** @param {string} path @param {Judge} judge @returns {Read} */
const toml = (path, judge) => ({ path, problems: (file) => judged(file, parseToml, judge) })

/** @param {string} path @returns {Read} */
const dotenv = (path) => ({
  path,
  problems: (file) => judged(file, variablesIn, (names) => setVariables(names, '')),
})

/** What programs made with Bun read in the folder in which they start. @param {string} path @returns {Read} */
const bunFile = (path) =>
  path.endsWith('.toml')
    ? toml(path, ({ preload }) => (preload === undefined ? [] : [{ field: 'preload', effect: 'plugin' }]))
    : dotenv(path)

/** @param {string} path @param {RegExp} names @param {(file: string) => Read} read @returns {Read} */
const folderOf = (path, names, read) => ({
  path,
  problems: (folder) =>
    readdirSync(folder)
      .filter((name) => names.test(name))
      .flatMap((name) => {
        const file = join(folder, name)
        return read(file)
          .problems(file)
          .map(({ field, effect }) => ({ field: `${name}${field === '' ? '' : ` ${field}`}`, effect }))
      }),
})

/**
 * @template Document
 * @param {string} file
 * @param {(text: string) => Document} parse
 * @param {(document: any) => Problem[]} judge
 * @returns {Problem[]}
 */
function judged(file, parse, judge) {
  try {
    if (statSync(file).size > bytesMax) return [{ field: '', effect: 'unreadable' }]
    const document = parse(readFileSync(file, 'utf8'))
    return typeof document === 'object' && document !== null ? judge(document) : []
  } catch {
    return [{ field: '', effect: 'unreadable' }]
  }
}

/** @param {string} file @returns {Problem[]} */
const pluginProblems = (file) =>
  readFileSync(file, 'utf8').includes('export const QualificationGate =') &&
  file.endsWith('/qualification-gate.js')
    ? []
    : [{ field: '', effect: 'plugin' }]

/** @param {boolean} isOfRepository @returns {Judge} */
const claudeOf = (isOfRepository) => (settings) => [
  ...switchedOff(settings, [['disableAllHooks', true]]),
  ...setVariables(Object.keys(objectIn(settings, 'env')), 'env.'),
  ...(isOfRepository ? hooksIn(['PreToolUse', 'PermissionRequest'])(settings) : []),
]

/** @param {boolean} isOfRepository @returns {Judge} */
const codexOf = (isOfRepository) => (config) => {
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
const geminiOf = (isOfRepository) => (settings) => [
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

const cursorEvents = ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution']

/** @param {boolean} isOfRepository @returns {Judge} */
const copilotOf = (isOfRepository) => (settings) => [
  ...switchedOff(settings, [['disableAllHooks', true]]),
  ...(isOfRepository
    ? hooksIn(['PreToolUse', 'preToolUse', 'PermissionRequest', 'permissionRequest'])(settings)
    : []),
]

/** @type {Judge} */
const opencodeOf = (config) => {
  const { plugin } = config
  return Array.isArray(plugin) && plugin.length > 0 ? [{ field: 'plugin', effect: 'plugin' }] : []
}

/** @param {Json} settings @param {[string, boolean][]} switches @returns {Problem[]} */
const switchedOff = (settings, switches) =>
  switches
    .filter(([field, off]) => {
      const path = field.split('.')
      const holder = path.length === 1 ? settings : objectIn(settings, /** @type {string} */ (path[0]))
      const value = holder[/** @type {string} */ (path.at(-1))]
      // A runner may take a text for a boolean.
      return value === off || value === String(off) || (off && value === 1) || (!off && value === 0)
    })
    .map(([field]) => ({ field, effect: 'off' }))

/** Hooks before a tool that are not ours. @param {string[]} events @returns {Judge} */
const hooksIn = (events) => (settings) =>
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
const setVariables = (names, at) =>
  names.flatMap((name) => {
    const effect = effectOf(name)
    return effect === undefined ? [] : [{ field: `${at}${name}`, effect }]
  })

/** @param {Json} of @param {string} name @returns {Json} */
const objectIn = (of, name) => (isObject(of) && isObject(of[name]) ? of[name] : {})
