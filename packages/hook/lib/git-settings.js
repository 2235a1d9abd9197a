import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

// A repository that was cloned brings no settings of git. One that was unpacked, or that others can write, does.

/**
 * The folders of git that `git status` and `git diff` in a folder obey: its own, and those of its submodules.
 * @param {string} folder
 * @returns {string[]}
 */
export function gitFolders(folder) {
  const git = gitFolder(folder)
  if (git === null) return []
  const modules = join(git, 'modules')
  const names =
    existsSync(modules) && statSync(modules).isDirectory() ? readdirSync(modules).slice(0, modulesMax) : []
  return [git, ...names.map((name) => join(modules, name))]
}

const modulesMax = 100
const pointerBytesMax = 4096

/** @param {string} folder */
function gitFolder(folder) {
  const git = join(folder, '.git')
  if (!existsSync(git))
    return ['HEAD', 'objects', 'config'].every((name) => existsSync(join(folder, name))) ? folder : null
  const there = pointer(git, folder) ?? git
  return pointer(join(there, 'commondir'), there) ?? there
}

/** Where a file of one path leads, as `.git` of a worktree does. @param {string} file @param {string} from */
function pointer(file, from) {
  if (!existsSync(file) || !statSync(file).isFile() || statSync(file).size > pointerBytesMax) return null
  return resolve(
    from,
    readFileSync(file, 'utf8')
      .replace(/^gitdir:/, '')
      .trim(),
  )
}

/**
 * The settings by which git starts programs in calls that only read.
 * @param {string} text  of a file of settings
 * @returns {string[]} their names
 */
export const startingSettings = (text) =>
  settingsIn(text)
    .filter(([name, value]) => starting.some(({ names, unless }) => names.test(name) && !unless?.test(value)))
    .map(([name]) => name)

/** @type {{names: RegExp, unless?: RegExp}[]} */
const starting = [
  { names: /^core\.fsmonitor$/, unless: /^(true|false|yes|no|on|off|0|1|)$/i },
  { names: /^diff\.external$|^diff\..*\.(command|textconv)$/s },
  { names: /^filter\..*\.(clean|process)$/s, unless: /^git-lfs (clean -- %f|filter-process)$/ },
  { names: /^include\.path$|^includeif\..*\.path$/s },
]

/**
 * @param {string} text
 * @returns {[string, string][]} section and name in lower case, but for the name in quotes
 */
function settingsIn(text) {
  let section = ''
  /** @type {[string, string][]} */
  const settings = []
  for (const line of text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\\\r?\n/g, '')
    .split(/\r?\n/)) {
    const heading = /^\s*\[([\w.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?[ \t]*\]/.exec(line)
    if (heading)
      section = `${heading[1]?.toLowerCase()}.${heading[2] === undefined ? '' : `${heading[2].replaceAll('\\', '')}.`}`
    const [, name, value] =
      /^\s*([A-Za-z][\w-]*)[ \t]*(?:=(.*))?$/s.exec(line.slice(heading?.[0].length ?? 0)) ?? []
    if (name !== undefined) settings.push([section + name.toLowerCase(), plain(value ?? 'true')])
  }
  return settings
}

/** Without quotes, and without the remark after it. @param {string} value */
function plain(value) {
  const remark = value.search(/[ \t][#;]/)
  return (remark < 0 ? value : value.slice(0, remark)).replaceAll('"', '').trim()
}
