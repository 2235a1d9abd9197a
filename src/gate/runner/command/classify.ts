import {
  climbsAfterName,
  editEffects,
  folderAt,
  isSamePath,
  placeOf,
  readEffects,
  resolvePath,
} from '../paths.ts'
import type { Folders, ResolvedPath, Use } from '../paths.ts'
import { worstEffect } from '../tool-call.ts'
import type { Effect } from '../tool-call.ts'
import { effectOfAssignment } from './assignments.ts'
import type { SimpleCommand, Word } from './cursor.ts'
import { foldersOfFind } from './find.ts'
import { gitCommand, pathsInOperand } from './git.ts'
import { writesControls } from './allowed-arguments.ts'
import { readArguments } from './options.ts'
import type { Arguments, ReadCommand } from './options.ts'
import { isNetworkCommand, scriptOf, showsSecrets, tellsVersion, wrappedCommand } from './other-commands.ts'
import { parseCommand } from './parse.ts'
import { readCommands } from './read-commands.ts'

export interface ShellFolders extends Folders {
  /** A `cd` holds for the calls after this one. */
  keepsFolder: boolean
}

/** Where the commands read so far may have led. */
interface State extends ShellFolders {
  /** How many shells stand around the text. */
  depth: number
  /** How many parts of words may still be looked at for credentials. */
  namesLeft: number
}

const shellDepthMax = 3
const foldersMax = 4
const wordsMax = 250
const namesMax = 1_000

/**
 * The effect of a command line for a POSIX shell: that of its worst part. `runs` wherever the text does not tell for certain that
 * it only reads, edits or uses the network. Pure.
 */
export function effectOfCommand(text: string, folders: ShellFolders): Effect {
  return effectOfText(text, { ...folders, depth: 0, namesLeft: namesMax })
}

/** The effect of one command given as its words, as no shell reads them. Pure. */
export function effectOfWords(words: string[], folders: ShellFolders): Effect {
  const command = { assignments: [], redirects: [], words: words.map(literal), isNested: false }
  return words.length === 0 || words.length > wordsMax
    ? 'runs'
    : effectOfSimple(command, { ...folders, depth: 0, namesLeft: namesMax })
}

const literal = (text: string): Word => ({ text, isGlob: false, isOpen: 'no' })

function effectOfText(text: string, given: State): Effect {
  const commands = given.depth > shellDepthMax ? null : parseCommand(text)
  if (!commands || commands.flatMap(partsOf).length > wordsMax) return 'runs'
  const state: State = { ...given, current: [...given.current] }
  return commands.map((command) => effectOfSimple(command, state)).reduce(worstEffect, 'reads')
}

const partsOf = ({ assignments, redirects, words }: SimpleCommand) => [...assignments, ...redirects, ...words]

function effectOfSimple(command: SimpleCommand, state: State): Effect {
  const parts = [
    ...command.assignments.map(({ name, value }) => effectOfAssignment(name, value)),
    ...command.redirects.map(({ writes, target }) => effectOfPath(target, state, writes, 'read')),
    ...wordsToCheck(command).map((word) => credentialsIn(word, state)),
    command.words.length === 0 ? 'reads' : effectOfRun(command, state),
  ]
  return parts.reduce<Effect>(worstEffect, 'reads')
}

/** Every word, but for a script that only prints and the options before it: `.env` is a field to `jq`, and no file. */
function wordsToCheck({ words }: SimpleCommand): Word[] {
  const [first, ...args] = words
  const command = first?.isOpen === 'no' ? readCommandOf(nameOf(first)) : undefined
  if (!command?.takesScript || args.some(({ isOpen }) => isOpen !== 'no')) return words
  const readings = readArguments(command, args.map(markedText))
  if (!readings?.every((read) => command.allows!(read, false))) return words
  const start = Math.min(...readings.map((read) => read.leading + (hasText(command, read) ? 1 : 0)))
  return args.slice(0, start).some(({ isGlob, zshGlob }) => isGlob || zshGlob) ? words : args.slice(start)
}

const mayName = /[.~/_-]|key|pem/i

/** A word that names credentials counts for every command, whatever it does with them. */
function credentialsIn({ text, isGlob }: Word, state: State): Effect {
  const parts = new Set([text, ...text.split(/[=:@,]/).slice(1)].filter((part) => mayName.test(part)))
  state.namesLeft -= parts.size
  if (state.namesLeft < 0) return 'runs'
  return [...parts].some((part) => placeOf(part, state, isGlob) === 'credentials') ? 'credentials' : 'reads'
}

