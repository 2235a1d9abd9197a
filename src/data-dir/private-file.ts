import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Writes a JSON file that only this user can read, atomically. */
export function writePrivateJson(file: string, value: unknown): void {
  renameSync(writeAside(file, value), file)
}

/**
 * Creates such a file, to stay after the machine lost power. Of several that create it at once, one does.
 * @returns false if it exists: then nothing is written
 */
export function createPrivateJson(file: string, value: unknown): boolean {
  const temporary = writeAside(file, value)
  try {
    linkSync(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(temporary, { force: true })
  }
  syncFolder(dirname(file))
  return true
}

/** The name of a file is in its folder, which reaches the disk separately. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** @returns the path of a file beside `file` that holds the value */
function writeAside(file: string, value: unknown): string {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
  const handle = openSync(temporary, 'wx', 0o600)
  try {
    writeFileSync(handle, JSON.stringify(value, null, 2) + '\n')
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  return temporary
}

/**
 * @returns the content of the file, or undefined if it does not exist
 * @throws Error that names the file if it is not JSON
 */
export function readPrivateJson(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${file} is damaged: it is not valid JSON. Repair it, or delete it.`)
  }
}
