import { readFileSync } from 'node:fs'
import { parseExactJson } from '../gate/exact-json.ts'
import { UsageError } from './verb.ts'

/**
 * The text of the file that an option names.
 * @param charsMax  absent: what reads the text bounds it
 * @throws UsageError
 */
export function readFileOption(option: string, file: string, charsMax = Number.POSITIVE_INFINITY): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--${option} cannot be read: ${(error as Error).message}`)
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
    throw new UsageError(`--${option} ${file} is not JSON: ${(error as Error).message}`)
  }
}
