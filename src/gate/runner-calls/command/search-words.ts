import type { Word } from './cursor.ts'
import { readFind } from './find.ts'
import { gitCommand } from './git.ts'
import { hasText, readArguments } from './options.ts'
import type { Arguments, ReadCommand } from './options.ts'
import { readCommands } from '../reading/read-commands.ts'
import { markedText } from './read-effects.ts'
import { startedBy } from './started.ts'

/**
 * The words of a command that are searched for in files, and name none: as they stand in its arguments. None where its arguments are
 * in another form than is known here. Pure.
 */
export function searchWordsOf(words: Word[]): string[] {
  const [first, ...args] = words
  if (!first || first.isOpen !== 'no') return []
  const name = first.text.replace(/^(\/usr)?\/bin\//, '')
  const started = startedBy(name, args)
  if (started) return 'words' in started ? searchWordsOf(started.words) : []
  const texts = args.map(({ text }) => text)
  if (name === 'find')
    return (readFind(texts)?.starts ?? []).flatMap((inner) => searchWordsOf(inner.map(known)))
  if (name === 'git') {
    const git = gitCommand(texts, () => true)
    return git.is === 'reads' ? wordsIn(git.command, git.args) : []
  }
  const command = Object.hasOwn(readCommands, name) ? readCommands[name]! : {}
  return command.takesScript && !isScriptKnown(command, args) ? [] : wordsIn(command, texts)
}

/** What an option before it stands for may take the script for its value, and then a file for the script. */
function isScriptKnown(command: ReadCommand, args: Word[]): boolean {
  const readings = readArguments(command, args.map(markedText)) ?? []
  const before = args.slice(0, Math.max(...readings.map(({ leading }) => leading)))
  return (
    args.every(({ isOpen }) => isOpen === 'no') && !before.some(({ isGlob, zshGlob }) => isGlob || zshGlob)
  )
}

const known = (text: string): Word => ({ text, isGlob: false, isOpen: 'no' })

function wordsIn(command: ReadCommand, args: string[]): string[] {
  const readings = command.searchWords ? readArguments(command, args) : null
  if (!readings || (command.takesScript && !readings.every((read) => command.allows?.(read, false))))
    return []
  const [first, ...others] = readings.map((read) => wordsOf(command, args, read))
  // An option with its value may be a file's name in the other reading: no file with credentials is called like that.
  return first!.filter((word) => word.startsWith('-') || others.every((words) => words.includes(word)))
}

function wordsOf(command: ReadCommand, args: string[], read: Arguments): string[] {
  const values = read.options
    .filter(({ name, value }) => value !== null && isSearchWord(command.searchWords!, name, value))
    .map(({ value }) => asGiven(args, value!))
  return hasText(command, read) && read.operands.length > 0 ? [...values, read.operands[0]!] : values
}

/** Whether a value is a search word: an option's text, or a glob of files that are left out and so not read. */
const isSearchWord = (searchWords: string[], name: string, value: string): boolean =>
  searchWords.includes(name) || (['g', 'glob', 'iglob'].includes(name) && value.startsWith('!'))

/** A value stands alone, or at the end of an argument with its option. */
const asGiven = (args: string[], value: string): string =>
  args.includes(value) ? value : (args.find((arg) => arg.startsWith('-') && arg.endsWith(value)) ?? value)
