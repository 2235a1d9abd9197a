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
}

/** A command without operators: what it sets, runs and redirects. */
export interface SimpleCommand {
  assignments: { name: string; value: Word }[]
  words: Word[]
  /** It stands in parentheses or in a substitution: in a shell of its own. */
  isNested: boolean
  /** Only files; copies of descriptors such as `2>&1` are left out. */
  redirects: { writes: boolean; target: Word }[]
}

/** The text is not in the subset that the parser reads exactly as shells do. */
export class Unsure extends Error {}

export interface Cursor {
  text: string
  at: number
  depth: number
  /** Every simple command so far, those of substitutions before the command that contains them. */
  commands: SimpleCommand[]
  /** Reads commands up to `end`, or the end of the text. */
  readList: (cursor: Cursor, end: '' | ')') => void
}

const depthMax = 8

/** Reads commands one level deeper, up to `end`. */
export function readNested(cursor: Cursor, end: '' | ')'): void {
  if (cursor.depth >= depthMax) throw new Unsure()
  cursor.depth++
  cursor.readList(cursor, end)
  cursor.depth--
  if (cursor.text[cursor.at] !== (end || undefined)) throw new Unsure()
  cursor.at++
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
