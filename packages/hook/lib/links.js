import { readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** How many files of a repository are looked at. */
const filesMax = 100_000

/**
 * Links below a folder that lead to, or into, one of some others, and the repositories of git below it, also bare ones. The gate judges
 * the path that an agent names, not where it leads: a change of such a link is a change of what it leads to.
 * @param {string} folder
 * @param {string[]} others
 * @returns {{links: string[], repositories: string[], isWhole: boolean}}
 */
export function lookBelow(folder, others) {
  const kept = others.map(realPath)
  /** @type {string[]} */
  const links = []
  /** @type {string[]} */
  const repositories = []
  const folders = [folder]
  let left = filesMax
  for (let at = folders.pop(); at !== undefined && left > 0; at = folders.pop()) {
    const entries = entriesOf(at)
    if (at !== folder && isRepository(at, entries)) repositories.push(at)
    for (const entry of entries) {
      if (left-- <= 0) break
      const path = join(at, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isSymbolicLink() && kept.some((other) => isIn(targetOf(path), other))) links.push(path)
    }
  }
  const found = repositories.slice(0, repositoriesMax)
  return { links, repositories: found, isWhole: left > 0 && found.length === repositories.length }
}

const repositoriesMax = 1000

/** Folders in `.git`, such as those of submodules, belong to the repository around them. @param {string} path @param {import('node:fs').Dirent[]} entries */
function isRepository(path, entries) {
  const has = (/** @type {string} */ name) => entries.some((entry) => entry.name === name)
  return !/(^|\/)\.git(\/|$)/.test(path) && (has('.git') || ['HEAD', 'objects', 'config'].every(has))
}

/** @param {string} folder */
function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** @param {string} link */
const targetOf = (link) => realPath(resolve(dirname(link), readlinkSync(link)))

/** The path of what may not be there yet. @param {string} path @returns {string} */
function realPath(path) {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}

/** @param {string} path @param {string} folder */
const isIn = (path, folder) => path === folder || path.startsWith(`${folder}/`)
