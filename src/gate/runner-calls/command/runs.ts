import { commandOf, knownWord } from './cursor.ts'
import type { SimpleCommand, Word } from './cursor.ts'
import { scriptOf } from './other-commands.ts'
import { parseCommand } from './parse.ts'
import {
  changesNames,
  isInterpreter,
  marksOf,
  mayStartOthers,
  obeysInput,
  programOf,
  scriptsIn,
} from './run-by-others.ts'
import { startedBy } from './started.ts'
import { programOfInterpreter } from './started-within.ts'
import { isPlainVariable } from './variables.ts'

/** What a command line may run. */
export interface Runs {
  commands: RunCommand[]
  /** `unread`: a part is in no form that is read here. `hidden`: it may run what it does not name. */
  doubt: 'none' | 'unread' | 'hidden'
  /** Folders that the commands may run in, beside the first one; null: one that the text does not name. */
  folders: (string | null)[]
}

/** A program and its arguments, as the shell hands them over. */
export interface RunCommand {
  words: Argument[]
  /** Each word may be the first of another command, as after `sudo` or `xargs`. */
  startsOthers: boolean
}

/** A word: its text; or how it starts, where the shell replaces the rest of it, or adds more words after it. */
export type Argument = { text: string } | { startsWith: string; isAdded?: boolean }

interface Reading extends Runs {
  /** The number of words in all commands so far. */
  words: number
}

const depthMax = 3
const wordsMax = 4_000

/**
 * What the command line of a POSIX shell may run: each simple command, those of `$(…)`, and those that wrappers and other shells
 * are given. Pure.
 */
export function runsOf(text: string): Runs {
  const runs: Reading = { commands: [], doubt: 'none', folders: [], words: 0 }
  readText(text, runs, 0)
  return runs
}

/** The same of a program that is started without a shell. Pure. */
export function runsOfWords(words: string[]): Runs {
  const runs: Reading = { commands: [], doubt: 'none', folders: [], words: 0 }
  readCommand(commandOf(words.map(knownWord)), runs, 0)
  return runs
}

/**
 * The words of a text that no parser of ours reads, such as one for PowerShell or a program in another language: each may be the
 * first of a command. Pure.
 */
export function looseRuns(text: string): RunCommand[] {
  return text
    .replaceAll(/[`^"'\\](?=[A-Za-z])/g, '')
    .split(/[;&|\n(){}<>]+/)
    .map((part) => ({
      words: part
        .split(/[\s,"'`]+/)
        .filter(Boolean)
        .map(looseWord),
      startsOthers: true,
    }))
    .filter(({ words }) => words.length > 0)
}

/** How many words commands have. Pure. */
export const wordsIn = (commands: RunCommand[]): number =>
  commands.reduce((sum, { words }) => sum + words.length, 0)

const looseWord = (text: string): Argument =>
  /[$%*?[\]]/.test(text) ? { startsWith: /^[^$%*?[\]]*/.exec(text)![0] } : { text }

function doubt(runs: Runs, how: 'unread' | 'hidden'): void {
  if (runs.doubt !== 'hidden') runs.doubt = how
}

function readText(text: string, runs: Reading, depth: number): void {
  const commands = depth > depthMax ? null : parseCommand(text)
  if (!commands) return doubt(runs, 'unread')
  for (const command of commands) readCommand(command, runs, depth)
  if (!mayRunInput(commands)) return
  if (commands.some(hasInput)) doubt(runs, 'hidden')
  for (const command of commands.filter((one) => printsElsewhere(one, commands))) {
    const printed = looseRuns(command.words.map(({ text: word }) => word).join(' '))
    runs.words += wordsIn(printed)
    runs.commands.push(...printed)
  }
}

/** What it prints is read by another command, or stands in a file. */
const printsElsewhere = (command: SimpleCommand, all: SimpleCommand[]): boolean =>
  /^(echo|printf)$/.test(command.words[0]?.text ?? '') &&
  (command.isNested ||
    command.redirects.some(({ writes }) => writes) ||
    all.some(({ reads }) => reads === command))

/** The text has the input of a command, or the file that it reads. */
const hasInput = ({ inputs, words }: SimpleCommand): boolean =>
  inputs.length > 0 || words.some(({ isInput }) => isInput)

/** An input may reach any command, also by a pipe or a file. Git takes aliases from files. */
function mayRunInput(commands: SimpleCommand[]): boolean {
  const writes = commands.some(({ redirects }) => redirects.some((redirect) => redirect.writes))
  return commands.some(({ words: [first, ...args] }) => {
    if (!first) return false
    const name = first.isOpen === 'no' && !first.isBound ? programOf(first.text) : ''
    const isScript = ['awk', 'sed'].includes(name) && args.some(({ text }) => /^-\w*f|^--f/.test(text))
    return (
      isScript ||
      (writes && name === 'git') ||
      mayStartOthers(
        name,
        args.map(({ text }) => text),
      )
    )
  })
}

