import type { Json } from '../canonical.ts'
import {
  type Argument,
  type RunCommand,
  type Runs,
  looseRuns,
  programOf,
  runsOf,
  runsOfWords,
  wordsIn,
} from './command/runs.ts'
import { patternMatches } from './glob.ts'
import { climbsAfterName, folderAt, isAbsolute, resolvePath } from './paths.ts'
import type { ResolvedPath } from './paths.ts'
import { type Effort, type PatternWalk, type States, walkPattern } from './pattern-walk.ts'
import type { Pattern } from './rules.ts'
import { fold } from './sensitive-paths.ts'
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
  const commands = new Map<string, ReadRuns>()
  const runsIn = (field: string, value: string | string[]): ReadRuns => {
    const known = commands.get(field) ?? readRuns(call, value)
    commands.set(field, known)
    return known
  }
  const paths = new Map<string, ReadPath>()
  const pathIn = (field: string, text: string): ReadPath => {
    const known = paths.get(field) ?? readPath(text, field === '@cwd' ? null : call.cwd)
    paths.set(field, known)
    return known
  }
  const objects = new Map<string, string>()
  const shownJson = (field: string, value: Json): string => {
    const known = objects.get(field) ?? shown(JSON.stringify(value))
    objects.set(field, known)
    return known
  }
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
      if (typeof value === 'object' && !(isList && isCommand)) return shownJson(field, value)
      const text = isList ? value.join(' ') : String(value)
      const on = effort.left < 0 ? null : readMatch(field, value, text, pattern)
      return effort.left < 0 ? shown(text) : on
    },
  }
}

const shownCharsMax = 200
const shown = (text: string): string =>
  text.length > shownCharsMax ? `${text.slice(0, shownCharsMax - 1)}…` : text

type Sign = 'glob' | 'prefix' | 'exact'

/** The texts of a pattern, and how they are read. */
function textsOf(pattern: Pattern): { text: string; sign: Sign }[] {
  if (typeof pattern === 'string') return [{ text: pattern, sign: 'glob' }]
  if ('prefix' in pattern) return [{ text: pattern.prefix, sign: 'prefix' }]
  return pattern.one_of.map((text) => ({ text, sign: 'exact' }))
}

// Commands

/** What a field may run, prepared for many patterns. */
interface ReadRuns {
  commands: { text: string; words: ReadWord[] }[]
  doubt: Runs['doubt']
  /** What is written there, as it is shown. */
  text: string
  /** In lower case, without quotes and escapes; null: it has signs by which a shell makes texts of others. */
  plain: string | null
}

