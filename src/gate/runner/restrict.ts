import type { Json } from '../canonical.ts'
import {
  type Argument,
  type RunCommand,
  type Runs,
  looseRuns,
  programOf,
  runsOf,
  runsOfWords,
} from './command/runs.ts'
import { climbsAfterName, folderAt, isAbsolute, resolvePath } from './paths.ts'
import type { ResolvedPath } from './paths.ts'
import { type PatternWalk, type States, walkPattern } from './pattern-walk.ts'
import type { Pattern } from './rules.ts'
import { fold } from './sensitive-paths.ts'
import type { ToolCall } from './tool-call.ts'
import { isForPosix, sortOfField } from './tools.ts'

/**
 * What a rule that denies or asks is matched on: what a call does, however it is spelled. A field that holds a command is each
 * simple command that it may run; one that holds a path is the absolute path and the one from the working folder. Where that
 * cannot be told, the rule matches.
 */
export interface Restrictions {
  /** @returns the simple command or the path on which the pattern matched; null: it did not */
  matchOf(field: string, value: Json, pattern: Pattern): string | null
}

/** Each field is read once. Pure. */
export function restrictionsOf(call: ToolCall): Restrictions {
  const commands = new Map<string, ReadRuns>()
  const runsIn = (field: string, value: string | string[]): ReadRuns => {
    const known = commands.get(field) ?? readRuns(call, value)
    commands.set(field, known)
    return known
  }
  return {
    matchOf(field, value, pattern) {
      const sort = field === '@cwd' ? 'path' : sortOfField(call, field)
      const isList = Array.isArray(value) && value.every((word) => typeof word === 'string')
      if (typeof value === 'object' && !(isList && sort === 'command')) return shown(JSON.stringify(value))
      const text = isList ? value.join(' ') : String(value)
      if (walksOf(pattern).some((walk) => walk.isEnd(walk.read(walk.start, text)))) return shown(text)
      if (sort === 'command')
        return commandMatch(pattern, runsIn(field, isList ? (value as string[]) : text), text)
      const from = field === '@cwd' ? null : call.cwd
      return sort === 'path' && pathMatches(pattern, text, from) ? shown(text) : null
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

const walksOf = (pattern: Pattern): PatternWalk[] =>
  textsOf(pattern).map(({ text, sign }) => walkPattern(text, sign))

// Commands

/** What a field may run, prepared for many patterns. */
interface ReadRuns {
  commands: { text: string; words: ReadWord[] }[]
  doubt: Runs['doubt']
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
  const folders = foldersOf(call.cwd, runs.folders)
  const read = [...runs.commands, ...(isOther ? looseRuns(value) : [])].map((command) =>
    readRun(command, folders),
  )
  const chars = read
    .flatMap(({ words }) => words.flatMap(({ spellings }) => spellings))
    .reduce((sum, { text }) => sum + text.length, 0)
  if (chars > spelledCharsMax) return { commands: [], doubt: 'hidden' }
  return { commands: read, doubt: isHidden ? 'hidden' : runs.doubt }
}

/** Of all spellings of all words: each rule is read along them. */
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

function commandMatch(pattern: Pattern, { commands, doubt }: ReadRuns, text: string): string | null {
  const forms = textsOf(pattern).flatMap(formsOf)
  const found = commands.find(({ words }) => forms.some((form) => runMatches(form, words)))
  if (found) return found.text
  const isMatched = doubt === 'hidden' || (doubt === 'unread' && !isCertainlyAbsent(pattern, text))
  return isMatched ? shown(text) : null
}

/** A pattern without its options, and these options, which may stand anywhere after the program. */
interface Form {
  walk: PatternWalk
  options: string[]
}

function formsOf({ text: given, sign }: { text: string; sign: Sign }): Form[] {
  const text = given
    .trimStart()
    .replaceAll(/\s+/g, ' ')
    .replace(/^\.\/+/, '')
  const whole: Form = { walk: walkPattern(text, sign), options: [] }
  const words = text.split(' ')
  const options = words.filter((word) => /^-./.test(word))
  if (options.length === 0) return [whole]
  const plain = words.filter((word) => !/^-./.test(word)).join(' ')
  const isOpen = sign === 'prefix' || (sign === 'glob' && text.endsWith('*'))
  const walks = [walkPattern(plain, sign === 'prefix' ? 'exact' : sign)]
  if (isOpen && !plain.endsWith('*')) walks.push(walkPattern(`${plain} *`))
  return [whole, ...walks.map((walk) => ({ walk, options }))]
}

function runMatches({ walk, options }: Form, words: ReadWord[]): boolean {
  if (!options.every((option) => hasOption(option, words.slice(1)))) return false
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
  return walk.isEnd(before)
}

/** Whether a command has an option: also shortened as `--forc`, or among the letters of `-xf`. */
function hasOption(wanted: string, words: ReadWord[]): boolean {
  const options = words.flatMap(({ option }) => option ?? [])
  if (words.some(({ option, mayBeOption }) => mayBeOption && option === null)) return true
  const walk = walkPattern(wanted)
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

/**
 * Whether a text that cannot be read certainly does not hold what a pattern starts with: it has no sign by which a shell makes
 * texts of others.
 */
function isCertainlyAbsent(pattern: Pattern, text: string): boolean {
  if (/[$`*?[{]|<<|\\[xu0-7]/.test(text)) return false
  const plain = text.replaceAll(/["'\\^]|\\\n/g, '').toLowerCase()
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
  const paths = /[/\\]|^[.~]/.test(text) ? folders.flatMap((folder) => pathsOf(text, folder)) : []
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

function pathMatches(pattern: Pattern, text: string, cwd: string | null): boolean {
  const folder = cwd === null ? null : folderAt(cwd, null)
  const wild = /[*?[{]/.exec(text)
  const spelled = wild ? pathsOf(text.slice(0, wild.index), folder) : pathsOf(text, folder)
  const isAnchored = textsOf(pattern).some((one) => /^([/~*?]|[A-Za-z]:)/.test(one.text))
  return spelled.some((path) => {
    // A path from a folder that is not known can still be told from a pattern that starts there.
    if (path === null) return isAnchored || folder !== null || text.includes('..') || namesNoFile.test(text)
    return (
      pathWalks(pattern).some(({ walk, isFolded }) => {
        const states = walk.read(walk.start, isFolded ? foldPath(path) : path)
        return walk.isEnd(wild ? walk.readAnything(states) : states)
      }) ||
      (path.startsWith('~') && isAnchored)
    )
  })
}

/** As it is written, and in the spelling that stands for all those that a file system may take for the same. */
function pathWalks(pattern: Pattern): { walk: PatternWalk; isFolded: boolean }[] {
  return textsOf(pattern).flatMap(({ text: given, sign }) => {
    const text = given.replaceAll('\\', '/').replaceAll(/(?<=\/)\.\/|(?<=[^/:]\/)\/+|^\.\/+/g, '')
    return [
      { walk: walkPattern(text, sign), isFolded: false },
      { walk: walkPattern(foldPath(text), sign), isFolded: true },
    ]
  })
}

const foldPath = (path: string): string => path.split('/').map(fold).join('/')
