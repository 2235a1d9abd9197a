import { Unsure, knownWord, match, readNested } from './cursor.ts'
import type { Cursor, SimpleCommand, Word } from './cursor.ts'
import { tellsNoSecret } from './variables.ts'

/** Reads one word that is not empty as it is written. Throws `Unsure` where none stands. */
export function readWordHere(cursor: Cursor): Word {
  const start = cursor.at
  const word = readWord(cursor)
  if (cursor.at === start) throw new Unsure()
  return word
}

/** Reads one word, which may be empty: then the cursor stays. Throws `Unsure` where shells differ. */
export function readWord(cursor: Cursor): Word {
  const word = knownWord('')
  // zsh takes `=name` for the path of a program, but compares by `=`, `==` and `=~`.
  if (cursor.text[cursor.at] === '=') {
    word.text = match(cursor, /=[=~]?(?=[ \t])/y) ?? ''
    if (word.text === '') throw new Unsure()
    return word
  }
  for (const start = cursor.at; ;) {
    const char = cursor.text[cursor.at]
    if (char === undefined || ' \t\n;&|<>()'.includes(char)) break
    if (char === "'") readSingleQuoted(cursor, word)
    else if (char === '"') readDoubleQuoted(cursor, word)
    else if (char === '\\') readEscape(cursor, word)
    else if (char === '$') readDollar(cursor, word, false)
    else if (char === '`') readBackticks(cursor, word, false)
    else if (char === '{' || char === '}') readBrace(cursor, word)
    else {
      if ('*?['.includes(char)) word.isGlob = true
      // Files whose names start as a revision or as `--name=` are no other option.
      if ('^#'.includes(char) || (char === '~' && cursor.at > start))
        word.zshGlob ??= /^([A-Za-z0-9@]|--[a-z-]+=)/.test(word.text) ? 'revision' : 'other'
      word.text += char
      cursor.at++
    }
  }
  // `$PWD-2` is another folder than `$PWD`.
  if (word.isFolder && !/^.(\/|$)/.test(word.text)) opens(word, 'yes', false)
  return word
}

function readSingleQuoted(cursor: Cursor, word: Word): void {
  const end = cursor.text.indexOf("'", cursor.at + 1)
  // fish takes a backslash before the quote for an escape.
  if (end === -1 || cursor.text[end - 1] === '\\') throw new Unsure()
  word.text += cursor.text.slice(cursor.at + 1, end)
  cursor.at = end + 1
}

