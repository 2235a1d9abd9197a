import { isHarmlessGlob } from '../sensitive-paths.ts'
import type { Arguments } from './options.ts'

// What must hold of the arguments of single commands beside the list of their options.

/** `grep -r` reads hidden files, also those with credentials: only below a folder with a name, or only files of given names. */
export function readsNoHiddenFiles(args: Arguments, hasMoved: boolean): boolean {
  const { options, operands } = args
  if (!isRecursive(args)) return true
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

/** For `rg` a glob that matches hidden files includes them. */
export function selectsNoHiddenFiles({ options }: Arguments): boolean {
  const globs = options.filter(({ name }) => ['g', 'glob', 'iglob'].includes(name))
  return globs.every(({ value }) => value!.startsWith('!') || isHarmlessGlob(value!))
}

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

/** `tar tf FILE` or `tar -tf FILE`. A name with a colon is one on another machine. */
export function onlyListsWithTar({ options, operands }: Arguments): boolean {
  const letters = options.length > 0 ? options.map(({ name }) => name).join('') : (operands[0] ?? '')
  const names = [...operands, ...options.map(({ value }) => value ?? '')]
  return /^[tzvjJf]+$/.test(letters) && /t.*f|f.*t/.test(letters) && !names.some((name) => name.includes(':'))
}

/** `unzip -l FILE`. With `-p` it would print, without one of these extract. */
export const onlyListsWithUnzip = ({ options, operands }: Arguments): boolean =>
  operands.length > 0 &&
  options.some(({ name }) => ['l', 'v', 'Z'].includes(name)) &&
  !options.some(({ name }) => name === 'p')
