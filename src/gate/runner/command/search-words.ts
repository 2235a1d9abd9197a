import type { Word } from './cursor.ts'
import { readFind } from './find.ts'
import { gitCommand } from './git.ts'
import { readArguments } from './options.ts'
import type { ReadCommand } from './options.ts'
import { readCommands } from './read-commands.ts'
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
  return Object.hasOwn(readCommands, name) ? wordsIn(readCommands[name]!, texts) : []
}

const known = (text: string): Word => ({ text, isGlob: false, isOpen: 'no' })

function wordsIn(command: ReadCommand, args: string[]): string[] {
  const { searchWords, textUnless = [] } = command
  const read = searchWords ? readArguments(command, args) : null
  if (!read || !searchWords || (command.isScript && !command.allows?.(read, false))) return []
  // Programs that take options only before operands read a later value as a file.
  const values = read.options
    .filter(
      ({ name, value }) =>
        value !== null &&
        isSearchWord(searchWords, name, value) &&
        (value.startsWith('!') || !read.lateValues.includes(value)),
    )
    .map(({ value }) => asGiven(args, value!))
  const isText = command.textUnless && !read.options.some(({ name }) => textUnless.includes(name))
  return isText && read.operands.length > 0 ? [...values, read.operands[0]!] : values
}

/** What a glob leaves out is not read. */
const isSearchWord = (searchWords: string[], name: string, value: string): boolean =>
  searchWords.includes(name) || (['g', 'glob', 'iglob'].includes(name) && value.startsWith('!'))

/** A value stands alone, or at the end of an argument with its option. */
const asGiven = (args: string[], value: string): string =>
  args.includes(value) ? value : (args.find((arg) => arg.startsWith('-') && arg.endsWith(value)) ?? value)
