import { existsSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'

/** @typedef {import('./hook-problems.js').Problem} Problem */

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
 * The settings by which git starts programs in calls that only read, or reads the files of another folder.
 * @param {string} text  of a file of settings
 * @param {{git: string, root: string}} at  the folder that the file is in, and the one that the repository is for
 * @returns {Problem[]}
 */
export function gitProblems(text, { git, root }) {
  const settings = settingsIn(text)
  const isPartial = settings.some(
    ([name, value]) => /^extensions\.partialclone$|^remote\..*\.promisor$/s.test(name) && !off.test(value),
  )
  const starts = [...starting, ...(isPartial ? fetching : [])]
  return settings.flatMap(([field, value]) => {
    /** @type {Problem[]} */
    const found = []
    if (field === 'core.worktree' && !isWithin(root, resolve(git, value)))
      found.push({ field, effect: 'worktree' })
    const isStart = starts.some(({ names, unless }) => names.test(field) && !unless?.test(value))
    const runsHook = field === 'core.hookspath' && existsSync(join(resolve(root, value), indexHook))
    if (isStart || runsHook) found.push({ field, effect: 'git' })
    return found
  })
}

/** The hook that git starts whenever it writes its list of files, as `git status` does. */
export const indexHook = 'post-index-change'

/** @param {string} folder @param {string} path */
function isWithin(folder, path) {
  const [outer, inner] = [folder, path].map((one) => (existsSync(one) ? realpathSync(one) : one))
  return inner === outer || inner?.startsWith(`${outer}${sep}`)
}

const off = /^(false|no|off|0|)$/i

/** @type {{names: RegExp, unless?: RegExp}[]} */
const starting = [
  { names: /^core\.fsmonitor$/, unless: /^(true|false|yes|no|on|off|0|1|)$/i },
  { names: /^diff\.external$|^diff\..*\.(command|textconv)$/s },
  { names: /^filter\..*\.(clean|process)$/s, unless: /^git-lfs (clean -- %f|filter-process)$/ },
  { names: /^include\.path$|^includeif\..*\.path$/s },
  // `git log` then checks signatures, with the program that the settings name.
  { names: /^log\.showsignature$/, unless: off },
]

/** In a partial clone `git show` and its like fetch what is missing. @type {{names: RegExp, unless?: RegExp}[]} */
const fetching = [
  { names: /^core\.(sshcommand|gitproxy)$|^remote\..*\.(uploadpack|vcs)$/s },
  { names: /^protocol\.(ext\.)?allow$/, unless: /^never$/i },
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