function readDoubleQuoted(cursor: Cursor, word: Word): void {
  for (cursor.at++; ;) {
    const char = cursor.text[cursor.at]
    if (char === undefined) throw new Unsure()
    if (char === '$') readDollar(cursor, word, true)
    else if (char === '`') readBackticks(cursor, word, true)
    else {
      cursor.at++
      if (char === '"') return
      if (char !== '\\') word.text += char
      else if (match(cursor, /\n/y) === null) word.text += match(cursor, /[$`"\\]/y) ?? '\\'
    }
  }
}

/** Outside quotes fish makes another character of these: `\\x2d` is a dash. */
const fishEscape = /^\\(?:[abefnrtv0-7]|[xXuU][\da-fA-F]|c.)/

function readEscape(cursor: Cursor, word: Word): void {
  const char = cursor.text[cursor.at + 1]
  if (char === undefined) throw new Unsure()
  if (fishEscape.test(cursor.text.slice(cursor.at, cursor.at + 3))) opens(word, 'plain', true)
  if (char !== '\n') word.text += char
  cursor.at += 2
}

function readDollar(cursor: Cursor, word: Word, isQuoted: boolean): void {
  cursor.at++
  if (cursor.text.startsWith('((', cursor.at)) return readArithmetic(cursor, word, isQuoted)
  if (match(cursor, /\(/y) !== null) {
    const from = cursor.commands.length
    readNested(cursor, ')')
    opensToOutput(word, cursor.commands.slice(from), isQuoted)
    return
  }
  if (!isQuoted && match(cursor, /'\\t'/y) !== null) {
    word.text += '\t'
    return
  }
  const isBraced = cursor.text[cursor.at] === '{'
  const name = match(cursor, /\{[A-Za-z_]\w*\}|[A-Za-z_]\w*|[?#@*!0-9$-]/y)?.replace(/^\{|\}$/g, '')
  if (name === undefined) {
    if (isBraced) return readOperation(cursor, word, isQuoted)
    // Alone it is itself; before anything else it may start what this parser does not read: `$'`, `$[`, `$=x`.
    if (!/[\s/|;)"%.,]|$/y.test(cursor.text.slice(cursor.at, cursor.at + 1))) throw new Unsure()
    if (cursor.text[cursor.at] === '"' && !isQuoted) throw new Unsure()
    word.text += '$'
    return
  }
  // zsh takes these for subscripts and modifiers, which can change the value and run commands.
  const isPlainAfter = isQuoted && (isBraced || /^:[\s"$/]/.test(cursor.text.slice(cursor.at, cursor.at + 2)))
  if ('[:('.includes(cursor.text[cursor.at] ?? ' ') && !isPlainAfter) throw new Unsure()
  readVariable(cursor, word, name, isQuoted)
}

function readVariable(cursor: Cursor, word: Word, name: string, isQuoted: boolean): void {
  const value = cursor.scope.get(name)
  const isFirst = word.text === '' && word.isOpen === 'no'
  if (isFirst && (name === 'HOME' || name === 'PWD')) {
    word.text = name === 'HOME' ? '~' : '.'
    word.isFolder = true
    word.isSplit = name === 'PWD' && !isQuoted
  } else if (value && (isQuoted || !value.isGlob) && (isFirst || !value.text.startsWith('~'))) {
    word.text += value.text
    word.isGlob ||= value.isGlob
    word.isBound = true
  } else opens(word, cursor.scope.has(name) || tellsNoSecret(name) ? 'plain' : 'yes', isQuoted)
}

/** Numbers and operators: names would be evaluated as expressions of their own, and could be set. */
function readArithmetic(cursor: Cursor, word: Word, isQuoted: boolean): void {
  const { text, at } = cursor
  let depth = 0
  let end = at
  do {
    const char = text[end++]
    if (char === undefined || !'0123456789 +-*/%<>=!&|?:()'.includes(char)) throw new Unsure()
    if (char === '(') depth++
    if (char === ')') depth--
    // If the two parentheses at the start do not end together, it is a subshell in a substitution.
    if (depth === 1 && end > at + 1 && text[end] !== ')') throw new Unsure()
  } while (depth > 0)
  if (/\+\+|--|(^|[^<>=!])=(?!=)|<<=|>>=/.test(text.slice(at, end))) throw new Unsure()
  cursor.at = end
  opens(word, 'plain', isQuoted)
}

/** The most expansions that may stand in each other. */
const operationsMax = 16

/** Reads `${name:-word}` and its like: those that set nothing, and whose words have no quotes. */
function readOperation(cursor: Cursor, word: Word, isQuoted: boolean): void {
  const length = match(cursor, /\{#[A-Za-z_]\w*\}/y)
  const start = length ?? match(cursor, /\{[A-Za-z_]\w*(:?[-+]|##?|%%?|\/\/?|:\d+(:\d+)?(?=\}))/y)
  if (start === null) throw new Unsure()
  const name = /\w+/.exec(start)![0]
  const isPlain = cursor.scope.has(name) || tellsNoSecret(name)
  opens(word, isPlain ? 'plain' : 'yes', isQuoted)
  if (length !== null) return
  if (cursor.depth >= operationsMax) throw new Unsure()
  cursor.depth++
  for (;;) {
    match(cursor, /[\w .,:@%+=/*?-]+/y)
    const char = cursor.text[cursor.at]
    if (char === '}') break
    if (char !== '$') throw new Unsure()
    readDollar(cursor, word, isQuoted)
  }
  cursor.depth--
  cursor.at++
}

function opens(word: Word, isOpen: 'plain' | 'yes', isQuoted: boolean): void {
  word.outputs = undefined
  if (word.isOpen !== 'yes') word.isOpen = isOpen
  if (!isQuoted) word.isSeveral = true
}

/** @param commands  those of the substitution */
function opensToOutput(word: Word, commands: SimpleCommand[], isQuoted: boolean): void {
  const before = word.isOpen === 'no' ? [] : word.outputs
  const command = commands.at(-1)
  opens(word, 'plain', isQuoted)
  if (before && command && pipelineLength(command) === commands.length)
    word.outputs = [...before, { at: word.text.length, command }]
}

function pipelineLength(last: SimpleCommand): number {
  let length = 1
  for (let command = last; command.reads; command = command.reads) length++
  return length
}

/** Inside backticks quotes and escapes are read twice: none may be there. */
function readBackticks(cursor: Cursor, word: Word, isQuoted: boolean): void {
  const end = cursor.text.indexOf('`', cursor.at + 1)
  const content = end === -1 ? '' : cursor.text.slice(cursor.at + 1, end)
  if (content.trim() === '' || /['"\\]|<</.test(content)) throw new Unsure()
  const inner: Cursor = { ...cursor, text: content, at: 0, here: null }
  const from = cursor.commands.length
  readNested(inner, '')
  opensToOutput(word, cursor.commands.slice(from), isQuoted)
  cursor.at = end + 1
}

/**
 * Braces make several words of one, except around a name after `@`, as git writes revisions, and `{}`. What they hold stands in the
 * text.
 */
function readBrace(cursor: Cursor, word: Word): void {
  const isRevision = word.isOpen === 'no' && word.text.endsWith('@')
  const literal = match(cursor, /\{\}/y) ?? (isRevision ? match(cursor, /\{[a-z0-9]+\}/y) : null)
  // zsh takes one alone for the end of a group; bash sets the variable whose name stands before a redirection.
  const isAlone = cursor.text[cursor.at] === '}' && word.text === '' && isWordEnd(cursor, cursor.at + 1)
  if (isAlone || '<>'.includes(cursor.text[literal === null ? cursor.at + 1 : cursor.at] ?? ' '))
    throw new Unsure()
  if (literal === null) opens(word, 'plain', false)
  word.text += literal ?? cursor.text[cursor.at++]
}

export const isWordEnd = ({ text }: { text: string }, at: number): boolean =>
  /[\s;&|<>()]|$/y.test(text.slice(at, at + 1))

/** Reads what a here-document expands. */
export function readExpansions(cursor: Cursor, word: Word): void {
  while (cursor.at < cursor.text.length) {
    const char = cursor.text[cursor.at]
    if (char === '$') readDollar(cursor, word, true)
    else if (char === '`') readBackticks(cursor, word, true)
    else cursor.at += char === '\\' ? 2 : 1
  }
}
