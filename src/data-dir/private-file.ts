import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Writes JSON that only this user may read. A reader sees the old or the new text, never half of one. */
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
 * @returns what the file holds, or undefined when there is none
 * @throws Error naming the file when it is not JSON
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
    throw new Error(`${file} is damaged: it does not hold JSON. Repair it, or delete it.`)
  }
}
