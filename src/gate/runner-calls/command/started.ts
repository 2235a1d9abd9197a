import type { Word } from './cursor.ts'

/** A command that another one starts. */
export type Started = { script: string } | { words: Word[]; isItself: boolean }

interface Wrapper {
  /** Short options with a value. */
  valued?: string
  /** Long options whose value is the next argument. */
  long?: string[]
  /** How many operands stand before the command. */
  operands?: number
  /** Options whose value is a script. */
  scripts?: RegExp
  /** Options with which it only starts the command, once, and with what stands there. */
  plain?: RegExp
}

const wrappers: Record<string, Wrapper> = {
  sudo: {
    valued: 'CDghpRrTtUu',
    long: ['user', 'group', 'host', 'prompt', 'chdir', 'role', 'type', 'other-user'],
  },
  doas: { valued: 'uC' },
  env: { valued: 'uCPS', long: ['unset', 'chdir', 'split-string'], scripts: /^(-\w*?S|--split-string)/ },
  xargs: {
    valued: 'aEdIJLnPRsS',
    long: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-lines', 'max-chars', 'replace'],
  },
  time: { valued: 'of', long: ['output', 'format'], plain: /^-p$/ },
  timeout: {
    valued: 'ks',
    long: ['kill-after', 'signal'],
    operands: 1,
    plain: /^-(k|s)?\w*$|^--(preserve-status|foreground)$/,
  },
  nohup: {},
  nice: { valued: 'n', long: ['adjustment'], plain: /^-n?\d*$/ },
  ionice: { valued: 'cn', long: ['class', 'classdata'] },
  chrt: { operands: 1 },
  taskset: { operands: 1 },
  exec: { valued: 'a' },
  command: { plain: /^-p$/ },
  builtin: {},
  setsid: {},
  stdbuf: { valued: 'ioe', long: ['input', 'output', 'error'] },
  unbuffer: {},
  busybox: {},
  toybox: {},
  caffeinate: { valued: 'tw' },
  strace: { valued: 'eopsuEPSIXabO' },
  ltrace: { valued: 'eopsun' },
  parallel: { valued: 'jIaCNn', long: ['jobs', 'max-args', 'colsep', 'delay', 'timeout'] },
  flock: { valued: 'wEc', long: ['timeout', 'command'], operands: 1, scripts: /^(-\w*?c|--command)/ },
  chroot: { operands: 1 },
  unshare: {},
  watch: { valued: 'nq', long: ['interval'] },
  ssh: { valued: 'BbcDEeFIiJLlmOoPpQRSWw', operands: 1 },
  su: { valued: 'cgGs', long: ['command', 'shell'], operands: 1, scripts: /^(-\w*?c|--command)/ },
  runuser: { valued: 'cgGsu', operands: 1, scripts: /^(-\w*?c|--command)/ },
  script: { valued: 'cEIOBTo', long: ['command'], operands: 1, scripts: /^(-\w*?c|--command)/ },
  // zsh has these two.
  noglob: {},
  nocorrect: {},
  pkexec: { valued: 'u', long: ['user'] },
  'systemd-run': { valued: 'pEuMHt', long: ['property', 'setenv', 'unit', 'uid', 'gid', 'slice'] },
  prlimit: {},
  setarch: { operands: 1 },
  torsocks: {},
  torify: {},
  proxychains: { valued: 'f' },
  proxychains4: { valued: 'f' },
  fakeroot: {},
  npx: { valued: 'cp', long: ['call', 'package'], scripts: /^(-c|--call)/ },
  bunx: {},
}

/**
 * The command that a program such as `sudo`, `xargs` or `timeout` starts, as far as its words tell; null: none. Pure.
 */
export function startedBy(name: string, args: Word[]): Started | null {
  // Homebrew's names of GNU programs begin with `g`.
  const known = [name, name.replace(/^g/, '')].find((one) => Object.hasOwn(wrappers, one))
  const wrapper = known === undefined ? null : wrappers[known]!
  if (!wrapper) return null
  let { operands = 0 } = wrapper
  let isItself = wrapper.plain !== undefined
  let at = 0
  for (; at < args.length; at++) {
    const { text } = args[at]!
    const isAssignment = /^\w+=/.test(text) && ['env', 'sudo', 'doas'].includes(known!)
    if (!text.startsWith('-') || text === '-') {
      if (!isAssignment && operands-- <= 0) break
      continue
    }
    if (text === '--') {
      at += 1 + operands
      break
    }
    isItself &&= wrapper.plain?.test(text) ?? false
    const isApart = text.startsWith('--')
      ? wrapper.long?.includes(text.slice(2)) === true
      : (wrapper.valued ?? '').includes(text.at(-1)!) && isFlags(text.slice(1, -1), wrapper)
    if (wrapper.scripts?.test(text))
      return { script: spaced(isApart ? (args[at + 1]?.text ?? '') : text.replace(wrapper.scripts, '')) }
    if (isApart) at++
  }
  const words = args.slice(at)
  if (words.length === 0 || (name === 'parallel' && isSource(words[0]!.text))) return null
  if (name === 'watch') return { script: words.map(({ text }) => text).join(' ') }
  return { words, isItself }
}

/** Whether `parallel` takes what follows for its arguments: `:::` for words, `::::` for the lines of files. Pure. */
export const isSource = (text: string): boolean => /^:{3,4}\+?$/.test(text)

/** `env -S` reads `\\_` as a space. */
const spaced = (script: string): string => script.replace(/^=/, '').replaceAll('\\_', ' ')

/** Whether letters are options without a value: after one with a value the rest is that value. */
const isFlags = (letters: string, { valued = '' }: Wrapper): boolean =>
  letters.split('').every((letter) => !valued.includes(letter))

/** How `xargs` makes its commands. */
export interface Xargs {
  words: Word[]
  /** Stands for a name in the words; null: the names come after them. */
  mark: string | null
  /** What stands between two names; null: white space, and quotes count. */
  between: 'zero' | 'line' | null
}

const marks = ['{}', '%', '@', 'FILE']

/** What an `xargs` starts, where it does only that; null where it reads a file, or in another way than is known here. Pure. */
export function readXargs(args: Word[]): Xargs | null {
  const read: Xargs = { words: [], mark: null, between: null }
  let at = 0
  for (; args[at]?.text.startsWith('-'); at++) {
    const { text } = args[at]!
    if (/^-[rtx]*0[rtx]*$|^--null$/.test(text)) read.between = 'zero'
    else if (/^-[nPL]$/.test(text) && /^\d+$/.test(args[at + 1]?.text ?? '')) at++
    else if (text === '-d' && args[at + 1]?.text === '\\n') {
      read.between = 'line'
      at++
    } else if (text === '-I' && marks.includes(args[at + 1]?.text ?? '')) read.mark = args[++at]!.text
    else if (/^-I./.test(text) && marks.includes(text.slice(2))) read.mark = text.slice(2)
    else if (!/^-([rtx]+|[nPL]\d+)$|^--no-run-if-empty$/.test(text)) return null
  }
  if (read.mark !== null) read.between ??= 'line'
  read.words = args.slice(at)
  return read.words.length > 0 ? read : null
}

/** Programs of which no option does more than to read files: other words than names of files make them do no harm beyond that. */
export const takesAnyWords = new Set(
  'cat head tail nl wc ls stat grep egrep fgrep basename dirname echo md5sum sha1sum sha256sum shasum cksum'.split(
    ' ',
  ),
)
