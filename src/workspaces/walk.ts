import { lstat } from 'node:fs/promises'
import { limits } from '../limits.ts'
import { compareBytes } from './byte-order.ts'
import { readEntries } from './folder-entries.ts'
import { type IgnoreRules, isIgnored } from './gitignore.ts'
import { isHiddenName } from './hidden.ts'
import { rulesWithin } from './ignore-files.ts'
import { asAbsent, openExactly } from './open-exactly.ts'
import type { FileEntry } from './store.ts'
import { type Walk, isOver, isSpent } from './walk-bounds.ts'

/** A folder of the workspace. */
interface Place {
  /** Relative to the workspace; ends with `/` unless empty. */
  path: string
  parts: string[]
  /** The rules that hold for this folder itself, the innermost .gitignore's first. */
  above: IgnoreRules[]
}

/**
 * Finds the files after a path, some at a time, by the bytes of their paths. A folder that ends before that path is not
 * opened, so a late page costs no more than an early one. No link is followed: each folder is read by its number, once it
 * is proven to lie where it was asked for.
 */
export function walkFiles(walk: Walk, after: string): AsyncGenerator<FileEntry[]> {
  return walkFolder(walk, { path: '', parts: [], above: [] }, after)
}

/** @param after  relative to the folder; empty: from its beginning */
async function* walkFolder(walk: Walk, place: Place, after: string): AsyncGenerator<FileEntry[]> {
  const path = `${walk.root}/${place.path}`
  const folder = await openExactly(path.slice(0, -1), 'folder')
  if (!folder) return
  walk.foldersLeft--
  try {
    let rules: IgnoreRules[] | undefined
    let isNext = (name: string) => mayHoldAfter(name, after)
    for (;;) {
      const batch = await readEntries(folder.name, (name) => isNext(name) && !isHidden(walk, name))
      walk.entriesLeft -= batch.seen
      if (batch.seen > limits.folderEntriesMax) {
        walk.leftOut.add(`${place.path || 'the workspace'} (more than ${limits.folderEntriesMax} entries)`)
        return
      }
      const isRuled = walk.view === 'shown' && batch.hasIgnoreFile
      rules ??= isRuled ? await rulesWithin(path, place.parts.length, place.above) : place.above
      yield* walkEntries(walk, { ...place, above: rules }, { folder: folder.name, names: batch.names, after })
      if (batch.isLast || isOver(walk)) return
      const last = batch.names.at(-1)!
      isNext = (name) => compareBytes(name, last) > 0
    }
  } finally {
    await folder.handle.close()
  }
}

/** Whether an entry comes after a path, or is a folder that holds what does; both relative to one folder. */
function mayHoldAfter(name: string, after: string): boolean {
  return compareBytes(name, after) > 0 || (name.endsWith('/') && after.startsWith(name))
}

interface Batch {
  /** As the file system is to be asked for it. */
  folder: string
  names: string[]
  after: string
}

async function* walkEntries(walk: Walk, place: Place, batch: Batch): AsyncGenerator<FileEntry[]> {
  const files: string[] = []
  let previous = ''
  for (const name of batch.names) {
    // Two names that are no UTF-8 can read alike.
    if (name === previous || isIgnoredHere(walk, place, name)) continue
    previous = name
    if (!name.endsWith('/')) {
      files.push(name)
      if (files.length === limits.filesStatedAtOnce)
        yield await stated(walk, place, batch.folder, files.splice(0))
      continue
    }
    if (files.length > 0) yield await stated(walk, place, batch.folder, files.splice(0))
    yield* walkInto(walk, place, name, batch.after)
    if (isOver(walk)) return
  }
  if (files.length > 0) yield await stated(walk, place, batch.folder, files)
}

async function* walkInto(walk: Walk, place: Place, name: string, after: string): AsyncGenerator<FileEntry[]> {
  const path = place.path + name
  const isOnTheWay = after.startsWith(name)
  // The folder that a page begins in is always looked through, or no page would get past it.
  if (!isOnTheWay && isSpent(walk)) {
    walk.endedBefore = path
    return
  }
  const parts = [...place.parts, name.slice(0, -1)]
  if (parts.length >= limits.workspaceDepthMax || Buffer.byteLength(path) > limits.workspacePathBytesMax) {
    walk.leftOut.add(tooDeep)
    return
  }
  yield* walkFolder(walk, { path, parts, above: place.above }, isOnTheWay ? after.slice(name.length) : '')
}

/** Asks for sizes and times, of many files at once, in the folder that is held open. */
async function stated(walk: Walk, place: Place, folder: string, names: string[]): Promise<FileEntry[]> {
  const found = await Promise.all(names.map((name) => lstat(`${folder}/${name}`).catch(asAbsent)))
  const files: FileEntry[] = []
  for (const [i, stats] of found.entries()) {
    const path = place.path + names[i]!
    if (!stats?.isFile()) continue
    if (Buffer.byteLength(path) > limits.workspacePathBytesMax) walk.leftOut.add(tooDeep)
    else files.push({ path, sizeBytes: stats.size, modifiedAt: stats.mtime })
  }
  return files
}

const tooDeep = `what lies deeper than ${limits.workspaceDepthMax} folders or has a path of more than ${limits.workspacePathBytesMax} bytes`

function isHidden(walk: Walk, name: string): boolean {
  return isHiddenName(name.endsWith('/') ? name.slice(0, -1) : name, walk.view)
}

function isIgnoredHere(walk: Walk, place: Place, name: string): boolean {
  if (place.above.length === 0) return false
  const isFolder = name.endsWith('/')
  const parts = [...place.parts, isFolder ? name.slice(0, -1) : name]
  return isIgnored(place.above, parts, isFolder, walk.steps)
}
