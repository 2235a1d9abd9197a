import { climbsAfterName, folderAt, isAbsolute, isSamePath, placeOf, resolvePath } from '../paths.ts'
import type { Folders, ResolvedPath } from '../paths.ts'
import { worstEffect } from '../tool-call.ts'
import type { Effect } from '../tool-call.ts'
import { effectOfAssignment } from './assignments.ts'
import { effectOfTest, isTest } from './conditions.ts'
import { credentialsIn, namesIn, programOf } from './credential-names.ts'
import { commandOf, knownWord } from './cursor.ts'
import type { SimpleCommand, Word } from './cursor.ts'
import { readFind } from './find.ts'
import { gitCommand, isNetworkGit } from './git.ts'
import { commitsIn, filesIn, filesOfFind, namedFiles } from './named-files.ts'
import { readArguments } from './options.ts'
import type { ReadCommand } from './options.ts'
import {
  isNetworkCommand,
  scriptOf,
  showsPagesOnly,
  showsPlainVariables,
  showsSecrets,
  tellsVersion,
} from './other-commands.ts'
import { parseCommand, partsOfCommand } from './parse.ts'
import { readCommands } from '../reading/read-commands.ts'
import { toolCommand } from '../reading/tool-commands.ts'
import { effectOfArguments, effectOfPath, hasMoved } from './read-effects.ts'
import type { ShellFolders, State } from './read-effects.ts'
import { readXargs, startedBy } from './started.ts'
import { programOfInterpreter, startedWithin } from './started-within.ts'

export type { ShellFolders } from './read-effects.ts'

const shellDepthMax = 3
const foldersMax = 4
const wordsMax = 250
const namesMax = 1_000
const outputsMax = 2

/**
 * The effect of a command line for a POSIX shell: that of its worst part. `runs` wherever the text does not tell for certain that
 * it only reads, edits or uses the network. Pure.
 */
export function effectOfCommand(text: string, folders: ShellFolders): Effect {
  return leniently((isLenient) =>
    effectOfText(text, { ...folders, depth: 0, namesLeft: namesMax, isLenient }),
  )
}

/** The effect of one command given as its words, as no shell reads them. Pure. */
export function effectOfWords(words: string[], folders: ShellFolders): Effect {
  if (words.length === 0 || words.length > wordsMax) return 'runs'
  const command = commandOf(words.map(knownWord))
  return leniently((isLenient) =>
    effectOfSimple(command, { ...folders, depth: 0, namesLeft: namesMax, isLenient }),
  )
}

/** What a name is told to may be more than the reader: where a line does more than to look, every name of credentials counts. */
function leniently(judge: (isLenient: boolean) => Effect): Effect {
  const effect = judge(true)
  return ['reads', 'reads_outside', 'edits_inside'].includes(effect) ? effect : judge(false)
}

function effectOfText(text: string, given: State): Effect {
  if (given.depth > shellDepthMax) return 'runs'
  const commands = parseCommand(text)
  const parts = commands ?? partsOfCommand(text)
  if (parts.flatMap(partsOf).length > wordsMax) return 'runs'
  const state: State = { ...given, current: [...given.current] }
  return parts
    .map((command) => effectOfPiped(command, parts, state))
    .reduce<Effect>(worstEffect, commands ? 'reads' : 'runs')
}

/** What is read by another command goes to no terminal, and may be filtered there. */
function effectOfPiped(command: SimpleCommand, all: SimpleCommand[], state: State): Effect {
  const [first, ...args] = command.words
  const reader = first?.isOpen === 'no' ? all.find(({ reads }) => reads === command) : undefined
  const texts = textsOf(args)
  const isPlain = [...args, ...(reader?.words ?? [])].every(
    ({ isOpen, isGlob }) => isOpen === 'no' && !isGlob,
  )
  if (!reader || !isPlain || command.assignments.length + command.redirects.length > 0)
    return effectOfSimple(command, state)
  return showsPagesOnly(first!.text, texts) || showsPlainVariables(first!.text, texts, textsOf(reader.words))
    ? 'reads'
    : effectOfSimple(command, state)
}

const partsOf = ({ assignments, redirects, words }: SimpleCommand) => [...assignments, ...redirects, ...words]

function effectOfSimple(command: SimpleCommand, state: State): Effect {
  const { assignments, redirects, inputs, words } = command
  const parts = [
    ...assignments.map(({ name, value }) => effectOfAssignment(name, value, command)),
    ...redirects.map(({ writes, target }) => effectOfPath(target, state, writes, 'read')),
    ...inputs.map(({ isOpen }): Effect => (isOpen === 'yes' ? 'runs' : 'reads')),
    ...namesIn(words, state).map((word) => credentialsIn(word, state)),
    words.length === 0 ? 'reads' : effectOfRun(command, state),
  ]
  return parts.reduce<Effect>(worstEffect, 'reads')
}

