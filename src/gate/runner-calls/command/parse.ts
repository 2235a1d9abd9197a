import { readCompound } from './compound.ts'
import {
  Unsure,
  commandAt,
  knownWord,
  match,
  readNested,
  skipBlanks,
  skipLines,
  takeLineEnd,
} from './cursor.ts'
import type { Cursor, End, SimpleCommand, Word } from './cursor.ts'
import { readHereDocument } from './here-document.ts'
import { boundValue, isPlainVariable } from './variables.ts'
import type { Scope } from './variables.ts'
import { isWordEnd, readWord, readWordHere } from './word.ts'

const commandCharsMax = 16_000
/** Commands in loops are read once for each value, and count each time. */
const commandsMax = 500

// Control, invisible and direction characters, spaces that are not ASCII, and quotes that some shells take for quotes.
const doubtfulChars = /[^\P{C}\n\t]|[^\P{Z} ]|[\u2018-\u201f]/u

/**
 * Reads a command line of a POSIX shell, bash or zsh into its simple commands; null where the text could mean something else
 * to one of them, or is not in the subset read here. A loop over known words is read once for each of them. Linear. Pure.
 * @source POSIX.1-2024, Shell Command Language, §2.10
 */
export const parseCommand = (text: string): SimpleCommand[] | null => parse(text, false)

/** Splits a text that is not certain at its operators, each part a command, so that its words can be looked at. Pure. */
export const partsOfCommand = (text: string): SimpleCommand[] => parse(text, true) ?? []

function parse(text: string, isLoose: boolean): SimpleCommand[] | null {
  if (text.length > commandCharsMax || doubtfulChars.test(text)) return null
  const scope: Scope = new Map()
  const cursor: Cursor = {
    text,
    at: 0,
    depth: 0,
    shells: 0,
    loops: 0,
    passes: 1,
    scope,
    scopeOfSuccess: scope,
    isLoose,
    here: null,
    commands: [],
    readList,
  }
  try {
    readList(cursor, '')
  } catch (error) {
    if (error instanceof Unsure) return null
    throw error
  }
  return cursor.at < text.length || cursor.here || cursor.commands.length === 0 ? null : cursor.commands
}

/** Reads commands up to `end`; leaves the cursor on it. */
function readList(cursor: Cursor, end: End): void {
  for (let isFirst = true; ; isFirst = false) {
    skipLines(cursor)
    if (isAtEnd(cursor, end)) {
      if (isFirst && end) throw new Unsure()
      return
    }
    readAndOr(cursor, end)
    skipBlanks(cursor)
    if (takeLineEnd(cursor) || match(cursor, /;(?!;)|&/y) !== null) continue
    // Reserved words end a list only where a command could begin.
    if (isAtEnd(cursor, typeof end === 'string' ? end : end.filter((word) => word === ';;'))) return
    throw new Unsure()
  }
}

function isAtEnd({ text, at }: Cursor, end: End): boolean {
  if (end === '') return at >= text.length
  if (end === ')') return text[at] === ')'
  return end.some(
    (word) => text.startsWith(word, at) && (word === ';;' || isWordEnd({ text }, at + word.length)),
  )
}

/** Reads pipelines between which `&&` and `||` stand; a command must follow these. */
function readAndOr(cursor: Cursor, end: End): void {
  const before = cursor.scope
  const lasting = readPipeline(cursor, end)
  let isOr = false
  for (;;) {
    skipBlanks(cursor)
    const operator = match(cursor, /&&|\|\|/y)
    if (operator === null) break
    isOr ||= operator === '||'
    if (isOr) cursor.scope = lasting
    skipLinesBefore(cursor, end)
    readPipeline(cursor, end)
  }
  cursor.scopeOfSuccess = isOr ? lasting : cursor.scope
  cursor.scope = cursor.text[cursor.at] === '&' ? before : lasting
}

function skipLinesBefore(cursor: Cursor, end: End): void {
  skipLines(cursor)
  if (cursor.at >= cursor.text.length || isAtEnd(cursor, end)) throw new Unsure()
}

/** Leaves the variables that it sets if it succeeds. @returns those that it sets in any case */
function readPipeline(cursor: Cursor, end: End): Scope {
  const before = cursor.scope
  let isNegated = false
  for (; match(cursor, /!(?=[ \t])/y) !== null; skipBlanks(cursor)) isNegated = true
  let part = readPart(cursor)
  let lasting = part?.sets === 'always' ? cursor.scope : before
  for (;;) {
    skipBlanks(cursor)
    if (match(cursor, /\|&|\|(?!\|)/y) === null) break
    // Each part of a pipeline may run in a shell of its own.
    cursor.scope = before
    lasting = before
    skipLinesBefore(cursor, end)
    const next = readPart(cursor)
    if (next) next.command.isFed = true
    if (next && part) next.command.reads = part.command
    part = next
    cursor.scope = before
  }
  if (isNegated) cursor.scope = lasting
  return lasting
}

interface Part {
  command: SimpleCommand
  /** When the variables of the scope are set. */
  sets: 'always' | 'on success'
}

/** @returns null: it is none that is simple */
function readPart(cursor: Cursor): Part | null {
  if (cursor.text[cursor.at] === '(') readSubshell(cursor)
  else if (cursor.isLoose || !readCompound(cursor)) return readSimple(cursor)
  readRedirects(cursor)
  return null
}

function readSubshell(cursor: Cursor): void {
  if (cursor.text[cursor.at + 1] === '(') throw new Unsure()
  cursor.at++
  readNested(cursor, ')')
}

