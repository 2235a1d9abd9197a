import { formatsPlainly, namesObjects } from './allowed-arguments.ts'
import { isHarmlessGlob } from '../sensitive-paths.ts'
import type { Arguments, ReadCommand } from './options.ts'

const logFlags = 'pqrstuvzmwbiMC'
const logLong =
  'oneline graph decorate? no-decorate all branches? tags? remotes? stat? numstat shortstat summary name-only name-status patch ' +
  'no-patch patch-with-stat first-parent merges no-merges reverse follow no-color color? abbrev-commit no-abbrev-commit abbrev? ' +
  'cached staged quiet raw full-index binary check no-renames find-renames? ignore-all-space ignore-space-change minimal ' +
  'histogram patience word-diff? color-words? exit-code diff-filter= format= pretty? date= since= after= until= before= author= ' +
  'committer= grep= max-count= skip= unified? relative? no-ext-diff no-textconv no-merge-base merge-base topo-order date-order ' +
  'compact-summary dirstat? left-right cherry-pick not no-prefix null submodule? no-notes regexp-ignore-case'
const log: ReadCommand = {
  searchWords: ['S', 'G', 'grep', 'author', 'committer'],
  readsFolders: true,
  pathspecs: true,
  allows: formatsPlainly,
  flags: logFlags,
  valued: 'nSGL',
  glued: 'U',
  digits: true,
  long: logLong,
}

/** `git branch NAME` makes one, `git tag NAME` too. */
const lists =
  (...options: string[]) =>
  (args: Arguments): boolean =>
    formatsPlainly(args) &&
    (args.operands.length === 0 || args.options.some(({ name }) => options.includes(name)))

/** The subcommands of git that only read. Diffs may run programs only where the configuration says so, which is guarded. */
const readSubcommands: Record<string, ReadCommand> = {
  status: {
    tellsNames: true,
    flags: 'sbvz',
    glued: 'u',
    long: 'short branch show-stash porcelain? long verbose untracked-files? ignored? ahead-behind no-renames',
  },
  log,
  show: log,
  diff: { ...log, allows: (args) => comparesNoFolders(args) && formatsPlainly(args) },
  shortlog: { flags: 'nsec', long: 'numbered summary email all no-merges since= until= group=' },
  whatchanged: log,
  'rev-list': { ...log, long: `${logLong} count objects parents timestamp` },
  'diff-tree': log,
  'rev-parse': {
    flags: 'q',
    long:
      'abbrev-ref? short? verify show-toplevel show-prefix show-cdup is-inside-work-tree is-inside-git-dir git-dir absolute-git-dir ' +
      'git-common-dir symbolic-full-name is-bare-repository is-shallow-repository quiet branches? all',
  },
  'ls-files': {
    tellsNames: true,
    flags: 'cdkmostuvz',
    valued: 'x',
    long:
      'cached deleted modified killed others stage unmerged ignored exclude-standard exclude= full-name error-unmatch directory ' +
      'no-empty-directory eol deduplicate abbrev?',
    listsOnly: true,
  },
  'ls-tree': {
    flags: 'drtlz',
    long: 'name-only name-status full-name full-tree long abbrev? format=',
    listsOnly: true,
    allows: formatsPlainly,
  },
  'cat-file': { flags: 'tspe', pathspecs: true, allows: namesObjects },
  blame: {
    pathspecs: true,
    flags: 'bcefklnpstw',
    valued: 'L',
    long: 'porcelain line-porcelain show-email date= since= color-lines',
  },
  grep: {
    pathspecs: true,
    flags: 'acEFGHhiIlLnoPpqvwWz',
    valued: 'ABCefm',
    long:
      'count extended-regexp fixed-strings perl-regexp ignore-case files-with-matches name-only line-number column ' +
      'only-matching word-regexp invert-match cached show-function heading break color? max-count= max-depth= and or not',
    textUnless: ['e', 'f'],
    searchWords: ['e'],
  },
  describe: { long: 'tags all always dirty? long abbrev= match= exact-match contains first-parent' },
  'merge-base': { flags: 'a', long: 'all is-ancestor octopus fork-point independent' },
  'name-rev': { long: 'name-only tags always' },
  'for-each-ref': {
    long: 'format= sort= count= points-at= contains? merged? no-merged?',
    allows: formatsPlainly,
  },
  'show-ref': { flags: 'sqd', long: 'head heads tags verify hash? abbrev? quiet dereference' },
  'count-objects': { flags: 'vH', long: 'verbose human-readable' },
  'check-attr': { flags: 'az', long: 'all cached', listsOnly: true },
  'check-ignore': { tellsNames: true, flags: 'qvnz', long: 'quiet verbose non-matching no-index' },
  version: {},
  cherry: { flags: 'v', long: 'verbose abbrev?' },
  'symbolic-ref': { flags: 'q', long: 'short quiet', operandsMax: 1 },
  config: { long: 'get local global', operandsMax: 1, allows: isPlainSetting },
  branch: {
    flags: 'arvi',
    long: 'all remotes verbose list show-current contains? merged? no-merged? sort= format= color? no-color points-at=',
    allows: lists('list', 'contains', 'merged', 'no-merged', 'points-at'),
  },
  tag: {
    flags: 'li',
    glued: 'n',
    long: 'list sort= format= contains? merged? no-merged? points-at=',
    allows: lists('list', 'l', 'n', 'contains', 'merged', 'no-merged', 'points-at'),
  },
  remote: { flags: 'v', long: 'verbose', operandsMax: 0 },
}

