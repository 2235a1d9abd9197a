/** What the program is compiled from, known by content: times of files say nothing after a checkout or a copy. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Files below these paths, with their path from the root, sorted. A path that does not exist has none. */
export function filesBelow(paths, pattern) {
  return paths.flatMap((path) => walk(path, pattern)).sort()
}

function walk(path, pattern) {
  const found = statSync(join(root, path), { throwIfNoEntry: false })
  if (!found) return []
  if (!found.isDirectory()) return pattern.test(path) ? [path] : []
  return readdirSync(join(root, path)).flatMap((name) => walk(`${path}/${name}`, pattern))
}

export function digestOf(files) {
  const hash = createHash('sha256')
  for (const file of files) {
    const content = readFileSync(join(root, file))
    hash.update(`${file}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/**
 * Makes something again where it was not made from these sources. The digest is removed before and written last, so what was
 * interrupted or failed is repeated.
 * @param stamp  the file of the digest
 * @param make  throws, or returns a promise that rejects, where it fails
 */
export async function makeAgain(stamp, digest, make) {
  const file = join(root, stamp)
  rmSync(file, { force: true })
  await make()
  writeFileSync(`${file}.${process.pid}`, digest)
  renameSync(`${file}.${process.pid}`, file)
}

export function isMadeFrom(stamp, digest) {
  const file = join(root, stamp)
  return existsSync(file) && readFileSync(file, 'utf8') === digest
}
