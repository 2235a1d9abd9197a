import {
  Unsure,
  commandAt,
  knownWord,
  match,
  readInner,
  skipBlanks,
  skipLines,
  takeLineEnd,
} from './cursor.ts'
import type { Cursor, Word } from './cursor.ts'
import { boundValue, isPlainVariable } from './variables.ts'
import { readWord, readWordHere } from './word.ts'

// Loops, conditions and groups, in the forms that bash, dash, zsh and busybox read alike.

const valuesMax = 12
/** How often a part may be read, for the values of all loops around it. */
const passesMax = 32

const reserved =
  /(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|function|select|\{|\}|\[\[)(?=[\s;&|<>()]|$)|\}/y

/** Reads a compound command, up to its last word; false: none begins here. What it sets ends with it. */
export function readCompound(cursor: Cursor): boolean {
  const word = match(cursor, reserved)
  if (word === null) return false
  const { scope } = cursor
  const read = Object.hasOwn(compounds, word) ? compounds[word]! : null
  if (read === null) throw new Unsure()
  read(cursor)
  if (!/[\s;&|<>()]|$/y.test(cursor.text.slice(cursor.at, cursor.at + 1))) throw new Unsure()
  cursor.scope = scope
  return true
}

const compounds: Record<string, (cursor: Cursor) => void> = {
  '{': (cursor) => readBlock(cursor, ['}']),
  if: readIf,
  for: readFor,
  while: (cursor) => readWhile(cursor, true),
  until: (cursor) => readWhile(cursor, false),
  case: readCase,
  '[[': readTest,
}

/** Reads commands up to one of some reserved words. @returns the word */
function readBlock(cursor: Cursor, ends: readonly string[]): string {
  readInner(cursor, ends)
  return ends.find((word) => takes(cursor, word))!
}

function takes(cursor: Cursor, word: string): boolean {
  const isThere = cursor.text.startsWith(word, cursor.at)
  if (isThere) cursor.at += word.length
  return isThere
}

function expect(cursor: Cursor, word: string): void {
  skipLines(cursor)
  if (!takes(cursor, word) || !/[\s(]/.test(cursor.text[cursor.at] ?? '')) throw new Unsure()
}

function readIf(cursor: Cursor): void {
  for (let end = 'elif'; end === 'elif';) {
    readBlock(cursor, ['then'])
    const { scope } = cursor
    cursor.scope = cursor.scopeOfSuccess
    end = readBlock(cursor, ['elif', 'else', 'fi'])
    cursor.scope = scope
    if (end === 'else') end = readBlock(cursor, ['fi'])
  }
}

function readWhile(cursor: Cursor, isWhile: boolean): void {
  cursor.loops++
  readBlock(cursor, ['do'])
  if (isWhile) cursor.scope = cursor.scopeOfSuccess
  readBlock(cursor, ['done'])
  cursor.loops--
}

function readFor(cursor: Cursor): void {
  skipBlanks(cursor)
  const name = match(cursor, /[A-Za-z_]\w*(?=[ \t])/y)
  skipBlanks(cursor)
  if (name === null || match(cursor, /in(?=[ \t])/y) === null || cursor.scope.has(name)) throw new Unsure()
  const values = readValues(cursor)
  cursor.commands.push(
    { ...commandAt(cursor), assignments: [{ name, value: knownWord('') }] },
    commandAt(cursor, [knownWord(':'), ...values]),
  )
  expect(cursor, 'do')
  const { scope, here, at, loops, passes } = cursor
  const bound = values.map(boundValue)
  const isKnown =
    bound.length > 0 &&
    bound.length <= valuesMax &&
    passes * bound.length <= passesMax &&
    !bound.includes(null)
  // A wildcard stands for any number of values.
  const areFew = isKnown && !bound.some((value) => value!.isGlob)
  for (const value of isKnown ? bound : [null]) {
    Object.assign(cursor, { scope, here, at })
    if (isPlainVariable(name)) cursor.scope = new Map([...scope, [name, value]])
    cursor.loops = areFew ? loops : loops + 1
    cursor.passes = isKnown ? passes * bound.length : passes
    readBlock(cursor, ['done'])
  }
  Object.assign(cursor, { loops, passes })
}

function readValues(cursor: Cursor): Word[] {
  const values: Word[] = []
  for (;;) {
    skipBlanks(cursor)
    if (takeLineEnd(cursor) || match(cursor, /;(?!;)/y) !== null) return values
    if ('&|<>()#'.includes(cursor.text[cursor.at] ?? '#')) throw new Unsure()
    values.push(readWordHere(cursor))
  }
}

function readCase(cursor: Cursor): void {
  skipBlanks(cursor)
  // A command that prints nothing stands for the words that are compared.
  const words = [knownWord(':'), readWord(cursor)]
  cursor.commands.push(commandAt(cursor, words))
  skipLines(cursor)
  if (match(cursor, /in(?=\s)/y) === null) throw new Unsure()
  const { scope } = cursor
  for (;;) {
    skipLines(cursor)
    if (match(cursor, /esac/y) !== null) return
    readPatterns(cursor, words)
    skipLines(cursor)
    cursor.scope = scope
    if (cursor.text.startsWith(';;', cursor.at)) cursor.at += 2
    else if (readBlock(cursor, [';;', 'esac']) === 'esac') return
  }
}

/** Reads `a | b)` or `(a | b)`. Some shells take a parenthesis without its pair for the end of `$(…)`. */
function readPatterns(cursor: Cursor, words: Word[]): void {
  if (match(cursor, /\(/y) === null && cursor.shells > 0) throw new Unsure()
  for (;;) {
    skipBlanks(cursor)
    words.push(readWordHere(cursor))
    skipBlanks(cursor)
    if (match(cursor, /\)/y) !== null) return
    if (match(cursor, /\|(?!\|)/y) === null) throw new Unsure()
  }
}

/**
 * Reads `[[ … ]]`, each condition as a command of its own. Shells that do not know it take `&&` and `||` for operators between
 * commands: so what stands after these begins with an option.
 */
function readTest(cursor: Cursor): void {
  for (let isFirst = true; ; isFirst = false) {
    const words = [knownWord('[[')]
    let operator: string | null = null
    for (;;) {
      skipBlanks(cursor)
      operator = match(cursor, /&&|\|\||\]\](?=[\s;&|<>()]|$)/y)
      if (operator !== null) break
      if ('\n;&|<>()#'.includes(cursor.text[cursor.at] ?? '#')) throw new Unsure()
      words.push(readWordHere(cursor))
    }
    const isOption = words
      .slice(1)
      .find(({ text }) => text !== '!')
      ?.text.startsWith('-')
    if (words.length === 1 || (!isFirst && !isOption)) throw new Unsure()
    cursor.commands.push(commandAt(cursor, [...words, knownWord(']]')]))
    if (operator === ']]') return
  }
}