function effectOfRun(command: SimpleCommand, state: State): Effect {
  const { words, reads } = command
  const args = words.slice(1)
  if (words[0]!.isOpen !== 'no') {
    const name = programOf([knownWord(words[0]!.text)])
    return worstEffect('runs', effectOfKnown(name, args, command, state))
  }
  const filled = withOutputs(words, state)
  if (filled)
    return filled.map((known) => effectOfRun({ ...command, words: known }, state)).reduce(worstEffect)
  const name = programOf(words)
  if (isTest(name)) return effectOfTest(name, args, state)
  // An open word can become several, and options among them: its text says too little.
  const isOpen = args.some((word, at) => isOpenFor(name, word, state) && !isPrinted(name, args, at))
  if (!isOpen && tellsVersion(name, textsOf(args))) return 'reads'
  if (!isOpen && name === 'xargs' && reads) {
    const effect = effectOfXargs(args, reads, state)
    if (effect !== 'runs') return effect
  }
  const effect = effectOfKnown(name, args, command, state)
  return isOpen ? worstEffect('runs', effect) : effect
}

/**
 * The words of a command in each form that they can have, where some are the output of commands that name files or commits, as in
 * `cat $(git ls-files '*.ts')`; null: none is, or it may be another word than such a name.
 */
function withOutputs(words: Word[], state: State): Word[][] | null {
  const first = words.findIndex(({ outputs }) => outputs)
  if (first <= 0 || words.filter(({ outputs }) => outputs).length > outputsMax) return null
  const { outputs = [], text } = words[first]!
  if (!outputs.every(({ command }) => looksInside(command, state))) return null
  const known = commitsIn(words[first]!, words) ?? filesIn(words[first]!, words)
  if (!known) return null
  const mayBeNone = text === ''
  const forms = [
    ...known.map((word) => words.with(first, word)),
    ...(mayBeNone ? [words.toSpliced(first, 1)] : []),
  ]
  const all = forms.map((form) => (form.some((word) => word.outputs) ? withOutputs(form, state) : [form]))
  return all.includes(null) ? null : all.flatMap((form) => form!)
}

const textsOf = (words: Word[]): string[] => words.map(({ text }) => text)

