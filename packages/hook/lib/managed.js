import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { writeAtomically } from './files.js'
import { HookError } from './hook-error.js'
import { hooksOf } from './hooks-of.js'
import { asset } from './plan.js'
import { envFile, formatEnv, settingsFrom, withEntryName } from './settings.js'

/** @typedef {import('./index.js').Managed} Managed */
/** @typedef {import('./index.js').ManagedFile} ManagedFile */
/** @typedef {import('./index.js').Runner} Runner */
/** @typedef {import('./settings.js').Settings} Settings */

/** The folder, and all that is in it, belongs to root alone. */
export const managedFolder = '/etc/qualification-gate'

/** @type {typeof import('./index.js').managed} */
export const managed = ({ runner, url, ca, wait, headless }) =>
  managedFrom(runner, withEntryName(runner, settingsFrom({ runner, url, ca, wait, headless, version: null })))

/**
 * @param {Runner} runner
 * @param {Settings} settings
 * @returns {Managed}
 * @throws {HookError}
 */
export function managedFrom(runner, settings) {
  switch (runner) {
    case 'codex':
      return {
        runner,
        files: [codexFile(settings), ...ownFiles('codex', settings)],
        notes: [keyNote('codex')],
      }
    case 'claude':
    case 'gemini':
    case 'cursor':
    case 'copilot':
      return other(runner, settings)
    default:
      throw new HookError(
        'OpenCode has no settings of an administrator for plugins. Install for the user, and make the plugin file belong to root.',
      )
  }
}

/** @type {typeof import('./index.js').writeManaged} */
export function writeManaged({ files }, folder) {
  const drafts = files.map(({ path, mode, content }) => ({
    path: join(folder, basename(path)),
    mode,
    content,
  }))
  const existing = drafts.find(({ path }) => existsSync(path))
  if (existing) throw new HookError(`${existing.path} exists. Nothing was written.`)
  for (const { path, mode, content } of drafts) writeAtomically(path, content, Number.parseInt(mode, 8))
  return drafts.map(({ path }) => path)
}

/** @param {'claude' | 'gemini' | 'cursor' | 'copilot'} runner @param {Settings} settings @returns {Managed} */
function other(runner, settings) {
  const { base = {}, events } = hooksOf[runner](settings, managedFolder)
  const content = json({ ...base, ...pinned[runner], hooks: grouped(events) })
  const { path, mac } = places[runner]
  return {
    runner,
    files: [{ path, mode: '0644', content }, ...ownFiles(runner, settings)],
    notes: [...(mac ? [`On macOS: ${mac}.`] : []), keyNote(runner)],
  }
}

/**
 * The other settings of an administrator, so that no other settings switch the hook off, change the call after it, or load code
 * into its program.
 */
const pinned = {
  claude: {
    allowManagedHooksOnly: true,
    disableAllHooks: false,
    env: Object.fromEntries(
      [
        'LD_PRELOAD',
        'LD_AUDIT',
        'LD_LIBRARY_PATH',
        'DYLD_INSERT_LIBRARIES',
        'DYLD_LIBRARY_PATH',
        'BASH_ENV',
        'ENV',
        'CLAUDE_CODE_SHELL_PREFIX',
      ].map((name) => [name, '']),
    ),
  },
  gemini: { hooksConfig: { enabled: true, disabled: [] } },
  cursor: {},
  copilot: {},
}

/** @type {Record<'claude' | 'gemini' | 'cursor' | 'copilot', {path: string, mac?: string}>} */
export const places = {
  claude: {
    path: '/etc/claude-code/managed-settings.json',
    mac: '/Library/Application Support/ClaudeCode/managed-settings.json',
  },
  gemini: {
    path: '/etc/gemini-cli/settings.json',
    mac: '/Library/Application Support/GeminiCli/settings.json',
  },
  cursor: { path: '/etc/cursor/hooks.json', mac: '/Library/Application Support/Cursor/hooks.json' },
  copilot: { path: '/etc/github-copilot/policy.d/qualification-gate.json' },
}

/** @param {Settings} settings @returns {ManagedFile} */
function codexFile(settings) {
  const events = Object.entries(hooksOf.codex(settings, managedFolder).events)
  const tables = events.map(([event, { hooks }]) =>
    [
      `[[hooks.${event}]]`,
      `[[hooks.${event}.hooks]]`,
      'type = "command"',
      // JSON's strings are strings of TOML, too.
      `command = ${JSON.stringify(hooks[0].command)}`,
      `timeout = ${hooks[0].timeout}`,
    ].join('\n'),
  )
  const content = [
    'allow_managed_hooks_only = true',
    '[features]\nhooks = true',
    `[hooks]\nmanaged_dir = "${managedFolder}"`,
    ...tables,
  ].join('\n\n')
  return { path: '/etc/codex/requirements.toml', mode: '0644', content: `${content}\n` }
}

/**
 * The program, and beside it where the gate is: members have no say in that.
 * @param {Runner} runner
 * @param {Settings} settings
 * @returns {ManagedFile[]}
 */
const ownFiles = (runner, settings) => [
  { path: join(managedFolder, 'gate-hook.sh'), mode: '0755', content: asset('gate-hook.sh') },
  { path: envFile(managedFolder, runner), mode: '0644', content: formatEnv(settings, { isManaged: true }) },
]

/** @param {Runner} runner */
const keyNote = (runner) =>
  `Each member runs once: npx --no qualification-gate-hook key --runner ${runner}, with their runner key in the variable GATE_KEY. It writes ~/.config/qualification-gate/${runner}.key.`

/** @param {Record<string, unknown>} events */
const grouped = (events) => Object.fromEntries(Object.entries(events).map(([name, entry]) => [name, [entry]]))

/** @param {unknown} value */
const json = (value) => `${JSON.stringify(value, null, 2)}\n`
