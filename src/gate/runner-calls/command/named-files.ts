import { knownWord } from './cursor.ts'
import type { SimpleCommand, Word } from './cursor.ts'
import { readFind } from './find.ts'
import type { Find } from './find.ts'
import { takesAnyWords } from './started.ts'
import type { Xargs } from './started.ts'

// Which files a command gives to another one, as words that stand for them.

const fileMax = 8

/** Stands for all files of a `find` inside the working folder. Pure. */
export const filesOfFind = ({ names }: Pick<Find, 'names'>): Word[] =>
  names === null || names.length > fileMax || names.length === 0 ? [anyFile] : names.map(fileNamed)

const anyFile: Word = { text: './*', isGlob: true, isOpen: 'no' }

const fileNamed = (name: string): Word =>
  /[/\\[]/.test(name) ? anyFile : { text: `./${name}`, isGlob: /[*?]/.test(name), isOpen: 'no' }

/**
 * Stands for the files that a command inside the working folder names to `xargs`; null: its output is other than names, or the
 * program that is started could take a part of a name for an option. Pure.
 */
export function namedFiles(command: SimpleCommand, xargs: Xargs): Word[] | null {
  const [first, ...args] = command.words
  if (!first) return null
  const texts = args.map(({ text }) => text)
  const program = xargs.words[0]!.text
  if (command.reads && passesLines(first.text, texts))
    return takesAnyWords.has(program) ? namedFiles(command.reads, xargs) : null
  const find = first.text === 'find' ? readFind(texts) : null
  if (find) {
    if (texts.some((arg) => /^-(ls|printf|exec)$/.test(arg))) return null
    const between = texts.includes('-print0') ? 'zero' : 'line'
    // Each name starts with that of a folder, so none is an option.
    const isWhole = xargs.between === between && find.folders.length > 0
    return isWhole || takesAnyWords.has(program) ? filesOfFind(find) : null
  }
  if (!takesAnyWords.has(program)) return null
  if (first.text === 'ls') return texts.every((arg) => /^(-[1adrtSA]+|[^-].*)$/.test(arg)) ? [anyFile] : null
  if (first.text === 'git') return filesOfGit(texts)
  // These commands also show what they find.
  const isSearch = ['grep', 'rg'].includes(first.text)
  return isSearch && texts.some(tellsFiles) ? [fileNamed('*.ts')] : null
}

const commit = '0'.repeat(40)

/** The word with the name of a commit for each output, as an argument of git. Pure. */
export function commitsIn({ text, outputs = [] }: Word, [program]: Word[]): Word[] | null {
  if (program!.text !== 'git' || !outputs.every(({ command }) => tellsCommits(command))) return null
  let whole = text
  for (const { at } of outputs.toReversed()) whole = whole.slice(0, at) + commit + whole.slice(at)
  return /^\w/.test(whole) ? [knownWord(whole)] : null
}

/** Words for the files that the output names, for programs that do no more than to read them. Pure. */
export function filesIn({ text, outputs = [] }: Word, [program]: Word[]): Word[] | null {
  const [output, ...more] = outputs
  return output && text === '' && more.length === 0
    ? namedFiles(output.command, { words: [program!], mark: null, between: null })
    : null
}

/**
 * Whether a command prints the names of commits, as `git merge-base main HEAD` does: no option, and no file is called so. `git rev-parse`
 * prints the name of a file where it knows no such commit.
 */
function tellsCommits({ words: [first, second, ...args], reads }: SimpleCommand): boolean {
  if (reads || first?.text !== 'git') return false
  const texts = args.map(({ text }) => text)
  const operands = texts.filter((text) => !text.startsWith('-'))
  switch (second?.text) {
    case 'merge-base':
      return operands.length === texts.length
    case 'rev-parse':
      return operands.length === 1 && /^(--short )?(--verify \S+|(HEAD|@)([~^]\d*)*)$/.test(texts.join(' '))
    case 'rev-list':
      return texts.every((text) =>
        /^(-1|-n1|--max-count=1|--(all|merges|no-merges|first-parent)|[^-].*)$/.test(text),
      )
    default:
      return false
  }
}

/** Whether a filter prints only lines that it was given, each as a whole. */
function passesLines(name: string, args: string[]): boolean {
  switch (name) {
    case 'sort':
      return args.every((arg) => /^-[rnuVf]+$/.test(arg))
    case 'uniq':
      return args.length === 0
    case 'head':
    case 'tail':
      return /^(-n \+?\d+|-n\d+|-\d+)?$/.test(args.join(' '))
    case 'grep':
    case 'egrep':
      return args.every(
        (arg, at) => /^-[viEFwx]+$/.test(arg) || (at === args.length - 1 && !arg.startsWith('-')),
      )
    default:
      return false
  }
}

const tellsFiles = (arg: string): boolean =>
  (/^-[A-Za-z]+0?$/.test(arg) && arg.includes('l')) || arg === '--files-with-matches' || arg === '--files'

function filesOfGit(args: string[]): Word[] | null {
  const [name, ...rest] = args
  if (name === 'grep')
    return rest.some((arg) => tellsFiles(arg) || arg === '--name-only') ? [fileNamed('*.ts')] : null
  if (name === 'diff') return rest.includes('--name-only') ? [anyFile] : null
  if (name !== 'ls-files') return null
  const patterns = rest.filter((arg) => !/^-|^:[!^]/.test(arg))
  const isPlain = rest.every((arg) => !arg.startsWith('-') || arg === '-z' || arg === '--')
  // Without a wildcard it may be a folder, of which all files are named.
  const areNames = patterns.every((pattern) => /^[\w./@-]*\*[\w@-]*\.[\w.-]+$/.test(pattern))
  return isPlain && areNames
    ? filesOfFind({ names: patterns.map((pattern) => pattern.slice(pattern.lastIndexOf('/') + 1)) })
    : [anyFile]
}
