import type { SimpleCommand, Word } from './cursor.ts'
import { isShell, scriptOf } from './other-commands.ts'
import { readCommands } from '../reading/read-commands.ts'
import { isSource, startedBy } from './started.ts'

// Finds the words and inputs of a command that are commands themselves. In doubt they are.

/** A program in lower case, as some file systems find it, without its folder and the endings of Windows. Pure. */
export const programOf = (word: string): string =>
  word
    .slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|ps1)$/, '')

/** Commands after which a name stands for another program. Pure. */
export function changesNames(name: string, args: string[]): boolean {
  if (name === 'git')
    return args.some(
      (arg) =>
        /(^|\s)(alias\.|help\.autocorrect|include(if)?\.)|^for-each-repo$/i.test(arg) ||
        arg.startsWith('--config-env'),
    )
  return name === 'alias' || (name === 'hash' && args.length > 0) || name === 'enable'
}

/** `config`: git starts the programs that stand there. */
const gitRuns = /^(foreach|run|alias|config|filter-branch|difftool|mergetool|-c|-[xO].*)$/s
const gitRunsLong = [
  '--exec',
  '--extcmd',
  '--upload-pack',
  '--receive-pack',
  '--open-files-in-pager',
  ...['env', 'tree', 'index', 'parent', 'msg', 'commit', 'tag-name'].map((what) => `--${what}-filter`),
]
const findRuns = /^-(exec|execdir|ok|okdir)$/
/** Programs that take a text for what it is: no argument is a program. */
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
/** Options by which these programs start others all the same. */
const startingOptions: Record<string, RegExp> = {
  sort: /^--comp/,
  rg: /^--(pre|hostname-bin)(=|$)/,
  arch: /./,
}

/** Whether a program may start its arguments. Every one may that is not known better. Pure. */
export function mayStartOthers(name: string, args: string[]): boolean {
  if (name === 'git')
    return args.some(
      (arg) =>
        gitRuns.test(arg) ||
        isShortened(arg, gitRunsLong) ||
        (arg.startsWith('-u') && args.includes('clone')),
    )
  if (name === 'find') return args.some((arg) => findRuns.test(arg))
  if (name === 'command') return true
  if (name === 'awk' || name === 'sed') return args.some((arg) => /\bsystem\b|\||[ew]\b/.test(arg))
  const starting = Object.hasOwn(startingOptions, name) ? startingOptions[name]! : null
  return !takesTexts.has(name) || (starting !== null && args.some((arg) => starting.test(arg)))
}

/** Git takes the start of a long option for all of it. */
function isShortened(arg: string, options: string[]): boolean {
  const name = arg.split('=', 1)[0]!
  return name.length > 3 && options.some((option) => option.startsWith(name))
}

/** What `xargs`, `find` and others replace by what they read or find. Pure. */
export function marksOf(name: string, args: Word[]): string[] {
  if (name !== 'xargs') return ['{}']
  const chosen = args.flatMap(({ text }, at) => {
    const [, glued] = /^-\w*[IJ](.*)$/s.exec(text) ?? /^--replace=(.*)$/s.exec(text) ?? []
    return glued === undefined ? [] : [glued || (args[at + 1]?.text ?? '')]
  })
  // The last one counts.
  return ['{}', ...chosen.filter(Boolean).slice(-1)]
}

const interpreters =
  /^(python|pypy|perl|ruby|node|nodejs|php|lua|luajit|deno|bun|osascript|tclsh|expect|rscript|julia)[\d.]*$/

/** Whether a program takes a text in another language than that of shells. Pure. */
export const isInterpreter = (name: string): boolean => interpreters.test(name)

const describing = /^(-m|--(message|title|body|notes|description))(=|$)/
const describers = ['git', 'gh', 'glab', 'hg', 'jj', 'svn', 'fossil']

/**
 * Arguments that may be programs: those with white space, except the texts with which changes are described, and what compilers start
 * by `-wrapper a,b`. Pure.
 */