function effectOfPath(word: Word, state: State, writes: boolean, use: Use): Effect {
  if (word.isOpen !== 'no' || word.zshGlob || (writes && word.isGlob)) return 'runs'
  const effect = (writes ? editEffects : readEffects)[placeOf(word.text, state, word.isGlob, use)]
  const isDevice = /^\/dev\/(null|stdout|stderr|stdin)$/.test(word.text)
  return isDevice ? 'reads' : effect === 'unknown' ? 'runs' : effect
}

function effectOfRun({ words, isNested }: SimpleCommand, state: State): Effect {
  const [first, ...args] = words
  const name = nameOf(first!)
  // An open word can become several, and options among them: its text says too little.
  const isOpen = first!.isOpen !== 'no' || args.some((word) => isOpenFor(name, word, state))
  if (!isOpen && tellsVersion(name, textsOf(args))) return 'reads'
  const effect = effectOfKnown(name, args, isNested, state)
  return isOpen ? worstEffect('runs', effect) : effect
}

const nameOf = ({ text }: Word): string => /^(?:\/usr)?\/bin\/([^/]+)$/.exec(text)?.[1] ?? text

const readCommandOf = (name: string): ReadCommand | undefined =>
  Object.hasOwn(readCommands, name) ? readCommands[name] : undefined

const textsOf = (words: Word[]): string[] => words.map(({ text }) => text)

