import { Unsure, knownWord, match, skipBlanks } from './cursor.ts'
import type { Cursor, Word } from './cursor.ts'
import { readExpansions } from './word.ts'

/**
 * Reads a here-document from its delimiter on: its text begins after this line. What it expands is among the commands. Refused
 * where shells could disagree on its end.
 * @source POSIX.1-2024, Shell Command Language, §2.7.4
 */
export function readHereDocument(cursor: Cursor): Word {
  const stripsTabs = match(cursor, /-/y) !== null
  skipBlanks(cursor)
  const sign = match(cursor, /'\w+'|"\w+"|\\?[A-Za-z_]\w*(?=[\s;&|)<>]|$)/y)
  if (sign === null || !/[\s;&|)<>]|$/y.test(cursor.text.slice(cursor.at, cursor.at + 1))) throw new Unsure()
  const delimiter = sign.replace(/^\\/, '').replaceAll(/['"]/g, '')
  const start = startOfBody(cursor)
  const { body, resume } = bodyFrom(cursor.text, start.at, delimiter, stripsTabs)
  cursor.here = { lineEnd: start.lineEnd, resume, shells: cursor.shells }
  const isLiteral = sign !== delimiter
  if (cursor.shells > 0 && !body.split('\n').every((line) => isReadAlike(line, isLiteral))) throw new Unsure()
  if (isLiteral || !/[$`\\]/.test(body)) return knownWord(body)
  const word = knownWord('')
  if (body.includes('\\\n')) throw new Unsure()
  readExpansions({ ...cursor, text: body, at: 0, here: null }, word)
  return word
}

function startOfBody({ text, at, here, shells }: Cursor): { at: number; lineEnd: number } {
  if (here) {
    if (here.shells !== shells) throw new Unsure()
    return { at: here.resume + 1, lineEnd: here.lineEnd }
  }
  const lineEnd = text.indexOf('\n', at)
  if (lineEnd === -1) throw new Unsure()
  return { at: lineEnd + 1, lineEnd }
}

/** The lines up to the delimiter. A line that only starts with it ends the text for some shells. */
function bodyFrom(text: string, start: number, delimiter: string, stripsTabs: boolean) {
  for (let at = start; at < text.length;) {
    const next = text.indexOf('\n', at)
    const end = next === -1 ? text.length : next
    let from = at
    if (stripsTabs) while (text[from] === '\t') from++
    if (text.startsWith(delimiter, from)) {
      if (end !== from + delimiter.length) throw new Unsure()
      // The line's end remains: it ends the command, too.
      return { body: text.slice(start, at), resume: end }
    }
    at = end + 1
  }
  throw new Unsure()
}

/** bash 3.2 looks for the end of `$(…)` without regard to here-documents: quotes and parentheses must be in pairs. */
function isReadAlike(line: string, isLiteral: boolean): boolean {
  return isLiteral
    ? /^(?:[^'"()\\`]|'[^'\\]*'|"[^"\\`$]*"|\([^'"()\\`]*\))*$/.test(line)
    : /^[^'"()\\`]*$/.test(line)
}
