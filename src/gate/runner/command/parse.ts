import { Unsure, match, readNested, skipBlanks } from './cursor.ts'
import type { Cursor, SimpleCommand } from './cursor.ts'
import { readWord } from './word.ts'

const commandCharsMax = 16_000

// Control, invisible and direction characters, spaces that are not ASCII, and quotes that some shells take for quotes.
const doubtfulChars = /[^\P{C}\n\t]|[^\P{Z} ]|[\u2018-\u201f]/u

/**
 * Reads a command line of a POSIX shell, bash or zsh into its simple commands; null where the text could mean something else
 * to one of them, or is not in the subset read here. Linear. Pure.
 * @source POSIX.1-2024, Shell Command Language, §2.10
 */
export function parseCommand(text: string): SimpleCommand[] | null {
  if (text.length > commandCharsMax || doubtfulChars.test(text)) return null
  const cursor: Cursor = { text, at: 0, depth: 0, commands: [], readList }
  try {
    readList(cursor, '')
  } catch (error) {
    if (error instanceof Unsure) return null
    throw error
  }
  return cursor.at < text.length || cursor.commands.length === 0 ? null : cursor.commands
}

/** Reads commands up to `end`, or the end of the text; leaves the cursor on it. */
function readList(cursor: Cursor, end: '' | ')'): void {
  for (let isFirst = true; ; isFirst = false) {
    skipLines(cursor)
    const char = cursor.text[cursor.at]
    if (char === undefined || char === end) {
      if (isFirst && end) throw new Unsure()
      return
    }
    readPipelinePart(cursor)
    if (!readOperator(cursor, end)) return
  }
}

/** Reads an operator between commands. After `&&`, `||` and `|` a command must follow. */
function readOperator(cursor: Cursor, end: '' | ')'): boolean {
  skipBlanks(cursor)
  const operator = match(cursor, /&&|\|\||\|&|\||;|&|\n/y)
  if (operator === null) {
    const char = cursor.text[cursor.at]
    if (char === undefined || char === end) return false
    throw new Unsure()
  }
  if (operator.length === 2 || operator === '|') {
    skipLines(cursor)
    if (cursor.text[cursor.at] === undefined || cursor.text[cursor.at] === end) throw new Unsure()
  }
  return true
}

function readPipelinePart(cursor: Cursor): void {
  while (match(cursor, /!(?=[ \t])/y) !== null) skipBlanks(cursor)
  if (cursor.text[cursor.at] === '(') readSubshell(cursor)
  else readSimple(cursor)
}

function readSubshell(cursor: Cursor): void {
  if (cursor.text[cursor.at + 1] === '(') throw new Unsure()
  cursor.at++
  readNested(cursor, ')')
  const command = emptyCommand(cursor)
  for (skipBlanks(cursor); readRedirect(cursor, command); skipBlanks(cursor));
  if (command.redirects.length > 0) cursor.commands.push(command)
}

function readSimple(cursor: Cursor): void {
  const command = emptyCommand(cursor)
  const start = cursor.at
  for (;;) {
    skipBlanks(cursor)
    const char = cursor.text[cursor.at]
    if (char === undefined || '\n;|)'.includes(char)) break
    if (readRedirect(cursor, command)) continue
    if (char === '&') break
    if (char === '(' || char === '#') throw new Unsure()
    if (command.words.length === 0 && readAssignment(cursor, command)) continue
    command.words.push(readWord(cursor))
  }
  if (cursor.at === start) throw new Unsure()
  cursor.commands.push(command)
}

const emptyCommand = ({ depth }: Cursor): SimpleCommand => ({
  assignments: [],
  words: [],
  redirects: [],
  isNested: depth > 0,
})

function readAssignment(cursor: Cursor, command: SimpleCommand): boolean {
  const assignment = match(cursor, /[A-Za-z_][A-Za-z0-9_]*(=|\+=|\[)/y)
  if (assignment === null) return false
  // Lists and parts of lists are evaluated: a subscript can run commands.
  if (!/\w=$/.test(assignment) || cursor.text[cursor.at] === '(') throw new Unsure()
  command.assignments.push({ name: assignment.slice(0, -1), value: readWord(cursor) })
  return true
}

/** Reads a redirection. Here-documents, process substitutions and descriptors in variables are not in the subset. */
function readRedirect(cursor: Cursor, command: SimpleCommand): boolean {
  const operator = match(cursor, /(\d+(?=[<>]))?(&>>|&>|>>|>\||>&|<&|<>|<<|>|<)/y)
  if (operator === null) return false
  const kind = operator.replace(/^\d+/, '')
  if (kind === '<>' || kind === '<<' || '(!|&<>'.includes(cursor.text[cursor.at] ?? ' ')) throw new Unsure()
  if (kind.endsWith('&') && match(cursor, /(\d+|-)(?=[\s;|&)]|$)/y) !== null) return true
  if (kind === '<&') throw new Unsure()
  skipBlanks(cursor)
  // `>&-` closes the output, and what stands after it is a word of its own: in `>&-sh x` a command.
  if (kind === '>&' && cursor.text[cursor.at] === '-') throw new Unsure()
  const target = readWord(cursor)
  if (target.text === '' || /^\d*-?$/.test(target.text)) throw new Unsure()
  command.redirects.push({ writes: kind !== '<', target })
  return true
}

/** Skips blank lines, and comments that could do nothing if a shell took them for a command. */
function skipLines(cursor: Cursor): void {
  while (match(cursor, /[ \t\n]+|\\\n|#[\w ,.:/-]*(?=\n|$)/y) !== null);
}