/** Reads the redirects of a subshell or a compound command. It is a command even without any: more than one stands here. */
function readRedirects(cursor: Cursor): void {
  const command = commandAt(cursor)
  for (skipBlanks(cursor); readRedirect(cursor, command); skipBlanks(cursor));
  cursor.commands.push(command)
}

function readSimple(cursor: Cursor): Part {
  const command = commandAt(cursor)
  const start = cursor.at
  let remark: Word[] = []
  let isRedirected = false
  for (;;) {
    skipBlanks(cursor)
    const char = cursor.text[cursor.at]
    if (char === undefined || '\n;|)'.includes(char)) break
    if (readSubstitutedProcess(cursor, command)) continue
    if (readRedirect(cursor, command)) {
      isRedirected = true
      continue
    }
    if (char === '&') break
    if (char === '#') {
      remark = readRemark(cursor)
      break
    }
    if (char === '(') throw new Unsure()
    if (command.words.length === 0 && readAssignment(cursor, command)) continue
    command.words.push(readWordHere(cursor))
  }
  if (cursor.at === start) throw new Unsure()
  if (cursor.commands.length > commandsMax) throw new Unsure()
  cursor.commands.push(command)
  if (remark.length > 0) cursor.commands.push({ ...command, words: [...command.words, ...remark] })
  return { command, sets: setVariables(cursor, command, isRedirected) }
}

/**
 * Reads a comment behind a command. An interactive zsh takes it for more words, so it is both: only words that are no options and
 * name no hidden files.
 */
function readRemark(cursor: Cursor): Word[] {
  const text = match(cursor, /#+(?=[ \t\n]|$)([ \t]+[A-Za-z0-9_][\w.,:-]*)*[ \t]*(?=\n|$)/y)
  if (text === null) throw new Unsure()
  return text
    .split(/[ \t]+/)
    .filter(Boolean)
    .map(knownWord)
}

function readAssignment(cursor: Cursor, command: SimpleCommand): boolean {
  const assignment = match(cursor, /[A-Za-z_][A-Za-z0-9_]*(=|\+=|\[)/y)
  if (assignment === null) return false
  // Lists and parts of lists are evaluated: a subscript can run commands.
  if (!/\w=$/.test(assignment) || cursor.text[cursor.at] === '(') throw new Unsure()
  command.assignments.push({ name: assignment.slice(0, -1), value: readWord(cursor) })
  return true
}

/** Adds the variables to the scope that a command sets: `name=value` alone, and `read`. */
function setVariables(cursor: Cursor, command: SimpleCommand, isRedirected: boolean): Part['sets'] {
  const { assignments, words } = command
  if (cursor.isLoose) return 'on success'
  if (words.length === 0) {
    for (const { name, value } of assignments)
      setVariable(
        cursor,
        name,
        isRedirected ? undefined : boundValue({ ...value, isGlob: /[*?[]/.test(value.text) }),
      )
    return 'always'
  }
  if (words[0]!.text === 'read' && words[0]!.isOpen === 'no')
    for (const { text } of words.slice(1).filter((word) => !word.text.startsWith('-')))
      setVariable(cursor, text, isRedirected ? undefined : null)
  return 'on success'
}

/** @param value  undefined: it is not certain that the variable is set */
export function setVariable(cursor: Cursor, name: string, value: Word | null | undefined): void {
  // A value that holds here does not hold wherever the line sets another one.
  if (cursor.scope.has(name)) throw new Unsure()
  if (value !== undefined && isPlainVariable(name)) cursor.scope = new Map([...cursor.scope, [name, value]])
}

/** Reads `<(…)` as a word of its own: a file that holds what the commands in it print. */
function readSubstitutedProcess(cursor: Cursor, command: SimpleCommand): boolean {
  if (!cursor.text.startsWith('<(', cursor.at)) return false
  if (!/[ \t\n]/.test(cursor.text[cursor.at - 1] ?? 'x')) throw new Unsure()
  command.words.push(readProcess(cursor))
  return true
}

function readProcess(cursor: Cursor): Word {
  cursor.at += 2
  readNested(cursor, ')')
  if (!isWordEnd(cursor, cursor.at)) throw new Unsure()
  return { ...knownWord('-'), isInput: true }
}

/** Reads a redirection. Those to processes and descriptors in variables are not in the subset. */
function readRedirect(cursor: Cursor, command: SimpleCommand): boolean {
  const operator = match(cursor, /(\d+(?=[<>]))?(&>>|&>|>>|>\||>&|<&|<>|<<<|<<|>|<)/y)
  if (operator === null) return false
  const kind = operator.replace(/^\d+/, '')
  if (kind === '<>' || '(!|&<>'.includes(cursor.text[cursor.at] ?? ' ')) throw new Unsure()
  if (kind.startsWith('<<')) {
    if (operator !== kind) throw new Unsure()
    skipBlanks(cursor)
    command.inputs.push(kind === '<<' ? readHereDocument(cursor) : readWordHere(cursor))
    return true
  }
  if (kind.endsWith('&') && match(cursor, /(\d+|-)(?=[\s;|&)]|$)/y) !== null) return true
  if (kind === '<&') throw new Unsure()
  skipBlanks(cursor)
  if (kind === '<' && cursor.text.startsWith('<(', cursor.at)) {
    command.inputs.push(readProcess(cursor))
    return true
  }
  // `>&-` closes the output, and what stands after it is a word of its own: in `>&-sh x` a command.
  if (kind === '>&' && cursor.text[cursor.at] === '-') throw new Unsure()
  const target = readWord(cursor)
  if (target.text === '' || /^\d*-?$/.test(target.text)) throw new Unsure()
  command.redirects.push({ writes: kind !== '<', target })
  return true
}
