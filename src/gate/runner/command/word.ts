import { Unsure, match, readNested } from './cursor.ts'
import type { Cursor, Word } from './cursor.ts'

/** Variables whose value tells no secret, and `?` and `#`. */
const plainVariables = [
  'PWD',
  'OLDPWD',
  'USER',
  'LOGNAME',
  'SHELL',
  'PATH',
  'LANG',
  'TERM',
  'HOSTNAME',
  '?',
  '#',
]

/** Reads one word, which may be empty. Throws `Unsure` where shells differ. */
export function readWord(cursor: Cursor): Word {
  const word: Word = { text: '', isGlob: false, isOpen: 'no' }
  // zsh takes `=name` for the path of a program.
  if (cursor.text[cursor.at] === '=') throw new Unsure()
  for (const start = cursor.at; ;) {
    const char = cursor.text[cursor.at]
    if (char === undefined || ' \t\n;&|<>()'.includes(char)) break
    if (char === "'") readSingleQuoted(cursor, word)
    else if (char === '"') readDoubleQuoted(cursor, word)
    else if (char === '\\') readEscape(cursor, word)
    else if (char === '$') readDollar(cursor, word, false)
    else if (char === '`') readBackticks(cursor, word)
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
  if (word.isFolder && !/^.(\/|$)/.test(word.text)) word.isOpen = 'yes'
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
    else if (char === '`') readBackticks(cursor, word)
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
  if (fishEscape.test(cursor.text.slice(cursor.at, cursor.at + 3))) opens(word, 'plain')
  if (char !== '\n') word.text += char
  cursor.at += 2
}

function readDollar(cursor: Cursor, word: Word, isQuoted: boolean): void {
  cursor.at++
  if (match(cursor, /\((?!\()/y) !== null) {
    readNested(cursor, ')')
    opens(word, 'plain')
    return
  }
  const name = match(cursor, /\{[A-Za-z_]\w*\}|[A-Za-z_]\w*|[?#@*!0-9$-]/y)?.replace(/^\{|\}$/g, '')
  if (name === undefined) {
    // Alone it is itself; before anything else it may start what this parser does not read: `$'`, `$[`, `${x:-y}`, `$=x`.
    if (!/[\s/|;)"%.,]|$/y.test(cursor.text.slice(cursor.at, cursor.at + 1))) throw new Unsure()
    if (cursor.text[cursor.at] === '"' && !isQuoted) throw new Unsure()
    word.text += '$'
    return
  }
  // zsh takes these for subscripts and modifiers, which can change the value and run commands.
  if ('[:('.includes(cursor.text[cursor.at] ?? ' ')) throw new Unsure()
  if (word.text === '' && word.isOpen === 'no' && (name === 'HOME' || name === 'PWD')) {
    word.text = name === 'HOME' ? '~' : '.'
    word.isFolder = true
    word.isSplit = name === 'PWD' && !isQuoted
  } else opens(word, plainVariables.includes(name) ? 'plain' : 'yes')
}

function opens(word: Word, isOpen: 'plain' | 'yes'): void {
  if (word.isOpen !== 'yes') word.isOpen = isOpen
}

/** Inside backticks quotes and escapes are read twice: none may be there. */
function readBackticks(cursor: Cursor, word: Word): void {
  const end = cursor.text.indexOf('`', cursor.at + 1)
  const content = end === -1 ? '' : cursor.text.slice(cursor.at + 1, end)
  if (content.trim() === '' || /['"\\]/.test(content)) throw new Unsure()
  const inner: Cursor = { ...cursor, text: content, at: 0 }
  readNested(inner, '')
  opens(word, 'plain')
  cursor.at = end + 1
}

/** Braces make several words of one, except around a name after `@`, as git writes revisions. */
function readBrace(cursor: Cursor, word: Word): void {
  const literal = word.isOpen !== 'yes' && word.text.endsWith('@') ? match(cursor, /\{[a-z0-9]+\}/y) : null
  if (literal === null) opens(word, 'yes')
  word.text += literal ?? cursor.text[cursor.at++]
}
