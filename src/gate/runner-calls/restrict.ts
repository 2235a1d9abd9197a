import type { Json } from '../canonical.ts'
import { isSameOption, lettersLike } from './command/option-names.ts'
import { programOf } from './command/run-by-others.ts'
import {
  type Argument,
  type RunCommand,
  type Runs,
  looseRuns,
  runsOf,
  runsOfWords,
  wordsIn,
} from './command/runs.ts'
import { patternMatches } from './glob.ts'
import {
  type Effort,
  type PatternWalk,
  type Sign,
  type States,
  textsOf,
  walkPattern,
} from './pattern-walk.ts'
import type { Pattern } from './rules.ts'
import { type Folder, type Spelling, foldersOf, pathMatches, readPath, spellingsOf } from './spelled-paths.ts'
import type { ToolCall } from './tool-call.ts'
import { isForPosix, sortOfField } from './tools.ts'

/**
 * What a rule that denies or asks is matched on: what a call does, however it is spelled. A field that holds a command is each
 * simple command that it may run; one that holds a path is the absolute path and the one from the working folder. Where that
 * cannot be told, or not within its effort, the rule matches.
 */
export interface Restrictions {
  /** @returns the simple command or the path on which the pattern matched; null: it did not */
  matchOf(field: string, value: Json, pattern: Pattern): string | null
}

/** Each field is read once. @param effort  for the patterns of all rules: it is used up */
export function restrictionsOf(call: ToolCall, effort: Effort): Restrictions {
  const runsIn = oncePerField((value: string | string[]) => readRuns(call, value))
  const pathIn = oncePerField((text: string, field) => readPath(text, field === '@cwd' ? null : call.cwd))
  const jsonIn = oncePerField((value: Json) => shown(JSON.stringify(value)))
  function readMatch(field: string, value: Json, text: string, pattern: Pattern): string | null {
    if (patternMatches(pattern, text, effort)) return shown(text)
    const sort = field === '@cwd' ? 'path' : sortOfField(call, field)
    if (sort === 'command')
      return commandMatch(pattern, runsIn(field, Array.isArray(value) ? (value as string[]) : text), effort)
    return sort === 'path' && pathMatches(pattern, pathIn(field, text), effort) ? shown(text) : null
  }
  return {
    matchOf(field, value, pattern) {
      const isCommand = field !== '@cwd' && sortOfField(call, field) === 'command'
      const isList = Array.isArray(value) && value.every((word) => typeof word === 'string')
      if (typeof value === 'object' && !(isList && isCommand)) return jsonIn(field, value)
      const text = isList ? value.join(' ') : String(value)
      const on = effort.left < 0 ? null : readMatch(field, value, text, pattern)
      return effort.left < 0 ? shown(text) : on
    },
  }
}

function oncePerField<Value, Read>(
  read: (value: Value, field: string) => Read,
): (field: string, value: Value) => Read {
  const known = new Map<string, Read>()
  return (field, value) => {
    const found = known.get(field) ?? read(value, field)
    known.set(field, found)
    return found
  }
}

const shownCharsMax = 200
const shown = (text: string): string =>
  text.length > shownCharsMax ? `${text.slice(0, shownCharsMax - 1)}…` : text

/** What a field may run, prepared for many patterns. */
interface ReadRuns {
  commands: { text: string; words: ReadWord[] }[]
  doubt: Runs['doubt']
  /** What is written there, as it is shown. */
  text: string
  /** The text in lower case, without quotes and escapes; null: it has signs by which a shell makes texts of others. */
  plain: string | null
}

interface ReadWord {
  /** The ways in which it can be written. */
  spellings: Spelling[]
  /** Likewise, where it is the program; none: it is not. */
  programs: Spelling[]
  /** An option, as it is written. */
  option: string | null
  mayBeOption: boolean
}

function readRuns(call: ToolCall, value: string | string[]): ReadRuns {
  const runs = typeof value === 'string' ? runsOf(value) : runsOfWords(value)
  // PowerShell and cmd start a command by `&` or `call`, and have their own signs for what they replace.
  const isOther = typeof value === 'string' && !isForPosix(call)
  const isHidden = isOther && hidesCommands.test(value)
  const text = typeof value === 'string' ? value : value.join(' ')
  const told = { text: shown(text), plain: plainText(text) }
  const folders = foldersOf(call.cwd, runs.folders)
  const found = [...runs.commands, ...(isOther ? looseRuns(value) : [])]
  if (wordsIn(found) > readWordsMax) return { commands: [], doubt: 'hidden', ...told }
  const read = found.map((command) => readRun(command, folders))
  const chars = read
    .flatMap(({ words }) => words.flatMap(({ spellings }) => spellings))
    .reduce((sum, { text: spelled }) => sum + spelled.length, 0)
  if (chars > spelledCharsMax) return { commands: [], doubt: 'hidden', ...told }
  return { commands: read, doubt: isHidden ? 'hidden' : runs.doubt, ...told }
}

/** Bounds of all words, and of all their spellings: each rule is compared with each of them. */
const readWordsMax = 10_000
const spelledCharsMax = 65_536

const hidesCommands = /\b(iex|invoke-expression|frombase64string|set-alias|doskey)\b|-e(nc\w*)?\s|\[char\]/i

