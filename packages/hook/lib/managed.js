import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { writeAtomically } from './files.js'
import { HookError } from './hook-error.js'
import { hooksOf } from './hooks-of.js'
import { asset } from './plan.js'
import { settingsFrom } from './settings.js'

/** @typedef {import('./index.js').Managed} Managed */
/** @typedef {import('./index.js').ManagedFile} ManagedFile */
/** @typedef {import('./settings.js').Settings} Settings */

const scripts = '/etc/qualification-gate'
const placeholderKey = 'key-of-each-member'

/** @type {typeof import('./index.js').managed} */
export function managed({ runner, url, wait, headless }) {
  const settings = settingsFrom({ runner, url, wait, headless, key: placeholderKey, version: null })
  switch (runner) {
    case 'claude':
      return claude(settings)
    case 'codex':
      return { runner, files: [codexFile(settings), ...scriptFiles()], notes: [keyNote('codex', settings)] }
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

/** @param {Settings} settings @returns {Managed} */
function claude(settings) {
  const { events } = hooksOf.claude(settings, '')
  const content = json({
    allowManagedHooksOnly: true,
    allowedHttpHookUrls: [`${settings.url}/api/v1/runner/*`],
    httpHookAllowedEnvVars: ['GATE_KEY', 'CLAUDE_CODE_ENTRYPOINT'],
    hooks: grouped(events),
  })
  return {
    runner: 'claude',
    files: [{ path: '/etc/claude-code/managed-settings.json', mode: '0644', content }],
    notes: [
      'On macOS: /Library/Application Support/ClaudeCode/managed-settings.json.',
      'Each member needs a key of their own in the variable GATE_KEY: in "env" of ~/.claude/settings.json (mode 0600), or in the environment of Claude Code.',
    ],
  }
}

/** @param {'gemini' | 'cursor' | 'copilot'} runner @param {Settings} settings @returns {Managed} */
function other(runner, settings) {
  const { base = {}, events } = hooksOf[runner](settings, scripts)
  const pinned = runner === 'gemini' ? { hooksConfig: { enabled: true } } : {}
  const content = json({ ...base, ...pinned, hooks: grouped(events) })
  const { path, mac } = places[runner]
  return {
    runner,
    files: [{ path, mode: '0644', content }, ...scriptFiles()],
    notes: [...(mac ? [`On macOS: ${mac}.`] : []), keyNote(runner, settings)],
  }
}

/** @type {Record<'gemini' | 'cursor' | 'copilot', {path: string, mac?: string}>} */
const places = {
  gemini: {
    path: '/etc/gemini-cli/settings.json',
    mac: '/Library/Application Support/GeminiCli/settings.json',
  },
  cursor: { path: '/etc/cursor/hooks.json', mac: '/Library/Application Support/Cursor/hooks.json' },
  copilot: { path: '/etc/github-copilot/policy.d/qualification-gate.json' },
}

/** @param {Settings} settings @returns {ManagedFile} */
function codexFile(settings) {
  const events = Object.entries(hooksOf.codex(settings, scripts).events)
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
    `[hooks]\nmanaged_dir = "${scripts}"`,
    ...tables,
  ].join('\n\n')
  return { path: '/etc/codex/requirements.toml', mode: '0644', content: `${content}\n` }
}

/** @returns {ManagedFile[]} */
const scriptFiles = () =>
  ['gate-hook.sh', 'gate-outcome.sh'].map((name) => ({
    path: join(scripts, name),
    mode: '0755',
    content: asset(name),
  }))

/** @param {import('./index.js').Runner} runner @param {Settings} settings */
const keyNote = (runner, { url, query, seconds }) =>
  `Each member needs ~/.config/qualification-gate/${runner}.env (mode 0600) with the lines GATE_URL=${url}, GATE_KEY=…, GATE_QUERY=${query}&as=text, GATE_SECONDS=${seconds}.`

/** @param {Record<string, unknown>} events */
const grouped = (events) => Object.fromEntries(Object.entries(events).map(([name, entry]) => [name, [entry]]))

/** @param {unknown} value */
const json = (value) => `${JSON.stringify(value, null, 2)}\n`