function isOpenFor(name: string, { isOpen, isSplit, zshGlob }: Word, { current }: State): boolean {
  if (Object.hasOwn(readCommands, name) && readCommands[name]!.isRaw) return isOpen === 'yes'
  if (isSplit && !current.every((folder) => folder && !/[\s*?[\\]/.test(folder.segments.join('/'))))
    return true
  return isOpen !== 'no' || (zshGlob !== undefined && !(name === 'git' && zshGlob === 'revision'))
}

/** Whether a word is printed: words after the format of `printf` are no options. */
const isPrinted = (name: string, args: Word[], at: number): boolean =>
  name === 'printf' &&
  at > 0 &&
  args[0]!.isOpen === 'no' &&
  !args[0]!.text.startsWith('-') &&
  args[at]!.isOpen === 'plain'

/** The effect of a command, as if every word were known. */
function effectOfKnown(name: string, args: Word[], command: SimpleCommand, state: State): Effect {
  const texts = textsOf(args)
  if (isNetworkCommand(name, texts) || isNetworkGit(name, texts)) return 'network'
  if (showsSecrets(name, texts)) return 'credentials'
  const script = scriptOf(name, texts)
  if (script !== null) return effectOfScript(script, state)
  if (name === 'cd') return changeFolder(args, command, state)
  if (name === 'touch' || name === 'mkdir' || name === 'tee') return effectOfEdit(name, args, state)
  const effect = effectOfRead(name, args, state)
  if (effect !== 'runs') return effect
  const started = startedBy(name, args)
  if (!started) return effectWithin(name, texts, state)
  if ('script' in started) return effectOfScript(started.script, state)
  const inner = effectOfStarted(started.words, state)
  return started.isItself ? inner : worstEffect('runs', inner)
}

const effectOfScript = (script: string, state: State): Effect =>
  worstEffect('runs', effectOfText(script, { ...state, depth: state.depth + 1 }))

/** The effect of a program that may start others behind options that are not known here: at least that of each of these. */
function effectWithin(name: string, args: string[], state: State): Effect {
  const { commands, scripts } = startedWithin(name, args)
  const told = programOfInterpreter(name, args)
  return [
    ...[...commands, ...(told ? [told] : [])].map((one) => effectOfProgram(one.name, one.args)),
    ...scripts.map((script) => effectOfScript(script, state)),
  ].reduce<Effect>(worstEffect, 'runs')
}

function effectOfProgram(name: string, args: string[]): Effect {
  const isNetwork = isNetworkCommand(name, args) || isNetworkGit(name, args)
  return isNetwork ? 'network' : showsSecrets(name, args) ? 'credentials' : 'runs'
}

/** The effect of a program that another one starts: it is none of those that are a part of the shell. */
function effectOfStarted(words: Word[], state: State): Effect {
  const name = programOf(words)
  const effect = effectOfRun(commandOf(words), { ...state, current: [...state.current] })
  const isProgram = name === 'find' || name === 'git' || (Object.hasOwn(readCommands, name) && name !== 'set')
  return isProgram || startedBy(name, []) ? effect : worstEffect('runs', effect)
}

/** `xargs` after a command that tells which files it names: as if these were its words. */
function effectOfXargs(args: Word[], reads: SimpleCommand, state: State): Effect {
  const xargs = readXargs(args)
  const files = xargs && looksInside(reads, state) ? namedFiles(reads, xargs) : null
  if (!xargs || !files) return 'runs'
  const { mark, words } = xargs
  return files
    .map((file) => effectOfStarted(withFile(words, mark, file), state))
    .reduce<Effect>(worstEffect, 'reads')
}

function looksInside(command: SimpleCommand, state: State): boolean {
  const effect = effectOfSimple(command, { ...state, isLenient: true, current: [...state.current] })
  return effect === 'reads' && (command.reads === undefined || looksInside(command.reads, state))
}

/** A command with a word for the files that it is given. */
const withFile = (words: Word[], mark: string | null, file: Word): Word[] =>
  mark === null ? [...words, file] : words.map((word) => (word.text === mark ? file : word))

/** After `cd` a path may start from the old folder too, as `cd` may fail or be undone at the end of a subshell. */
function changeFolder(args: Word[], { isNested, isRepeated }: SimpleCommand, state: State): Effect {
  const words = args[0]?.text === '--' ? args.slice(1) : args
  if (words.length > 1 || words.some(({ text, isGlob }) => isGlob || /^[-+]/.test(text))) return 'runs'
  const path = words[0]?.text ?? '~'
  if (placeOf(path, state) === 'unsure' || climbsAfterName(path)) return 'runs'
  // A `cd` in a loop starts from where the last one led.
  if (isRepeated && !isAbsolute(path)) return 'runs'
  const moved = state.current.map((folder) => folderAt(path, folder))
  const all = [...state.current]
  for (const folder of moved) if (!all.some((known) => isSameFolder(known, folder))) all.push(folder)
  state.current = all.slice(0, foldersMax)
  // The next call would run in a folder that its text does not name, or that the agent prepared for it.
  const isKept = state.keepsFolder && !isNested && !moved.every((folder) => mayStayIn(folder, state))
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
    .map((path) => effectOfPath(knownWord(path), state, true, name === 'tee' ? 'read' : 'named'))
    .reduce<Effect>(worstEffect, 'reads')
}

function effectOfRead(name: string, args: Word[], state: State): Effect {
  if (name === 'find') return effectOfFind(args, state)
  if (name !== 'git') {
    const tool = toolCommand(name, textsOf(args))
    if (tool) return effectOfArguments(tool.command, args.slice(tool.words), state)
    return Object.hasOwn(readCommands, name) ? effectOfArguments(readCommands[name]!, args, state) : 'runs'
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
  const find = readFind(textsOf(args))
  if (!find) return 'runs'
  const { folders, starts } = find
  const looks = (folders.length === 0 ? ['.'] : folders)
    .map((path) => effectOfPath(knownWord(path), state, false, 'named'))
    .reduce<Effect>(worstEffect, 'reads')
  const started = starts.flatMap((words) =>
    filesOfFind(find).map((file) => effectOfStarted(withFile(words.map(knownWord), '{}', file), state)),
  )
  // Outside any file may be there.
  const isOutside = starts.length > 0 && looks !== 'reads'
  return [looks, ...started].reduce<Effect>(worstEffect, isOutside ? 'runs' : 'reads')
}

const mayStayIn = (folder: ResolvedPath | null, state: State): boolean =>
  folder !== null && (isRootFolder(folder, state) || (state.mayEnter?.(folder) ?? false))

const isRootFolder = (folder: ResolvedPath, { root }: Folders): boolean =>
  root !== null && isSamePath(folder, root)