function isOpenFor(name: string, { isOpen, isSplit, zshGlob }: Word, { current }: State): boolean {
  if (readCommandOf(name)?.isRaw) return isOpen === 'yes'
  if (isSplit && !current.every((folder) => folder && !/[\s*?[\\]/.test(folder.segments.join('/'))))
    return true
  return isOpen !== 'no' || (zshGlob !== undefined && !(name === 'git' && zshGlob === 'revision'))
}

/** The effect of a command, as if every word were known. */
function effectOfKnown(name: string, args: Word[], isNested: boolean, state: State): Effect {
  const texts = textsOf(args)
  if (isNetworkCommand(name, texts)) return 'network'
  if (showsSecrets(name, texts)) return 'credentials'
  const script = scriptOf(name, texts)
  if (script !== null) return worstEffect('runs', effectOfText(script, { ...state, depth: state.depth + 1 }))
  if (name === 'cd') return changeFolder(args, isNested, state)
  if (name === 'touch' || name === 'mkdir' || name === 'tee') return effectOfEdit(name, args, state)
  const effect = effectOfRead(name, args, state)
  const [wrapped, ...rest] = (effect === 'runs' && wrappedCommand(name, texts)) || []
  return wrapped !== undefined && isNetworkCommand(wrapped, rest) ? 'network' : effect
}

/** After `cd` a path may start from the old folder too, as `cd` may fail or be undone at the end of a subshell. */
function changeFolder(args: Word[], isNested: boolean, state: State): Effect {
  const words = args[0]?.text === '--' ? args.slice(1) : args
  if (words.length > 1 || words.some(({ text, isGlob }) => isGlob || /^[-+]/.test(text))) return 'runs'
  const path = words[0]?.text ?? '~'
  if (placeOf(path, state) === 'unsure' || climbsAfterName(path)) return 'runs'
  const moved = state.current.map((folder) => folderAt(path, folder))
  const all = [...state.current]
  for (const folder of moved) if (!all.some((known) => isSameFolder(known, folder))) all.push(folder)
  state.current = all.slice(0, foldersMax)
  // The next call would run in a folder that its text does not name, or that the agent prepared for it.
  const isKept =
    state.keepsFolder && !isNested && !moved.every((folder) => folder && isRootFolder(folder, state))
  return isKept || all.length > foldersMax ? 'runs' : 'reads'
}

const isSameFolder = (a: ResolvedPath | null, b: ResolvedPath | null): boolean =>
  a === null || b === null ? a === b : isSamePath(a, b)

const editOptions: Record<'touch' | 'mkdir' | 'tee', ReadCommand> = {
  touch: { flags: 'acm' },
  mkdir: { flags: 'pv', long: 'parents verbose' },
  tee: { flags: 'ai', long: 'append' },
}

function effectOfEdit(name: keyof typeof editOptions, args: Word[], state: State): Effect {
  if (args.some(({ isGlob }) => isGlob)) return 'runs'
  const readings = readArguments(editOptions[name], textsOf(args))
  if (!readings) return 'runs'
  return readings
    .flatMap(({ operands }) => operands)
    .map((path) => effectOfPath(literal(path), state, true, name === 'tee' ? 'read' : 'named'))
    .reduce<Effect>(worstEffect, 'reads')
}

function effectOfRead(name: string, args: Word[], state: State): Effect {
  if (name === '[') return args.at(-1)?.text === ']' ? effectOfRead('test', args.slice(0, -1), state) : 'runs'
  // `!` negates the test.
  if (name === 'test' && args[0]?.text === '!') return effectOfRead('test', args.slice(1), state)
  if (name === 'find') return effectOfFind(args, state)
  if (name !== 'git') {
    const command = readCommandOf(name)
    return command ? effectOfArguments(command, args, state) : 'runs'
  }
  const git = gitCommand(
    textsOf(args),
    (folder) => !climbsAfterName(folder) && isRootFolder(resolvePath(folder, state.root), state),
  )
  if (git.is !== 'reads') return git.is
  const there = git.isAtRoot ? { ...state, current: [state.root] } : state
  // A folder can hold a repository of its own, whose configuration git obeys.
  if (hasMoved(there)) return 'runs'
  // `HEAD~1` is no short name of a file.
  const words = args.map((word) => ({ ...word, text: word.text.replaceAll(/~(?=\d)/g, '^') }))
  return effectOfArguments(git.command, words.slice(words.length - git.args.length), there)
}

function effectOfFind(args: Word[], state: State): Effect {
  if (args.some(({ isGlob }) => isGlob)) return 'runs'
  const folders = foldersOfFind(textsOf(args))
  if (!folders) return 'runs'
  return folders
    .map((path) => effectOfPath(literal(path), state, false, 'named'))
    .reduce<Effect>(worstEffect, 'reads')
}

const isRootFolder = (folder: ResolvedPath, { root }: Folders): boolean =>
  root !== null && isSamePath(folder, root)

const hasMoved = ({ root, current }: State): boolean =>
  root === null ||
  root.segments.length === 0 ||
  !current.every((folder) => folder !== null && isSamePath(folder, root))

/** Stands for the wildcards of a word while its arguments are read: no word of the parser contains it. */
const globMark = '\0'

function effectOfArguments(command: ReadCommand, args: Word[], state: State): Effect {
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
  // What searches folders takes options after operands, unless POSIXLY_CORRECT is set.
  const searches = (!read.endsAtOperand && command.searches?.(read)) ?? false
  const paths = searches && given.length === 0 ? ['.'] : given
  if (isText) texts.push(read.operands[0] ?? '')
  if (texts.some((text) => text.includes(globMark))) return 'runs'
  const namesFiles = read.options.some(({ name }) => command.pathsWith?.includes(name))
  if (command.operands === 'texts' && !namesFiles)
    return paths.some((text) => text.includes(globMark)) ? 'runs' : 'reads'
  const files = read.options.flatMap(({ name, value }) =>
    ['f', 'file'].includes(name) && value ? [value] : [],
  )
  return [...paths, ...files]
    .map((path) => effectOfOperand(path, searches ? { ...command, readsFolders: true } : command, state))
    .reduce<Effect>(worstEffect, 'reads')
}

/** Whether the first operand is a text. */
const hasText = ({ textUnless }: ReadCommand, { options }: Arguments): boolean =>
  textUnless !== undefined && !options.some(({ name }) => textUnless.includes(name))

/** The name of a file could be an option: so no wildcard stands at the start of a word, or where the number of words matters. */
function effectOfOperand(path: string, command: ReadCommand, state: State): Effect {
  const isGlob = path.includes(globMark)
  const text = path.replaceAll(globMark, '')
  if (isGlob && (command.operandsMax !== undefined || (/^[*?[]/.test(text) && !command.isHarmless)))
    return 'runs'
  if (text === '-') return 'reads'
  const word: Word = { text, isGlob: isGlob && !command.listsOnly, isOpen: 'no' }
  const use = command.listsOnly ? 'named' : command.readsFolders ? 'searched' : 'read'
  const itself = effectOfPath(word, state, false, use)
  // A search of `.git` shows the configuration in it.
  const effect = command.readsFolders
    ? worstEffect(itself, effectOfPath({ ...word, text: `${text}/config` }, state, false, use))
    : itself
  const named = command.pathspecs ? pathsInOperand(text) : []
  const inGit = named.map((part) => effectOfPath({ ...part, isOpen: 'no' }, state, false, 'read'))
  return inGit.reduce(worstEffect, effect === 'reads_outside' && command.readsFolders ? 'runs' : effect)
}

/** Wildcards after `--name=` stand for themselves: no file is called so. */
const markedText = ({ text, isGlob }: Word): string =>
  isGlob && !/^--[a-z-]+=/.test(text) ? text + globMark : text