function readRun({ words, startsOthers }: RunCommand, folders: Folder[]): ReadRuns['commands'][number] {
  return {
    text: shown(words.map((word) => ('text' in word ? word.text : `${word.startsWith}…`)).join(' ')),
    words: words.map((word, at) => {
      const spellings = spellingsOf(word, folders)
      const isProgram = at === 0 || (startsOthers && mayBeProgram(word))
      const named = [
        'text' in word
          ? { text: programOf(word.text), isOpen: false }
          : { text: programOf(word.startsWith), isOpen: true },
      ]
      const option = 'text' in word && word.text.startsWith('-') ? word.text : null
      const mayBeOption = option !== null || (!('text' in word) && /^-|^$/.test(word.startsWith))
      return { spellings, programs: isProgram ? [...spellings, ...named] : [], option, mayBeOption }
    }),
  }
}

/** A text with white space is read as a script of its own. */
const mayBeProgram = (word: Argument): boolean => ('text' in word ? !/\s/.test(word.text) : !word.isAdded)

function commandMatch(
  pattern: Pattern,
  { commands, doubt, text, plain }: ReadRuns,
  effort: Effort,
): string | null {
  const forms = textsOf(pattern).flatMap((one) => formsOf(one, effort))
  const found = commands.find(({ words }) => effort.left < 0 || forms.some((form) => runMatches(form, words)))
  if (found) return found.text
  const isMatched = doubt === 'hidden' || (doubt === 'unread' && !isCertainlyAbsent(pattern, plain, effort))
  return isMatched ? text : null
}

/** A pattern without its options, and these options, which may stand anywhere after the program. */
interface Form {
  walk: PatternWalk
  options: { text: string; walk: PatternWalk }[]
}

function formsOf({ text: given, sign }: { text: string; sign: Sign }, effort: Effort): Form[] {
  const text = given
    .trimStart()
    .replaceAll(/\s+/g, ' ')
    .replace(/^\.\/+/, '')
  const whole: Form = { walk: walkPattern(text, sign, effort), options: [] }
  const words = text.split(' ')
  const options = words
    .filter((word) => /^-./.test(word))
    .map((option) => ({ text: option, walk: walkPattern(option, 'glob', effort) }))
  if (options.length === 0) return [whole]
  const plain = words.filter((word) => !/^-./.test(word)).join(' ')
  const isOpen = sign === 'prefix' || (sign === 'glob' && text.endsWith('*'))
  const walks = [walkPattern(plain, sign === 'prefix' ? 'exact' : sign, effort)]
  if (isOpen && !plain.endsWith('*')) walks.push(walkPattern(`${plain} *`, 'glob', effort))
  return [whole, ...walks.map((walk) => ({ walk, options }))]
}

function runMatches({ walk, options }: Form, words: ReadWord[]): boolean {
  const { none } = walk
  const read = (from: States, spellings: Spelling[]): States =>
    from === none
      ? none
      : spellings.reduce<States>((states, { text, isOpen }) => {
          const after = walk.read(from, text)
          return walk.either(states, isOpen ? walk.readAnything(after) : after)
        }, none)
  // Before each word. One that is an option may be left out, and the next one with it, which may be its value.
  let before: States = none
  let beforeNext: States = none
  for (const [at, { spellings, programs, option }] of words.entries()) {
    const isLeftOut = option !== null && at > 0
    const after = walk.either(read(walk.read(before, ' '), spellings), read(walk.start, programs))
    const skipped = isLeftOut ? before : none
    const next = walk.either(beforeNext, walk.either(after, skipped))
    beforeNext = isLeftOut && at + 1 < words.length ? before : none
    before = next
  }
  return walk.isEnd(before) && options.every((option) => hasOption(option, words.slice(1)))
}

/** Whether a command has an option: also shortened as `--forc`, or among the letters of `-xf`. */
function hasOption({ text: wanted, walk }: Form['options'][number], words: ReadWord[]): boolean {
  const options = words.flatMap(({ option }) => option ?? [])
  if (words.some(({ option, mayBeOption }) => mayBeOption && option === null)) return true
  const name = wanted.replace(/[*?=][^]*/, '')
  const isThere = options.some((option) => {
    const [long] = option.split('=', 1)
    return walk.isEnd(walk.read(walk.start, option)) || (/^--./.test(long!) && name.startsWith(long!))
  })
  return isThere || isInLetters(name, options)
}

/** Each letter stands for itself, also among others, and for its long names; a long name for its letters. */
function isInLetters(name: string, options: string[]): boolean {
  const letters = /^-([A-Za-z0-9]+)$/.exec(name)?.[1]
  const given = options.filter((option) => /^-[^-]/.test(option)).join('')
  const long = options.filter((option) => /^--./.test(option)).map((option) => option.split('=', 1)[0]!)
  if (letters === undefined) return given.split('').some((letter) => isSameOption(letter, name))
  return letters.split('').every(
    (letter) =>
      lettersLike(letter)
        .split('')
        .some((same) => given.includes(same)) || long.some((one) => isSameOption(letter, one)),
  )
}

function plainText(text: string): string | null {
  if (/[$`*?[{]|<<|\\[xu0-7]/.test(text)) return null
  return text.replaceAll(/["'\\^]|\\\n/g, '').toLowerCase()
}

/** Whether a text that cannot be read certainly does not hold what a pattern starts with. */
function isCertainlyAbsent(pattern: Pattern, plain: string | null, effort: Effort): boolean {
  if (plain === null) return false
  // The engine searches many characters in the time of one step.
  effort.left -= (plain.length / 32) * textsOf(pattern).length
  return textsOf(pattern).every(({ text: start }) => {
    const [first] = start.trim().split(/[\s*?]+/, 1)
    return first !== '' && !plain.includes(programOf(first!))
  })
}
