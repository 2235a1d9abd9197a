import { readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** How many files of a repository are looked at. */
const filesMax = 100_000

/**
 * Links in a folder that lead to, or into, one of some others. The gate judges the path that an agent names, not where it leads: a
 * change of such a link is a change of what it leads to.
 * @param {string} folder
 * @param {string[]} others
 * @returns {{links: string[], isWhole: boolean}}
 */
export function linksInto(folder, others) {
  const kept = others.map(realPath)
  /** @type {string[]} */
  const links = []
  const folders = [folder]
  let left = filesMax
  for (let at = folders.pop(); at !== undefined && left > 0; at = folders.pop())
    for (const entry of entriesOf(at)) {
      if (left-- <= 0) break
      const path = join(at, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isSymbolicLink() && kept.some((other) => isIn(targetOf(path), other))) links.push(path)
    }
  return { links, isWhole: left > 0 }
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