export function scriptsIn(name: string, args: Word[]): string[] {
  const isDescribed = (at: number): boolean =>
    describers.includes(name) &&
    (describing.test(args[at]!.text) || describing.test(args[at - 1]?.text ?? ''))
  const isScript = isInterpreter(name) ? /[\s("']/ : /\s/
  const wrapped = args.flatMap(({ text }, at) =>
    args[at - 1]?.text === '-wrapper' ? [text.replaceAll(',', ' ')] : [],
  )
  const texts = args
    .filter(({ text }, at) => isScript.test(text.trim()) && !isDescribed(at))
    .flatMap(({ text }) => [
      // `--exec=`, `core.pager=`, `EXEC:`, and the `!` by which editors and pagers start a program.
      text.replace(/^-{0,2}(?:[\w.-]+[=:])*[+:]*!?/, ''),
      ...(/^-[A-Za-z][^\s=-]/.test(text) ? [text.slice(2)] : []),
    ])
  return [...wrapped, ...texts]
}

/** Without a command of their own these run what they read. */
const runsInput = new Set('at batch crontab su runuser newgrp ssh parallel pwsh'.split(' '))

/** Whether a command may run what it reads, or a value that it is given: its text does not tell which. Pure. */
export function obeysInput(name: string, args: Word[], { inputs, redirects, isFed }: SimpleCommand): boolean {
  const reads = isFed === true || inputs.length > 0 || redirects.some(({ writes }) => !writes)
  return (
    isShellOnInput(name, args, reads, wrappersMax) ||
    (/^g?sed$/.test(name) && sedScripts(args).some(runsLines)) ||
    (evaluates.has(name) && args.some(({ text }) => runsInSubscript(text)))
  )
}

const wrappersMax = 8

/** Without a command of its own `parallel` runs the lines of files. */
const namesCommands = (text: string): boolean => isSource(text) || /^(-a|--arg-file)/.test(text)

function isShellOnInput(name: string, args: Word[], reads: boolean, left: number): boolean {
  const texts = args.map(({ text }) => text)
  const isAlone = texts.every((arg) => arg.startsWith('-') || arg === '/dev/stdin')
  if (isShell(name)) return isAlone && scriptOf(name, texts) === null
  const started = startedBy(name, args)
  if (runsInput.has(name) && !started) return reads || (name === 'parallel' && texts.some(namesCommands))
  if (started && 'words' in started) {
    const [first, ...rest] = started.words
    return left > 0 && isShellOnInput(programOf(first!.text), rest, reads, left - 1)
  }
  // The shell may be the last operand, as in `docker exec -i NAME sh`.
  const last = texts.findLastIndex((arg) => !arg.startsWith('-'))
  return reads && !takesTexts.has(name) && last >= 0 && isShell(programOf(texts[last]!))
}

/** The scripts of a `sed`. */
function sedScripts(args: Word[]): string[] {
  const given = args.flatMap(({ text }, at) => {
    if (/^-[a-zA-Z]*e$|^--expr\w*$/.test(text)) return [args[at + 1]?.text ?? '']
    return /^-e|^--expr\w*=/.test(text) ? [text.replace(/^-e|^--expr\w*=/, '')] : []
  })
  return given.length > 0 ? given : [args.find(({ text }) => !text.startsWith('-'))?.text ?? '']
}

/** Whether a script of GNU sed may run the lines themselves: by `e`, alone or behind a replacement. */
const runsLines = (script: string): boolean =>
  script.split(/[;\n}]/).some((given) => {
    const part = given.trimEnd()
    let at = part.length
    while (at > 0 && /[A-Za-z0-9]/.test(part[at - 1]!)) at--
    const flags = part.slice(at)
    return at === 0 || /[\s\\]/.test(part[at - 1]!) ? /^\d*e$/.test(flags) : flags.includes('e')
  })

/** Commands that evaluate the subscript of a name, which can run commands, also between single quotes. */
const evaluates = new Set(['test', '[', '[[', 'printf', 'read', 'unset'])

function runsInSubscript(text: string): boolean {
  const at = text.indexOf('[')
  return at >= 0 && /\$\(|`/.test(text.slice(at))
}
