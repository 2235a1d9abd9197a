import { writesControls } from './allowed-arguments.ts'
import { placeOf, readEffects, editEffects, isSamePath } from '../paths.ts'
import type { Folders, ResolvedPath, Use } from '../paths.ts'
import { isPlainName } from '../secret-names.ts'
import { worstEffect } from '../tool-call.ts'
import type { Effect } from '../tool-call.ts'
import { knownWord } from './cursor.ts'
import type { Word } from './cursor.ts'
import { pathsInOperand } from './git.ts'
import { hasText, readArguments } from './options.ts'
import type { Arguments, ReadCommand } from './options.ts'

export interface ShellFolders extends Folders {
  /** A `cd` holds for the calls after this one. */
  keepsFolder: boolean
  /** Whether these may run in another folder than the working folder. Absent: nowhere. */
  mayEnter?: ((folder: ResolvedPath) => boolean) | undefined
}

/** Where the commands read so far may have led. */
export interface State extends ShellFolders {
  /** How many shells stand around the text. */
  depth: number
  /** How many parts of words may still be looked at for credentials. */
  namesLeft: number
  /** A command that tells only names may name files with credentials: as far as the whole line does no more than to look. */
  isLenient: boolean
}

/** Stands for the wildcards of a word while its arguments are read: no word of the parser contains it. */
const globMark = '\0'

/** The effect of a command that reads, by its arguments. Pure. */
export function effectOfArguments(command: ReadCommand, args: Word[], state: State): Effect {
  if (command.isRaw) return args.some(({ text }) => writesControls(text)) ? 'runs' : 'reads'
  const readings = readArguments(command, args.map(markedText))
  return readings ? readings.map((read) => effectOfReading(command, read, state)).reduce(worstEffect) : 'runs'
}

function effectOfReading(command: ReadCommand, read: Arguments, state: State): Effect {
  if (!(command.allows?.(read, hasMoved(state)) ?? true)) return 'runs'
  if (read.operands.length > (command.operandsMax ?? Infinity)) return 'runs'
  const isText = hasText(command, read)
  const texts = read.options.map(({ value }) => value ?? '')
  const given = isText ? read.operands.slice(1) : read.operands
  // A command that searches folders takes options after operands, unless POSIXLY_CORRECT is set.
  const searches = (!read.endsAtOperand && command.searches?.(read)) ?? false
  const paths = searches && given.length === 0 ? ['.'] : [...given]
  if (isText) texts.push(read.operands[0] ?? '')
  if (texts.some((text) => text.includes(globMark))) return 'runs'
  // A file that is called as the option for a pattern makes a file of the text.
  if (isText && paths.some((path) => path.includes(globMark) && startsOpen.test(path)))
    paths.push(texts.at(-1)!)
  const namesFiles = read.options.some(({ name }) => command.pathsWith?.includes(name))
  // Names of files are no options where they start with that of a folder.
  const isUnsure = (text: string) => text.includes(globMark) && (command.allows || /^[*?[]/.test(text))
  if (command.operands === 'texts' && !namesFiles) return paths.some(isUnsure) ? 'runs' : 'reads'
  const files = read.options.flatMap(({ name, value }) =>
    ['f', 'file'].includes(name) && value ? [value] : [],
  )
  return [...paths, ...files]
    .map((path) => effectOfOperand(path, searches ? { ...command, readsFolders: true } : command, state))
    .reduce<Effect>(worstEffect, 'reads')
}

/** The name of a file could be an option: so no wildcard stands at the start of a word, or where the number of words matters. */
function effectOfOperand(path: string, command: ReadCommand, state: State): Effect {
  const isGlob = path.includes(globMark)
  const text = path.replaceAll(globMark, '')
  const mayBeOption = isGlob && startsOpen.test(text) && command.isHarmless !== true
  if (mayBeOption && command.isHarmless !== 'plain') return 'runs'
  if ((isGlob && command.operandsMax !== undefined) || (mayBeOption && !isPlainName(text))) return 'runs'
  if (text === '-') return 'reads'
  const word: Word = { text, isGlob: isGlob && !command.listsOnly, isOpen: 'no' }
  // Options ended at the first operand, so this is a file with the name of an option.
  if (/^-[^/]*$/.test(text)) word.text = './x'
  const use = command.listsOnly ? 'named' : command.readsFolders ? 'searched' : 'read'
  const itself = effectOfNamed(word, command, state, use)
  // A search of `.git` shows the configuration in it.
  const effect = command.readsFolders
    ? worstEffect(itself, effectOfPath({ ...word, text: `${text}/config` }, state, false, use))
    : itself
  const named = command.pathspecs ? pathsInOperand(text) : []
  const inGit = named.map((part) => effectOfPath({ ...part, isOpen: 'no' }, state, false, 'read'))
  return inGit.reduce(worstEffect, effect === 'reads_outside' && command.readsFolders ? 'runs' : effect)
}

/** Inside the working folder it may be told that a file with credentials is there, and how large and old it is. */
function effectOfNamed(word: Word, command: ReadCommand, state: State, use: Use): Effect {
  const effect = effectOfPath(word, state, false, use)
  const mayTell = command.tellsNames && state.isLenient
  if (effect !== 'credentials' || !mayTell || word.text.includes('\\')) return effect
  const path = word.text.replace(/\/$/, '')
  const beside = knownWord(`${path.slice(0, path.lastIndexOf('/') + 1)}x`)
  return effectOfPath(beside, state, false, use) === 'reads' ? 'reads' : effect
}

const startsOpen = /^[*?[]/

/** Wildcards after `--name=` stand for themselves: no file is called so. */
export const markedText = ({ text, isGlob }: Word): string =>
  isGlob && !/^--[a-z-]+=/.test(text) ? text + globMark : text

/** The effect of reading or writing the file that a word names. Pure. */
export function effectOfPath(word: Word, state: State, writes: boolean, use: Use): Effect {
  if (word.isOpen !== 'no' || word.zshGlob || (writes && word.isGlob)) return 'runs'
  const effect = (writes ? editEffects : readEffects)[placeOf(word.text, state, word.isGlob, use)]
  const isDevice = /^\/dev\/(null|stdout|stderr|stdin)$/.test(word.text)
  return isDevice ? 'reads' : effect === 'unknown' ? 'runs' : effect
}

export const hasMoved = ({ root, current }: State): boolean =>
  root === null ||
  root.segments.length === 0 ||
  !current.every((folder) => folder !== null && isSamePath(folder, root))