/**
 * Outside a repository `git diff` shows every file of two folders, hidden ones too: two operands are below folders with a name, as
 * of `grep -r`, or revisions.
 */
function comparesNoFolders({ operands }: Arguments): boolean {
  const isPlain = (text: string) =>
    /^(\.\/)?[^./~]/.test(text) && !/\/\.*(\/|$)/.test(text) && !mayBeShortName.test(text)
  return operands.length < 2 || operands.every(isPlain)
}

/** `git config NAME` shows a setting. Addresses and commands in others may contain tokens. */
function isPlainSetting({ operands }: Arguments): boolean {
  return /^(user\.(name|email)|(core|init|pull|push|commit|merge|rebase|fetch)\.(?!\w*(command|proxy|askpass))\w+)$/i.test(
    operands[0] ?? '',
  )
}

/** A short name of Windows, `ENV~1` for `.env`, has up to six characters before the sign, which stands here as `^`. */
const mayBeShortName = /^(?!(HEAD|@|main|master)\^)[^^/]{1,6}\^\d|\/[^^/]{1,6}\^\d/

/** Subcommands whose first word says whether they read. */
const readActions: Record<string, Record<string, ReadCommand>> = {
  stash: { list: log, show: log },
  worktree: { list: { flags: 'vz', long: 'porcelain verbose' } },
  // Without the messages, in which addresses with tokens may stand.
  reflog: { exists: {} },
  notes: { list: {}, show: {} },
  remote: { 'get-url': { long: 'all push', operandsMax: 1 } },
}

const networkSubcommands = [
  'push',
  'fetch',
  'pull',
  'clone',
  'ls-remote',
  'send-email',
  'svn',
  'p4',
  'request-pull',
  'fetch-pack',
  'send-pack',
  'http-fetch',
  'http-push',
  'imap-send',
  'daemon',
]
const networkHelper = /^remote-\w+$/
const networkActions: Record<string, string[]> = {
  remote: ['show', 'update', 'prune'],
  submodule: ['update', 'add'],
  lfs: ['push', 'pull', 'fetch', 'clone'],
  subtree: ['push', 'pull', 'add'],
  annex: ['sync', 'copy', 'get'],
}

export type GitCommand =
  | { is: 'reads'; command: ReadCommand; args: string[]; isAtRoot: boolean }
  | { is: 'network' }
  | { is: 'runs' }

