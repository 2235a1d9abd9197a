import type { Word } from '../command/cursor.ts'

/**
 * Why a consent to a command is not bound to all that it runs. `loads`: programs load other files. `unread`: the gate cannot read all of
 * it. `open`: names with variables or wildcards. `folder`: files in a folder that is not known. `outside`: files outside the working
 * folder. `many`: more than `limits.boundFilesMax`. `hook`: the hook tells nothing of files.
 */
export const unboundReasons = ['loads', 'unread', 'open', 'folder', 'outside', 'many', 'hook'] as const
export type UnboundReason = (typeof unboundReasons)[number]

/** A file that a command runs, or may run. */
export interface RunFile {
  /** The path as it is written: absolute, or from the folder in which the command starts. */
  path: string
  /** It is named as what runs: not only a word that may be a file. */
  isSure: boolean
  /** The program itself, or the manifest that says what it does. */
  isPinned: boolean
  /** The scripts of a `package.json` that run. */
  scripts: string[]
}

/** What a command line runs of files, as far as its text tells. */
export interface RunFiles {
  files: RunFile[]
  /** Paths of manifests, of each tool: where none of them is there, it may do what one in a folder above says. */
  manifests: string[][]
  unbound: Set<UnboundReason>
}

/** What is found while a line is read. */
export interface Reading extends RunFiles {
  /** Folders that the next command may start in, from the first one; null: unknown. */
  folders: (string | null)[]
  /** How many commands may still be read. */
  left: number
  depth: number
  /** Reads another line, as commands in a shell of its own. */
  readInner: (text: string, reading: Reading) => void
}

export const isRooted = (path: string): boolean => /^[/~]/.test(path)

/** The same path. `..` stays. */
const withoutDots = (path: string): string =>
  (path.startsWith('/') ? '/' : '') +
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')

/** A path from a folder, as it is written: `..` after a link is not where its text says. */
export const join = (folder: string, path: string): string =>
  folder === '' || isRooted(path) ? path : `${folder.replace(/(?<!\/)\/+$/, '')}/${path}`

/** Adds a file from each folder that the command may start in. */
export function addFile(
  word: Word,
  { files, folders, unbound }: Reading,
  { isSure, isPinned = false, scripts = [] }: { isSure: boolean; isPinned?: boolean; scripts?: string[] },
): void {
  if (word.text === '' && word.isOpen === 'no') return
  if (word.isInput) {
    unbound.add('unread')
    return
  }
  if (word.isOpen !== 'no' || word.isGlob) {
    unbound.add('open')
    return
  }
  for (const folder of folders) {
    if (folder === null && !isRooted(word.text)) {
      unbound.add('folder')
      continue
    }
    const path = pathFrom(folder, word.text)
    const known = files.find((file) => file.path === path)
    if (!known) files.push({ path, isSure, isPinned, scripts })
    else {
      known.isSure ||= isSure
      known.isPinned ||= isPinned
      known.scripts = [...new Set([...known.scripts, ...scripts])]
    }
    if (files.length > candidatesMax) {
      files.length = candidatesMax
      unbound.add('many')
      return
    }
  }
}

/** Notes that a tool reads one of these files, or else one of a folder above. */
export function noteManifests(names: string[], { folders, manifests }: Reading): void {
  if (names.length > 0)
    for (const folder of folders) manifests.push(names.map((name) => pathFrom(folder, name)))
}

const pathFrom = (folder: string | null, path: string): string => withoutDots(join(folder ?? '', path))

/** More than are bound, because some lie outside. */
const candidatesMax = 64
