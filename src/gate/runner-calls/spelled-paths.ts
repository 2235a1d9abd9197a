import type { Argument } from './command/runs.ts'
import { climbsAfterName, folderAt, isAbsolute, resolvePath } from './paths.ts'
import type { ResolvedPath } from './paths.ts'
import { type Effort, type PatternWalk, textsOf, walkPattern } from './pattern-walk.ts'
import type { Pattern } from './rules.ts'
import { fold, fromRoot, homeFolder } from './sensitive-paths.ts'

/** A folder that a relative path may start from; null: unknown. */
export type Folder = ResolvedPath | null

/** The folder that a call starts in, and those that its commands may have moved to. Pure. */
export function foldersOf(cwd: string | null, moved: (string | null)[]): Folder[] {
  const first = cwd === null ? null : folderAt(cwd, null)
  let folders: Folder[] = [first]
  // A `cd` may fail, so what comes after it may run in either folder.
  for (const path of moved.slice(0, movesMax))
    folders = folders.flatMap((from) => [from, path === null ? null : folderAt(path, from)])
  return moved.length > movesMax ? [...folders, null] : folders
}

const movesMax = 2

/** A way to write a word; its end may be open. */
export interface Spelling {
  text: string
  isOpen: boolean
}

/** The ways to write a word. What is no path can be written in one. Pure. */
export function spellingsOf(word: Argument, folders: Folder[]): Spelling[] {
  if (!('text' in word)) return [{ text: word.startsWith, isOpen: true }]
  const { text } = word
  if (!/[/\\]|^[.~]/.test(text)) return [{ text, isOpen: false }]
  const paths = folders.flatMap((folder) => pathsOf(text, folder))
  return [...new Set([text, ...paths])].map((path) =>
    path === null ? { text: '', isOpen: true } : { text: path, isOpen: false },
  )
}

/**
 * A path as it is seen from the root, from a folder, and from the home folder that it may be in; null: also any other. White space
 * around it and `file:` may be taken away by the tool that opens it.
 */
function pathsOf(text: string, folder: Folder): (string | null)[] {
  const opened = fileName(text)
  return opened === text
    ? pathsFrom(text, folder)
    : [...pathsFrom(text, folder), ...pathsFrom(opened, folder)]
}

const fileScheme = /^file:(\/\/[^/]*)?/i

function fileName(text: string): string {
  const path = text.trim()
  if (!fileScheme.test(path)) return path
  try {
    return decodeURIComponent(path.replace(fileScheme, ''))
  } catch {
    // No path is in doubt like this one.
    return '$'
  }
}

function pathsFrom(text: string, folder: Folder): (string | null)[] {
  const path = text.includes('\\') ? text.replaceAll('\\', '/') : text
  if (climbsAfterName(path) || namesNoFile.test(path)) return [null]
  if (folder === null && !isAbsolute(path))
    return /(^|\/)\.\.(\/|$)/.test(path) ? [null] : [relativeText(resolvePath(path, null)), null]
  const full = resolvePath(path, folder)
  const isBelow =
    folder !== null &&
    full.start === folder.start &&
    folder.segments.every((segment, i) => full.segments[i] === segment)
  const absolute = `${full.start}/${full.segments.join('/')}`
  const relative = isBelow && folder ? [full.segments.slice(folder.segments.length).join('/') || '.'] : []
  const short = fromRoot(absolute)
  return [absolute, ...relative, ...(short === absolute ? [] : [short]), ...fromHome(short)]
}

/** Nobody tells the gate whose home folder `~` is. */
function fromHome(path: string): string[] {
  const home = inHome.exec(path)?.[1]
  return home === undefined ? [] : [`~${path.slice(home.length)}`]
}

const inHome = new RegExp(`^(${homeFolder})(?=/|$)`, 'i')

const relativeText = ({ segments }: ResolvedPath): string => segments.join('/')

/** Other names of files: of descriptors and of the folders of processes, by numbers, on other machines, by variables. */
const namesNoFile = /^\/\/|^\/(proc|dev\/fd|\.vol|\.file)(\/|$)|[$%`]|[\p{C}\p{Zl}\p{Zp}]/iu

/** What a field names, prepared for many patterns. */
export interface ReadPath {
  /** Each as it is written and in its one spelling; null: any path. */
  spelled: ({ path: string; folded: string } | null)[]
  /** Anything may follow. */
  isWild: boolean
  /** A path from a folder that is not known can still be told from a pattern that starts there. */
  isTold: boolean
}

/** Pure. @param cwd  where it may start from; null: unknown */
export function readPath(text: string, cwd: string | null): ReadPath {
  const folder = cwd === null ? null : folderAt(cwd, null)
  const wild = /[*?[{]/.exec(text)
  const paths = wild ? pathsOf(text.slice(0, wild.index), folder) : pathsOf(text, folder)
  return {
    spelled: paths.map((path) => (path === null ? null : { path, folded: foldPath(path) })),
    isWild: wild !== null,
    isTold: folder === null && !text.includes('..') && !namesNoFile.test(text),
  }
}

/** Whether a pattern matches a path, or may. @param effort  it is used up */
export function pathMatches(
  pattern: Pattern,
  { spelled, isWild, isTold }: ReadPath,
  effort: Effort,
): boolean {
  const isAnchored = textsOf(pattern).some((one) => /^([/~*?]|[A-Za-z]:)/.test(one.text))
  const walks = pathWalks(pattern, effort)
  return spelled.some((one) => {
    if (one === null) return isAnchored || !isTold
    const isMatched = walks.some(({ walk, isFolded }) => {
      const states = walk.read(walk.start, isFolded ? one.folded : one.path)
      return walk.isEnd(isWild ? walk.readAnything(states) : states)
    })
    return isMatched || (one.path.startsWith('~') && isAnchored)
  })
}

/** Walks the pattern as it is written, and in the spelling that stands for all those that a file system may take for the same. */
function pathWalks(pattern: Pattern, effort: Effort): { walk: PatternWalk; isFolded: boolean }[] {
  return textsOf(pattern).flatMap(({ text: given, sign }) => {
    const plain = given
      .replaceAll('\\', '/')
      .replace(fileScheme, '')
      .replaceAll(/(?<=\/)\.\/|(?<=[^/:]\/)\/+|^\.\/+/g, '')
    const short = fromRoot(plain)
    const text = /^\/[^*?/]/.test(short) ? short : plain
    return [
      { walk: walkPattern(plain, sign, effort), isFolded: false },
      { walk: walkPattern(foldPath(plain), sign, effort), isFolded: true },
      ...(text === plain ? [] : [{ walk: walkPattern(foldPath(text), sign, effort), isFolded: true }]),
    ]
  })
}

const foldPath = (path: string): string => path.split('/').map(fold).join('/')