/**
 * What a git command is, by its words after `git`. Only options that change nothing may stand before the subcommand. Pure.
 * @param isRoot  whether a folder is the one that the gate takes for the working folder
 */
export function gitCommand(words: string[], isRoot: (folder: string) => boolean): GitCommand {
  let at = 0
  let isPlain = true
  let isAtRoot = false
  for (; words[at]?.startsWith('-'); at++) {
    const option = words[at]!
    if (option === '-C' || option === '-c') {
      const folder = words[++at] ?? ''
      isPlain &&= option === '-C' && isRoot(folder)
      isAtRoot ||= folder.startsWith('/')
    } else isPlain &&= ['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs'].includes(option)
  }
  const [name = '', ...args] = words.slice(at)
  const isRemoteAction =
    own(networkActions, name)?.includes(args.find((a) => !a.startsWith('-')) ?? '') ?? false
  if (networkSubcommands.includes(name) || networkHelper.test(name) || isRemoteAction)
    return { is: 'network' }
  if (name === 'archive' && args.some((arg) => arg.startsWith('--remote'))) return { is: 'network' }
  if (!isPlain) return { is: 'runs' }
  const action = own(own(readActions, name) ?? {}, args[0] ?? '')
  if (action) return { is: 'reads', command: asGitReads(action), args: args.slice(1), isAtRoot }
  const command = own(readSubcommands, name)
  return command ? { is: 'reads', command: asGitReads(command), args, isAtRoot } : { is: 'runs' }
}

/** Whether a command uses the network as one of git: `git push`, or `git-push`, which is the same. Pure. */
export function isNetworkGit(name: string, args: string[]): boolean {
  const words = name === 'git' ? args : name.startsWith('git-') ? [name.slice('git-'.length), ...args] : null
  return words !== null && gitCommand(words, () => true).is === 'network'
}

const asGitReads = (command: ReadCommand): ReadCommand => ({
  ...command,
  optionsAnywhere: true,
  allows: (args, hasMoved) => args.options.every(isPlainFormat) && (command.allows?.(args, hasMoved) ?? true),
})

const knownFormats = /^(|oneline|short|medium|full|fuller|reference|email|mboxrd|raw)$/

/** `%G?` and `%(signature)` start gpg, `%(push:remotename)` may be an address with a token; any other word is from the configuration. */
function isPlainFormat({ name, value }: Arguments['options'][number]): boolean {
  if (value === null || !['format', 'pretty', 'group', 'sort'].includes(name)) return true
  if (/%[-+ ]?G|signature|remote(name|ref)/.test(value)) return false
  return !['format', 'pretty'].includes(name) || knownFormats.test(value) || /^t?format:|%/.test(value)
}

const own = <T>(table: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/**
 * The paths that an operand of git names beside itself: the one in a revision, as in `HEAD:a.ts` and `:0:a.ts`, and what
 * `:(icase)a.ts` and `'src/*'` stand for. Git replaces wildcards itself, also in quotes. Pure.
 */
export function pathsInOperand(text: string): { text: string; isGlob: boolean }[] {
  if (excludes.test(text)) return []
  // A revision may contain a colon itself: `HEAD^{/fix: x}:a.ts`.
  const rests = new Set([text.replace(magic, ''), text.slice(text.lastIndexOf(':') + 1)])
  return [...rests]
    .map((rest) => ({ text: withoutLastStars(rest), isGlob: false }))
    .map((part) => ({ ...part, isGlob: /[*?[]/.test(part.text) && !isHarmlessGlob(part.text) }))
    .filter((part) => part.text !== '' && (part.text !== withoutLastStars(text) || part.isGlob))
}

const excludes = /^:([!^]|\([^)]*exclude)/
const magic = /^:\([^)]*\)|^:\/|^[^:]*:/

/** `src/**` is what `src` is. */
function withoutLastStars(pattern: string): string {
  const parts = pattern.split('/')
  while (/^\*{1,2}$/.test(parts.at(-1) ?? '')) parts.pop()
  return parts.join('/')
}
