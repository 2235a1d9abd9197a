import type { Scope } from './variables.ts'

/** A word after the removal of quotes. */
export interface Word {
  text: string
  /** It contains wildcards that the shell expands to file names. */
  isGlob: boolean
  /**
   * Whether its text is known: `no` is complete, `plain` has harmless variables or the output of commands that were read,
   * `yes` can stand for anything.
   */
  isOpen: 'no' | 'plain' | 'yes'
  /** It has `^`, `#` or `~`, which zsh may take for wildcards (EXTENDED_GLOB). `revision`: it starts as a name for git does. */
  zshGlob?: 'revision' | 'other'
  /** It starts with `$HOME` or `$PWD`, written `~` and `.` here. */
  isFolder?: boolean
  /** It has `$PWD` outside quotes: in a folder with white space in its name it is several words. */
  isSplit?: boolean
  /** An open part stands outside quotes: it can be several words, or none. */
  isSeveral?: boolean
  /** It has the value of a variable that the same line sets: other commands of the line may set it, too. */
  isBound?: boolean
  /** It stands for the output of a command, as `<(…)` does. */
  isInput?: boolean
  /** Its open parts, where each is the output of one command, or of one pipeline: where it stands in the text. */
  outputs?: Output[] | undefined
}

export interface Output {
  at: number
  /** The last one of its pipeline. */
  command: SimpleCommand
}

/** A command without operators: what it sets, runs and redirects. */
export interface SimpleCommand {
  assignments: { name: string; value: Word }[]
  words: Word[]
  /** It stands in parentheses or in a substitution: in a shell of its own. */
  isNested: boolean
  /** It stands in a loop, and runs any number of times. */
  isRepeated: boolean
  /** Redirects to and from files; copies of descriptors such as `2>&1` are left out. */
  redirects: { writes: boolean; target: Word }[]
  /** Texts that its input is: here-documents and here-strings. */
  inputs: Word[]
  /** The command whose output it reads, if that is a simple one. */
  reads?: SimpleCommand
  /** It stands behind a pipe. */
  isFed?: boolean
}

/** A word whose text is known. */
export const knownWord = (text: string): Word => ({ text, isGlob: false, isOpen: 'no' })

/** A command of some words, which stands neither in a shell of its own nor in a loop. */
export const commandOf = (words: Word[]): SimpleCommand => ({
  assignments: [],
  words,
  redirects: [],
  inputs: [],
  isNested: false,
  isRepeated: false,
})

/** A command of some words, which stands at the cursor. */
export const commandAt = ({ shells, loops }: Cursor, words: Word[] = []): SimpleCommand => ({
  ...commandOf(words),
  isNested: shells > 0,
  isRepeated: loops > 0,
})

/** The text is not in the subset that the parser reads exactly as shells do. */
export class Unsure extends Error {}

/** What a list of commands ends with: the end of the text, `)`, or one of some reserved words. */
export type End = '' | ')' | readonly string[]

export interface Cursor {
  text: string
  at: number
  /** How many lists stand around, and how many of them are in a shell of their own. */
  depth: number
  shells: number
  /** How many loops stand around, of which it is not known how often they run. */
  loops: number
  /** How often the part is read, once for each value of the loops around it. */
  passes: number
  /** The variables that the line has set. */
  scope: Scope
  /** The variables after the last list, if its last command succeeded. */
  scopeOfSuccess: Scope
  /** Reserved words are words as others, and no variable is followed. */
  isLoose: boolean
  /** Here-documents that begin after this line: where the line ends, and where the text goes on. */
  here: { lineEnd: number; resume: number; shells: number } | null
  /** Every simple command so far, those of substitutions before the command that contains them. */
  commands: SimpleCommand[]
  /** Reads commands up to `end`. */
  readList: (cursor: Cursor, end: End) => void
}

const depthMax = 16
const shellsMax = 8

/** Reads commands in a shell of their own, up to `end`; what they set ends with them. */
export function readNested(cursor: Cursor, end: '' | ')'): void {
  if (cursor.shells >= shellsMax) throw new Unsure()
  const { scope, scopeOfSuccess, here } = cursor
  cursor.shells++
  readInner(cursor, end)
  cursor.shells--
  if (cursor.here !== here || cursor.text[cursor.at] !== (end || undefined)) throw new Unsure()
  Object.assign(cursor, { scope, scopeOfSuccess })
  cursor.at++
}

/** Reads commands one level deeper, up to `end`. */
export function readInner(cursor: Cursor, end: End): void {
  if (cursor.depth >= depthMax) throw new Unsure()
  cursor.depth++
  cursor.readList(cursor, end)
  cursor.depth--
}

/** Takes what the sticky pattern matches at the cursor; null: nothing. */
export function match(cursor: Cursor, pattern: RegExp): string | null {
  pattern.lastIndex = cursor.at
  const found = pattern.exec(cursor.text)?.[0]
  if (!found) return null
  cursor.at += found.length
  return found
}

/** Skips spaces, tabs and continued lines. */
export function skipBlanks(cursor: Cursor): void {
  match(cursor, /([ \t]|\\\n)+/y)
}

/** Takes the end of a line, and the here-documents after it. */
export function takeLineEnd(cursor: Cursor): boolean {
  if (cursor.text[cursor.at] !== '\n') return false
  const { here } = cursor
  if (here && (here.lineEnd !== cursor.at || here.shells !== cursor.shells)) throw new Unsure()
  cursor.at = here ? here.resume : cursor.at + 1
  cursor.here = null
  return true
}

/** Skips blank lines, and comments that could do nothing if a shell took them for a command. */
export function skipLines(cursor: Cursor): void {
  while (match(cursor, /[ \t]+|\\\n|#[\w ,.:/-]*(?=\n|$)/y) !== null || takeLineEnd(cursor));
}
