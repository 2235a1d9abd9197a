import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** @param {string} path @returns {Buffer | null} null if there is no file */
export const readIfExists = (path) => (existsSync(path) ? readFileSync(path) : null)

/** @param {Buffer | string} content */
export const sha256 = (content) => createHash('sha256').update(content).digest('hex')

/** @param {string} path */
export const modeOf = (path) => statSync(path).mode & 0o777

/**
 * Writes a file in one step: a reader sees the old content or the new, and a crash leaves the old.
 * @param {string} path  if it is a link, the file that it leads to is replaced
 * @param {Buffer | string} content
 * @param {number} mode
 */
export function writeAtomically(path, content, mode) {
  const target = existsSync(path) ? realpathSync(path) : path
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const draft = `${target}.${randomBytes(6).toString('hex')}.tmp`
  try {
    // Nobody else may read a key in the moment before the mode is set.
    const file = openSync(draft, 'wx', mode & 0o600)
    try {
      writeSync(file, Buffer.from(content))
      fchmodSync(file, mode)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
