import { readCommands } from './read-commands.ts'
import { commandOf, knownWord } from './cursor.ts'
import type { SimpleCommand, Word } from './cursor.ts'
import { isShell, scriptOf } from './other-commands.ts'
import { parseCommand } from './parse.ts'

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
  /** Of all commands. */
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
  if (commands.some(hasInput) && mayRunInput(commands)) doubt(runs, 'hidden')
}

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

/** A variable that the line sets may have another value by the time that it is used; `xargs` and `find` replace `{}`. */
const opened = (word: Word): Word =>
  word.isBound || word.text.includes('{}') ? { ...word, text: '', isOpen: 'yes' } : word

function readCommand({ assignments, words: given }: SimpleCommand, runs: Reading, depth: number): void {
  const words = given.map(opened)
  // Git takes aliases from its environment.
  if (assignments.some(({ name }) => /^GIT_(CONFIG|EXEC_PATH)/.test(name))) doubt(runs, 'unread')
  if (words.length === 0) return
  const known = words.map(argumentOf)
  runs.words += known.length
  if (runs.words > wordsMax) return doubt(runs, 'hidden')
  const name = words[0]!.isOpen === 'no' ? programOf(words[0]!.text) : ''
  const texts = words.slice(1).map((word) => word.text)
  const startsOthers = mayStartOthers(name, texts)
  // Whatever they read comes after their arguments.
  if (['xargs', 'parallel'].includes(name)) known.push({ startsWith: '', isAdded: true })
  runs.commands.push({ words: known, startsOthers })
  if (name === 'cd' || name === 'pushd') runs.folders.push(folderOf(words.slice(1)))
  if (changesNames(name, texts)) doubt(runs, 'unread')
  const script = scriptOf(name, texts)
  if (script !== null) readText(script, runs, depth + 1)
  else if (isShell(name) && texts.every((arg) => arg.startsWith('-') || arg === '/dev/stdin'))
    doubt(runs, 'hidden')
  else if (startsOthers) for (const part of scriptsIn(name, words.slice(1))) readPart(part, runs, depth)
}

/** A program in lower case, as some file systems find it, without its folder and the endings of Windows. Pure. */
export const programOf = (word: string): string =>
  word
    .slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|ps1)$/, '')

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

/** Commands after which a name stands for another program. */
function changesNames(name: string, args: string[]): boolean {
  if (name === 'git')
    return args.some((arg) => /(^|\s)(alias\.|include(if)?\.)/i.test(arg) || arg.startsWith('--config-env'))
  return name === 'alias' || (name === 'hash' && args.length > 0) || name === 'enable'
}

const gitRuns =
  /^(foreach|run|alias|filter-branch|difftool|mergetool|-c|-x|--(exec|extcmd|upload-pack|receive-pack|open-files-in-pager)(=.*)?)$/
const findRuns = /^-(exec|execdir|ok|okdir)$/
/** They take a text for what it is: no argument is a program. */
const takesTexts = new Set([
  ...Object.keys(readCommands).filter((name) => !readCommands[name]!.startsOthers),
  'cd',
  'pushd',
  'touch',
  'mkdir',
  'tee',
  '[',
  '[[',
  'read',
  'find',
  'git',
])

/** Whether a program may start its arguments. Every one may that is not known better. */
function mayStartOthers(name: string, args: string[]): boolean {
  if (name === 'git') return args.some((arg) => gitRuns.test(arg))
  if (name === 'find') return args.some((arg) => findRuns.test(arg))
  if (name === 'command') return true
  if (name === 'awk' || name === 'sed') return args.some((arg) => /\bsystem\b|\||[ew]\b/.test(arg))
  return !takesTexts.has(name)
}

const describing = /^(-m|--(message|title|body|notes|description))(=|$)/
const describers = ['git', 'gh', 'glab', 'hg', 'jj', 'svn', 'fossil']

/** Arguments with white space that may be programs: not the texts with which changes are described. */
function scriptsIn(name: string, args: Word[]): string[] {
  const isDescribed = (at: number): boolean =>
    describers.includes(name) &&
    (describing.test(args[at]!.text) || describing.test(args[at - 1]?.text ?? ''))
  return args
    .filter(({ text }, at) => /\s/.test(text.trim()) && !isDescribed(at))
    .map(({ text }) => text.replace(/^-{0,2}[\w-]+=/, ''))
}

function readPart(text: string, runs: Reading, depth: number): void {
  const inner: Reading = { commands: [], doubt: 'none', folders: [], words: runs.words }
  readText(text, inner, depth + 1)
  runs.words = inner.words
  const isRead = inner.doubt === 'none'
  const found = isRead ? inner.commands : looseRuns(text)
  if (!isRead) runs.words += wordsIn(found)
  if (runs.words > wordsMax) doubt(runs, 'hidden')
  else runs.commands.push(...found)
}
