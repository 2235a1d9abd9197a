import { commandOf, knownWord } from '../command/cursor.ts'
import type { SimpleCommand, Word } from '../command/cursor.ts'
import { interpreters, isCode, manifests, runsNoFiles } from './programs.ts'
import { type Reading, type RunFiles, addFile, isRooted, join, noteManifests } from './found-files.ts'
import { isShell, scriptOf } from '../command/other-commands.ts'
import { parseCommand, partsOfCommand } from '../command/parse.ts'
import { programOf } from '../command/run-by-others.ts'
import { looseRuns } from '../command/runs.ts'
import type { Argument } from '../command/runs.ts'
import { readManifest, valueOf } from './manifests.ts'
import { readInterpreter, readOperand, readShell } from './scripts.ts'
import { isSource, startedBy } from '../command/started.ts'

const depthMax = 4
const commandsMax = 1_000
const foldersMax = 4

/**
 * The files that the command line of a POSIX shell runs: programs by their path, scripts of shells and interpreters, and what tools such
 * as make and npm read. Pure.
 * @param folder  in which it starts, from the working folder
 */
export function filesOfCommand(text: string, folder = ''): RunFiles {
  const reading = newReading(folder)
  readText(text, reading)
  return reading
}

/** The same of a program that is started without a shell. Pure. */
export function filesOfWords(words: string[], folder = ''): RunFiles {
  const reading = newReading(folder)
  readCommand(commandOf(words.map(knownWord)), reading)
  return reading
}

const newReading = (folder: string): Reading => ({
  files: [],
  manifests: [],
  unbound: new Set(),
  folders: [folder],
  left: commandsMax,
  depth: 0,
  readInner,
})

function readText(text: string, reading: Reading): void {
  const commands = reading.depth > depthMax ? null : parseCommand(text)
  if (!commands) reading.unbound.add('unread')
  if (reading.depth > depthMax) return
  const parts = commands ?? partsOfCommand(text)
  for (const command of parts) readCommand(command, reading)
  if (parts.length === 0)
    for (const { words } of looseRuns(text)) readRun(words.map(looseWord), commandOf([]), reading)
}

const looseWord = (word: Argument): Word =>
  'text' in word ? knownWord(word.text) : { ...knownWord(word.startsWith), isOpen: 'yes' }

function readInner(text: string, reading: Reading): void {
  const inner: Reading = { ...reading, folders: [...reading.folders], depth: reading.depth + 1 }
  readText(text, inner)
  reading.left = inner.left
}

function readCommand(command: SimpleCommand, reading: Reading): void {
  for (const { name, value } of command.assignments) readVariable(name, value, reading)
  if (command.words.length > 0) readRun(command.words, command, reading)
}

/** Reads a variable that is set before a command: programs load files that variables name, and find programs by them. */
function readVariable(name: string, value: Word, reading: Reading): void {
  if (/^(path|fpath|ENV)$|_ENV$|^(LD|DYLD)_|(OPT|OPTS|OPTIONS|PATH|LIB|PRELOAD)$/.test(name))
    reading.unbound.add('loads')
  for (const part of value.text.split(/[\s=:,]+/))
    if (part.includes('/') || isCode(part)) addFile({ ...value, text: part }, reading, { isSure: false })
}

function readRun(words: Word[], command: SimpleCommand, reading: Reading): void {
  if (reading.left-- <= 0) {
    reading.unbound.add('many')
    return
  }
  const [first, ...args] = words as [Word, ...Word[]]
  if (first.isOpen !== 'no' || (first.isGlob && first.text !== '[')) {
    reading.unbound.add('open')
    return readUnknown(args, command, reading)
  }
  const name = programOf(first.text)
  if (first.text.includes('/') && !systemProgram.test(first.text)) {
    reading.unbound.add('loads')
    addFile(first, reading, { isSure: true, isPinned: true })
  }
  if (name === 'cd' || name === 'pushd' || name === 'popd') return moveTo(name, args, reading)
  const texts = args.map(({ text }) => text)
  const script = scriptOf(name, texts)
  if (script !== null) {
    reading.unbound.add('loads')
    if (args.some(({ isOpen }) => isOpen !== 'no')) reading.unbound.add('open')
    return readInner(script, reading)
  }
  if (isShell(name) || name === 'fish') return readShell(args, command, reading)
  if (takesScriptFiles.has(name)) return readScriptFiles(args, reading)
  if (name === 'git' && args.some(({ text }) => gitStarts.test(text)))
    return readUnknown(args, command, reading)
  if (name === '.' || name === 'source') return readOperand(args, reading)
  if (Object.hasOwn(interpreters, versionless(name)))
    return readInterpreter(versionless(name), args, command, reading)
  if (Object.hasOwn(manifests, name)) {
    if (!readManifest(manifests[name]!, args, reading)) readUnknown(args, command, reading)
    return
  }
  if (name === 'find') return readFind(args, command, reading)
  if (name === 'parallel' || name === 'xargs') readSources(args, command, reading)
  const started = startedBy(name, args)
  if (started && 'script' in started) return readInner(started.script, reading)
  if (started) {
    readOptions(name, args.slice(0, args.length - started.words.length), reading)
    return readRun(started.words, command, reading)
  }
  if (runsNoFiles(name)) {
    if (/^(export|declare|typeset|local|readonly)$/.test(name)) readAssigned(args, reading)
    return
  }
  readUnknown(args, command, reading)
}

const systemProgram = /^\/(usr\/(local\/)?)?s?bin\/[\w.+-]+$|^\/(opt\/homebrew|snap)\/bin\/[\w.+-]+$/

