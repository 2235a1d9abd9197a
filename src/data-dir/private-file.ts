import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Writes a JSON file that only this user can read, atomically. */
export function writePrivateJson(file: string, value: unknown): void {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
  const handle = openSync(temporary, 'wx', 0o600)
  try {
    writeFileSync(handle, JSON.stringify(value, null, 2) + '\n')
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temporary, file)
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
