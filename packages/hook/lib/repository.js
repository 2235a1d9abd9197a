import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitFolders, gitProblems, indexHook } from './git-settings.js'
import {
  claudeOf,
  codexOf,
  copilotOf,
  cursorEvents,
  editorOf,
  geminiOf,
  hooksIn,
  objectIn,
  opencodeOf,
} from './hook-problems.js'
import { lookBelow } from './links.js'
import { managedFolder } from './managed.js'
import { claudeHome, codexHome, hookFile, opencodeHome } from './plan.js'
import {
  bunFile,
  dotenv,
  folderOf,
  jsonc,
  judged,
  pagesOf,
  pluginProblems,
  toml,
  workspacesIn,
} from './read-files.js'

/** @typedef {import('./index.js').Finding} Finding */
/** @typedef {import('./index.js').Runner} Runner */
/** @typedef {import('./place.js').Located} Located */
/** @typedef {import('./hook-problems.js').Effect} Effect */
/** @typedef {import('./read-files.js').Read} Read */

/** @type {Record<Effect, string>} */
const words = {
  off: 'switches the hook off',
  hooks: 'has a hook that can change a call after the gate judged it',
  plugin: 'has code that runs inside the runner, and can change a call after the gate judged it',
  git: 'makes git start a program, also in calls that only read',
  worktree: 'makes git read and compare the files of another folder, in calls that count as reading this one',
  unreadable: 'cannot be read, so nobody can tell what it does to the hook',
  loads: 'sets a variable that loads code into the program of the hook, or starts another one in its place',
  folder: 'sets a variable that selects other settings, without the hook',
  switch: 'sets a variable that changes what the runner does with the hook',
  diverts: 'diverts the connections of the runner. The hook does not follow it',
}

/** What the settings of an administrator hold against a repository. @type {Partial<Record<Runner, Effect[]>>} */
const heldByManaged = { claude: ['off', 'hooks'], codex: ['off', 'hooks'] }

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
  const ours = [place.config, managedFolder, dirname(hookFile({ ...place, scope: 'user', dir: place.home }))]
  const below = lookBelow(place.repository, ours)
  for (const { path, problems } of [...readsOf(place), ...readsOfGit(place, below.repositories)]) {
    if (seen.has(path) || !existsSync(path)) continue
    seen.add(path)
    for (const { field, effect } of problems(path))
      findings.push({
        check: 'not gated',
        verdict: held.includes(effect) ? 'note' : 'fails',
        detail: `${path}${field === '' ? '' : `: ${field}`} ${words[effect]}.`,
      })
  }
  findings.push(...linkFindings(place, below))
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
  const ofClaude = ['.claude/settings.json', '.claude/settings.local.json']
  switch (runner) {
    case 'claude':
      return [
        ...each(ofClaude, (path) => jsonc(path, claudeOf(true))),
        ...each(['.claude/agents', '.claude/skills', '.claude/commands'], pagesOf),
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
        ...each(['.gemini/extensions'], (path) =>
          folderOf(path, /(^|\/)hooks\.json$/, (file) => jsonc(file, hooksIn(['BeforeTool']))),
        ),
        jsonc(join(home, '.gemini', 'settings.json'), geminiOf(false)),
        ...above.flatMap((folder) => [dotenv(join(folder, '.gemini', '.env')), dotenv(join(folder, '.env'))]),
      ]
    case 'cursor':
      return [
        ...each(['.cursor/hooks.json'], (path) => jsonc(path, hooksIn(cursorEvents))),
        // Cursor also runs the hooks of Claude Code.
        ...each(ofClaude, (path) => jsonc(path, claudeOf(true))),
      ]
    case 'copilot':
      return [
        ...each(['.github/hooks'], (path) =>
          folderOf(path, /\.json$/, (file) => jsonc(file, copilotOf(true))),
        ),
        ...each(
          ['.github/copilot/settings.json', '.github/copilot/settings.local.json', ...ofClaude],
          (path) => jsonc(path, copilotOf(true)),
        ),
        ...each(['.github/agents', '.claude/agents'], pagesOf),
        ...each(['.vscode/settings.json'], (path) => jsonc(path, editorOf)),
        ...each(['.devcontainer.json', '.devcontainer/devcontainer.json'], devContainer),
        ...workspacesIn(repository).map(workspace),
        jsonc(join(home, '.copilot', 'settings.json'), copilotOf(false)),
        jsonc(join(home, '.copilot', 'config.json'), copilotOf(false)),
      ]
    case 'opencode':
      return [
        ...each(
          ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
          (path) => jsonc(path, opencodeOf),
        ),
        ...each(
          ['plugin', 'plugins', 'tool', 'tools'].map((name) => `.opencode/${name}`),
          (path) => folderOf(path, /\.[cm]?[jt]s$/, (file) => ({ path: file, problems: pluginProblems })),
        ),
        ...each(['.env', '.env.local', 'bunfig.toml'], bunFile),
        ...['opencode.json', 'opencode.jsonc', 'config.json'].map((name) =>
          jsonc(join(opencodeHome(place), name), opencodeOf),
        ),
      ]
  }
}

/** @param {Located} place @param {ReturnType<typeof lookBelow>} below @returns {Finding[]} */
function linkFindings(place, { links, isWhole }) {
  /** @type {Finding[]} */
  const found = links.map((link) => ({
    check: 'not gated',
    verdict: 'fails',
    detail: `${link} is a link to the settings of the hook: who changes the one changes the other.`,
  }))
  if (isWhole) return found
  const detail = `${place.repository} has too many files: not all were looked at for links and for repositories of git below it.`
  return [...found, { check: 'links', verdict: 'note', detail }]
}

/** The git settings of the repository and of those below it. @param {Located} place @param {string[]} below @returns {Read[]} */
const readsOfGit = ({ repository }, below) =>
  [...folders(repository, (folder) => existsSync(join(folder, '.git'))), ...below]
    .flatMap((root) => gitFolders(root).map((git) => ({ git, root })))
    .flatMap((at) => [
      ...['config', 'config.worktree'].map((name) => ({
        path: join(at.git, name),
        problems: (/** @type {string} */ file) =>
          judged(
            file,
            (text) => gitProblems(text, at),
            (problems) => problems,
          ),
      })),
      { path: join(at.git, 'hooks', indexHook), problems: () => [{ field: '', effect: 'git' }] },
    ])

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

/** @param {string} path */
const devContainer = (path) =>
  jsonc(path, (container) =>
    editorOf(objectIn(objectIn(objectIn(container, 'customizations'), 'vscode'), 'settings')),
  )

/** @param {string} path */
const workspace = (path) => jsonc(path, (settings) => editorOf(objectIn(settings, 'settings')))