/** `python3.12` is `python`. */
const versionless = (name: string): string =>
  Object.hasOwn(interpreters, name) ? name : name.replace(/(?<![\d.])[\d.]+$/, '')

/** Reads the words between a program such as `sudo` or `xargs` and the one that it starts. */
function readOptions(name: string, options: Word[], reading: Reading): void {
  if (name === 'env' || name === 'sudo' || name === 'doas') readAssigned(options, reading)
  // Words from their input come after these words, or in their place.
  if (name === 'xargs' || name === 'parallel') reading.unbound.add('open')
  if (name === 'npx' || name === 'bunx') {
    reading.unbound.add('loads')
    // It says which program of this name is meant, and has the settings of many.
    addFile(knownWord('package.json'), reading, { isSure: false, isPinned: true })
    noteManifests(['package.json'], reading)
  }
  if (options.some(({ text }) => /^(-C|-D|--chdir)/.test(text))) reading.unbound.add('folder')
}

/** The files whose lines they run, or give to what they run. */
function readSources(args: Word[], command: SimpleCommand, reading: Reading): void {
  let isFile = false
  for (const [at, word] of args.entries()) {
    if (isSource(word.text)) isFile = word.text.startsWith('::::')
    else if (isFile) addFile(word, reading, { isSure: true })
    for (const option of ['-a', '--arg-file']) {
      const value = valueOf(option, word, args[at + 1])
      if (value) addFile(value, reading, { isSure: true })
    }
  }
  for (const { target, writes } of command.redirects) if (!writes) addFile(target, reading, { isSure: true })
}

function readAssigned(args: Word[], reading: Reading): void {
  for (const word of args) {
    const [, name, text] = /^(\w+)\+?=([^]*)$/.exec(word.text) ?? []
    if (name !== undefined) readVariable(name, { ...word, text: text! }, reading)
  }
}

/** Any word may be a file that it runs, or start another command. */
function readUnknown(args: Word[], command: SimpleCommand, reading: Reading): void {
  reading.unbound.add('loads')
  for (const [at, word] of args.entries()) {
    if (args[at - 1]?.text === '-wrapper') {
      // Compilers start `./x -v` by `-wrapper ./x,-v`.
      const wrapper = word.text.split(',').map((part) => ({ ...word, text: part }))
      readRun(wrapper, command, reading)
      continue
    }
    const text = word.text.replace(/^-{1,2}[\w-]+=/, '')
    if (word.isOpen === 'no' && startsKnown(text)) return readRun(args.slice(at), command, reading)
    if (/\s/.test(text.trim())) readInner(text, reading)
    else if (mayRun(text)) addFile({ ...word, text }, reading, { isSure: false })
  }
  // `ssh host < a.sh` runs it there.
  for (const { target, writes } of command.redirects) if (!writes) addFile(target, reading, { isSure: false })
}

const startsKnown = (name: string): boolean =>
  isShell(name) ||
  Object.hasOwn(interpreters, name) ||
  (Object.hasOwn(manifests, name) && !/^(task|just|fab)$/.test(name))

/** It looks like code, or like the path of a program. */
const mayRun = (text: string): boolean =>
  isCode(text) || (/^[^-@:]*\/[^./:]+$/.test(text) && !text.endsWith('/'))

/** Git starts what some arguments say, and aliases. */
const gitStarts = /^(foreach|run|-x|--(exec|extcmd|upload-pack|receive-pack)(=[^]*)?|alias\.[^]*)$/

const takesScriptFiles = new Set(['awk', 'gawk', 'mawk', 'nawk', 'sed', 'gsed', 'jq'])

/** Their programs stand in the line itself, or in the file after `-f`. */
function readScriptFiles(args: Word[], reading: Reading): void {
  for (const [at, word] of args.entries())
    for (const option of ['-f', '--file', '--from-file']) {
      const value = valueOf(option, word, args[at + 1])
      if (value) addFile(value, reading, { isSure: true })
    }
}

/** The commands of `find -exec`. Those of `-execdir` start in other folders. */
function readFind(args: Word[], command: SimpleCommand, reading: Reading): void {
  for (let at = 0; at < args.length; at++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(args[at]!.text)) continue
    const end = args.findIndex(({ text }, i) => i > at && (text === ';' || text === '+'))
    const words = args.slice(at + 1, end === -1 ? undefined : end)
    if (args[at]!.text.endsWith('dir')) reading.unbound.add('folder')
    if (words.some(({ text }) => text.includes('{}'))) reading.unbound.add('open')
    const known = words.map((word) =>
      word.text.includes('{}') ? { ...word, isOpen: 'yes' as const, text: '' } : word,
    )
    if (known.length > 0) readRun(known, command, reading)
    at += words.length
  }
}

/** After `cd` a path may start from the old folder too, as `cd` may fail or be undone at the end of a subshell. */
function moveTo(name: string, args: Word[], reading: Reading): void {
  const [word, ...more] = args.filter(({ text }) => text !== '--')
  const isKnown =
    word &&
    name !== 'popd' &&
    more.length === 0 &&
    word.isOpen === 'no' &&
    !word.isGlob &&
    !/^[-+~]/.test(word.text)
  const moved = reading.folders.map((folder) =>
    isKnown && folder !== null ? join(folder, word.text) : isKnown && isRooted(word.text) ? word.text : null,
  )
  const all = [...new Set([...reading.folders, ...moved])]
  reading.folders = all.length > foldersMax ? [...all.slice(0, foldersMax - 1), null] : all
}