/** A variable that the line sets may have another value by the time that it is used; `xargs` and `find` replace their marks. */
const opened = (word: Word, marks: string[]): Word =>
  word.isBound || marks.some((mark) => word.text.includes(mark)) ? { ...word, text: '', isOpen: 'yes' } : word

const nameOf = (word: Word | undefined): string => (word?.isOpen === 'no' ? programOf(word.text) : '')

function readCommand(command: SimpleCommand, runs: Reading, depth: number): void {
  const { assignments, words: given } = command
  const marks = marksOf(nameOf(given[0]), given.slice(1))
  const words = given.map((word) => opened(word, marks))
  // Git takes aliases from its environment, and many programs take others from theirs.
  if (assignments.some(({ name }) => /^GIT_(CONFIG|EXEC_PATH)/.test(name))) doubt(runs, 'unread')
  for (const { name, value } of assignments)
    if (value.text !== '' && (words.length > 0 || !isPlainVariable(name))) readPart(value.text, runs, depth)
  if (words.length === 0) return
  const known = words.map(argumentOf)
  if (takesStarts.has(nameOf(words[0]))) openCommandName(known)
  runs.words += known.length
  if (runs.words > wordsMax) return doubt(runs, 'hidden')
  const name = nameOf(words[0])
  const args = words.slice(1)
  const texts = args.map((word) => word.text)
  const startsOthers = mayStartOthers(name, texts)
  // Whatever they read or find comes after their arguments.
  if (/^(xargs|parallel|fd|fdfind)$/.test(name)) known.push({ startsWith: '', isAdded: true })
  runs.commands.push({ words: known, startsOthers })
  // `git-push` is `git push`, where the folder of git's programs is on the PATH.
  const ofGit = /^git-(.+)/.exec(name)?.[1]
  if (ofGit)
    runs.commands.push({ words: [{ text: 'git' }, { text: ofGit }, ...known.slice(1)], startsOthers })
  const told = programOfInterpreter(name, texts)
  if (told) {
    const rest = known.slice(known.length - told.args.length)
    runs.commands.push({ words: [{ text: told.name }, ...(told.args.length > 0 ? rest : [])], startsOthers })
  }
  if (name === 'cd' || name === 'pushd') runs.folders.push(folderOf(args))
  if (changesNames(name, texts)) doubt(runs, 'unread')
  if (obeysInput(name, args, command)) doubt(runs, 'hidden')
  const script = scriptOf(name, texts) ?? scriptStarted(name, args)
  if (script !== null) readText(script, runs, depth + 1)
  if (startsOthers)
    for (const part of scriptsIn(name, args))
      if (part !== script) readPart(part, runs, depth, isInterpreter(name))
}

/** These take the start of a command's name for all of it: `npm publis`. */
const takesStarts = new Set(['npm', 'hg', 'ip'])

/** The command stands behind options, each of which may have a value. */
function openCommandName(words: Argument[]): void {
  const isOption = (word: Argument | undefined): boolean =>
    word !== undefined && 'text' in word && word.text.startsWith('-')
  for (let at = 1; at < words.length; at++) {
    const word = words[at]!
    if (!('text' in word) || isOption(word)) continue
    words[at] = { startsWith: word.text }
    if (!isOption(words[at - 1])) return
  }
}

function scriptStarted(name: string, args: Word[]): string | null {
  const started = startedBy(name, args)
  return started && 'script' in started ? started.script : null
}

function argumentOf({ text, isGlob, isOpen, isFolder }: Word): Argument {
  // `$HOME` and `$PWD` stand in the text as `~` and `.`.
  if (isOpen !== 'no') return { startsWith: '' }
  // `[` alone is a program.
  if (isGlob && text !== '[') return { startsWith: /^[^*?[]*/.exec(text)![0] }
  return isFolder && text.startsWith('~') ? { startsWith: '' } : { text }
}

function folderOf(args: Word[]): string | null {
  const [path, ...more] = args.filter(({ text }) => text !== '--')
  return path && more.length === 0 && path.isOpen === 'no' && !path.isGlob && !path.text.startsWith('-')
    ? path.text
    : null
}

/** @param isCode  it may be in another language: its words count as well */
function readPart(text: string, runs: Reading, depth: number, isCode = false): void {
  const inner: Reading = { commands: [], doubt: 'none', folders: [], words: runs.words }
  readText(text, inner, depth + 1)
  runs.words = inner.words
  const isRead = inner.doubt === 'none'
  const loose = isRead && !isCode ? [] : looseRuns(text)
  runs.words += wordsIn(loose)
  if (runs.words > wordsMax) doubt(runs, 'hidden')
  else runs.commands.push(...(isRead ? inner.commands : []), ...loose)
}