interface ReadWord {
  /** The ways in which it can be written, each also with an open end. */
  spellings: { text: string; isOpen: boolean }[]
  /** Likewise, where it is the program; none: it is not. */
  programs: { text: string; isOpen: boolean }[]
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

/** Of all words, and of all their spellings: each rule is read along them. */
const readWordsMax = 10_000
const spelledCharsMax = 65_536

const hidesCommands = /\b(iex|invoke-expression|frombase64string|set-alias|doskey)\b|-e(nc\w*)?\s|\[char\]/i

function readRun({ words, startsOthers }: RunCommand, folders: Folder[]): ReadRuns['commands'][number] {
  return {
    text: shown(words.map((word) => ('text' in word ? word.text : `${word.startsWith}…`)).join(' ')),
    words: words.map((word, at) => {
      const spellings = spellingsOf(word, folders)
      const isProgram = at === 0 || (startsOthers && mayBeProgram(word))
      const named = 'text' in word ? [{ text: programOf(word.text), isOpen: false }] : []
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
  const read = (from: States, spellings: ReadWord['spellings']): States =>
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

function isInLetters(name: string, options: string[]): boolean {
  const letters = /^-([A-Za-z0-9]+)$/.exec(name)?.[1]
  const given = options.filter((option) => /^-[^-]/.test(option)).join('')
  return letters !== undefined && letters.split('').every((letter) => given.includes(letter))
}

function plainText(text: string): string | null {
  if (/[$`*?[{]|<<|\\[xu0-7]/.test(text)) return null
  return text.replaceAll(/["'\\^]|\\\n/g, '').toLowerCase()
}

/** Whether a text that cannot be read certainly does not hold what a pattern starts with. */
function isCertainlyAbsent(pattern: Pattern, plain: string | null, effort: Effort): boolean {
  if (plain === null) return false
  effort.left -= plain.length * textsOf(pattern).length
  return textsOf(pattern).every(({ text: start }) => {
    const [first] = start.trim().split(/[\s*?]+/, 1)
    return first !== '' && !plain.includes(programOf(first!))
  })
}

// Paths

/** A folder that a relative path may start from; null: unknown. */
type Folder = ResolvedPath | null

function foldersOf(cwd: string | null, moved: (string | null)[]): Folder[] {
  const first = cwd === null ? null : folderAt(cwd, null)
  let folders: Folder[] = [first]
  // A `cd` may fail, so what comes after it may run in either folder.
  for (const path of moved.slice(0, movesMax))
    folders = folders.flatMap((from) => [from, path === null ? null : folderAt(path, from)])
  return moved.length > movesMax ? [...folders, null] : folders
}

const movesMax = 2

/** What is no path can be written in one way. */
function spellingsOf(word: Argument, folders: Folder[]): ReadWord['spellings'] {
  if (!('text' in word)) return [{ text: word.startsWith, isOpen: true }]
  const { text } = word
  if (!/[/\\]|^[.~]/.test(text)) return [{ text, isOpen: false }]
  const paths = folders.flatMap((folder) => pathsOf(text, folder))
  return [...new Set([text, ...paths])].map((path) =>
    path === null ? { text: '', isOpen: true } : { text: path, isOpen: false },
  )
}

/** A path as it is seen from the root and from a folder; null: also any other. */
function pathsOf(text: string, folder: Folder): (string | null)[] {
  const path = text.includes('\\') ? text.replaceAll('\\', '/') : text
  if (climbsAfterName(path) || namesNoFile.test(path)) return [null]
  if (folder === null && !isAbsolute(path))
    return /(^|\/)\.\.(\/|$)/.test(path) ? [null] : [relativeText(resolvePath(path, null)), null]
  const full = resolvePath(path, folder)
  const isBelow =
    folder !== null &&
    full.start === folder.start &&
    folder.segments.every((segment, i) => full.segments[i] === segment)
  const absolute = `${full.start}/${full.segments.join('/')}`
  return isBelow && folder
    ? [absolute, full.segments.slice(folder.segments.length).join('/') || '.']
    : [absolute]
}

const relativeText = ({ segments }: ResolvedPath): string => segments.join('/')

/** Other names of files: of descriptors and of the folders of processes, by numbers, on other machines, by variables. */
const namesNoFile = /^\/\/|^\/(proc|dev\/fd|\.vol|\.file)(\/|$)|[$%`]|[\p{C}\p{Zl}\p{Zp}]/iu

/** What a field names, prepared for many patterns. */
interface ReadPath {
  /** Each as it is written and in its one spelling; null: any path. */
  spelled: ({ path: string; folded: string } | null)[]
  /** Anything may follow. */
  isWild: boolean
  /** A path from a folder that is not known can still be told from a pattern that starts there. */
  isTold: boolean
}

function readPath(text: string, cwd: string | null): ReadPath {
  const folder = cwd === null ? null : folderAt(cwd, null)
  const wild = /[*?[{]/.exec(text)
  const paths = wild ? pathsOf(text.slice(0, wild.index), folder) : pathsOf(text, folder)
  return {
    spelled: paths.map((path) => (path === null ? null : { path, folded: foldPath(path) })),
    isWild: wild !== null,
    isTold: folder === null && !text.includes('..') && !namesNoFile.test(text),
  }
}

function pathMatches(pattern: Pattern, { spelled, isWild, isTold }: ReadPath, effort: Effort): boolean {
  const isAnchored = textsOf(pattern).some((one) => /^([/~*?]|[A-Za-z]:)/.test(one.text))
  const walks = pathWalks(pattern, effort)
  return spelled.some((one) => {
    if (one === null) return isAnchored || !isTold
    const isMatched = walks.some(({ walk, isFolded }) => {
      const states = walk.read(walk.start, isFolded ? one.folded : one.path)
      return walk.isEnd(isWild ? walk.readAnything(states) : states)
    })
    return isMatched || (one.path.startsWith('~') && isAnchored)
  })
}

/** As it is written, and in the spelling that stands for all those that a file system may take for the same. */
function pathWalks(pattern: Pattern, effort: Effort): { walk: PatternWalk; isFolded: boolean }[] {
  return textsOf(pattern).flatMap(({ text: given, sign }) => {
    const text = given.replaceAll('\\', '/').replaceAll(/(?<=\/)\.\/|(?<=[^/:]\/)\/+|^\.\/+/g, '')
    return [
      { walk: walkPattern(text, sign, effort), isFolded: false },
      { walk: walkPattern(foldPath(text), sign, effort), isFolded: true },
    ]
  })
}

const foldPath = (path: string): string => path.split('/').map(fold).join('/')
