import { isPlainName } from '../secret-names.ts'
import { isHarmlessGlob } from '../sensitive-paths.ts'
import type { Arguments } from './options.ts'

// Checks of the arguments of single commands, beside the list of their options.

/** `grep -r` reads hidden files, also those with credentials: only below a folder with a name, or only files of given names. */
export function readsNoHiddenFiles(args: Arguments, hasMoved: boolean): boolean {
  const { options, operands } = args
  if (!isRecursive(args) || args.endsAtOperand) return true
  const included = options.filter(({ name }) => name === 'include')
  if (included.length > 0) return included.every(({ value }) => isHarmlessGlob(value!))
  const hasPattern = options.some(({ name }) => ['e', 'f', 'regexp', 'file'].includes(name))
  const folders = operands.slice(hasPattern ? 0 : 1)
  return (
    !hasMoved &&
    folders.length > 0 &&
    folders.every((folder) => /^(\.\/)?[A-Za-z0-9]/.test(folder) && !folder.includes('..'))
  )
}

export function isRecursive({ options }: Arguments): boolean {
  return options.some(
    ({ name, value }) =>
      ['r', 'R', 'recursive', 'dereference-recursive'].includes(name) ||
      (['d', 'directories'].includes(name) && value !== 'skip' && value !== 'read'),
  )
}

/** For `rg` a glob or a type that matches hidden files includes them: those of code are rarely hidden. */
export function selectsNoHiddenFiles({ options }: Arguments): boolean {
  const globs = options.filter(({ name }) => ['g', 'glob', 'iglob'].includes(name))
  const types = options.filter(({ name }) => name === 't' || name === 'type')
  return (
    globs.every(({ value }) => value!.startsWith('!') || isHarmlessGlob(value!)) &&
    types.every(({ value }) => isPlainName(`x.${value!}`) || codeTypes.includes(value!))
  )
}

const codeTypes =
  'rust python javascript typescript ruby java kotlin cpp csharp swift markdown perl haskell elixir erlang clojure css html sass protobuf golang make docker typst tf ocaml'.split(
    ' ',
  )

/** Comparisons of numbers are left out, `-ne` like two options too: some shells evaluate their operands. */
export function isPlainTest({ options, operands }: Arguments): boolean {
  return (
    options.length <= 1 &&
    operands.length <= 4 &&
    operands.every((text) => /^([\w./~!][\w./~!-]*)?$|^!?==?$/.test(text))
  )
}

/** Without arguments `set` prints every variable. */
export function isPlainSet({ options, operands }: Arguments): boolean {
  const settings = ['pipefail', 'errexit', 'nounset', 'xtrace']
  const isPlain = options.every(({ value }) => value === null || settings.includes(value))
  return isPlain && options.length > 0 && operands.length === 0
}

/** `ps e` shows the environment of processes. */
export function isPlainPs({ options, operands }: Arguments): boolean {
  const columns = options.filter(({ name }) => name === 'o').map(({ value }) => value!)
  const isPlain = columns.every((list) => /^[a-z%,=]+$/.test(list) && !list.includes('env'))
  return isPlain && operands.every((text) => ['aux', 'ax', 'auxww'].includes(text))
}

/** The programs of binutils replace `@file` with the words in that file, also where it is the value of an option. */
export function namesNoLists({ options, operands }: Arguments): boolean {
  return ![...operands, ...options.map(({ value }) => value)].some((text) => text?.startsWith('@'))
}

/** Whether a text has an escape for a character that starts a sequence which terminals obey. */
export const writesControls = (text: string): boolean =>
  /\\(e|[cm]-|0{0,2}(33|2[0-3][0-7])|[xu]\{?0*(1b|[89][0-9a-f]))/i.test(text)

export const printsPlainly = ({ operands }: Arguments): boolean =>
  /^([^%]|%%|%-?\d{0,3}s)*$/.test(operands[0] ?? '') && !writesControls(operands[0] ?? '')

/** `tr` reads escapes, and ranges between them may have a control character in between. */
export const replacesPlainly = ({ operands }: Arguments): boolean =>
  operands.every((set) => !writesControls(set) && !(/\\/.test(set) && /.-./.test(set)))

/** In a format of git, `%x1b` and `%1b` are escapes too. */
export const formatsPlainly = ({ options }: Arguments): boolean =>
  options.every(({ value }) => !writesControls(value ?? '') && !/%x?(1b|[89][0-9a-f])/i.test(value ?? ''))

/** The hash of a file names no file. */
export const namesObjects = ({ options, operands }: Arguments): boolean =>
  options.some(({ name }) => 'tse'.includes(name)) || !operands.some((text) => /^[0-9a-f]{4,64}$/i.test(text))

/** `ar t FILE` or `ar -t FILE`. */
export const onlyListsWithAr = (args: Arguments): boolean =>
  namesNoLists(args) && isListing(args, /^[tvO]+$/, ['t'])

/** `jar tf FILE` or `jar --list --file FILE`. */
export const onlyListsWithJar = (args: Arguments): boolean =>
  namesNoLists(args) && isListing(args, /^[tvf]+$/, ['t', 'list'])

/** The action is an option, or else the first operand. */
function isListing({ options, operands }: Arguments, letters: RegExp, actions: string[]): boolean {
  return options.length > 0
    ? options.some(({ name }) => actions.includes(name))
    : letters.test(operands[0] ?? '') && operands[0]!.includes('t')
}

/** `tar tf FILE` or `tar -tf FILE`. A name with a colon is one on another machine. */
export function onlyListsWithTar({ options, operands }: Arguments): boolean {
  const letters = options.length > 0 ? options.map(({ name }) => name).join('') : (operands[0] ?? '')
  const names = [...operands, ...options.map(({ value }) => value ?? '')]
  return (
    /^[tzvjJf]+$/.test(letters) &&
    letters.includes('t') &&
    letters.includes('f') &&
    !names.some((name) => name.includes(':'))
  )
}

/** `unzip -l FILE`. With `-p` it would print, without one of these extract. */
export const onlyListsWithUnzip = ({ options, operands }: Arguments): boolean =>
  operands.length > 0 &&
  options.some(({ name }) => ['l', 'v', 'Z'].includes(name)) &&
  !options.some(({ name }) => name === 'p')
