import { Refusal, textOfFile } from '#verify'
import { readFileSync } from 'node:fs'
import { InexactJson, parseExactJson } from '../gate/json/exact-json.ts'
import { UsageError } from './verb.ts'

/**
 * The text of the file that an option names.
 * @param charsMax  absent: what reads the text bounds it
 * @throws UsageError
 */
export function readFileOption(option: string, file: string, charsMax = Number.POSITIVE_INFINITY): string {
  let text: string
  try {
    text = textOfFile(readFileSync(file))
  } catch (error) {
    throw new UsageError(`--${option} ${file} cannot be read: ${reasonOf(error)}`)
  }
  if (text.length > charsMax) throw new UsageError(`--${option} ${file} has more than ${charsMax} characters`)
  return text
}

/** The JSON value in such a file. @throws UsageError */
export function readJsonOption(option: string, file: string, charsMax?: number): unknown {
  const text = readFileOption(option, file, charsMax)
  try {
    return parseExactJson(text)
  } catch (error) {
    const { message } = error as Error
    const what =
      error instanceof InexactJson ? `cannot be kept exactly: ${message}` : `is not JSON: ${message}`
    throw new UsageError(`--${option} ${file} ${what}`)
  }
}

/** The bytes of such a file, which are read later. @throws UsageError */
export function readBytesOption(option: string, file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new UsageError(`--${option} ${file} cannot be read: ${reasonOf(error)}`)
  }
}

/** Whether an error is of the system's, about a file. */
export const isOfFile = (error: unknown): boolean => error instanceof Error && 'syscall' in error

/** Why a file cannot be read, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.problem
  const { code = '', message } = error as NodeJS.ErrnoException
  return reasons.get(code) ?? message
}

const reasons = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'this user may not read it'],
])
