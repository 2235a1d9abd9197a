import { lstat } from 'node:fs/promises'
import { limits } from '../limits.ts'
import { compareBytes } from './byte-order.ts'
import { readEntries } from './folder-entries.ts'
import { type IgnoreRules, isIgnored } from './gitignore.ts'
import { isHiddenName } from './hidden.ts'
import { rulesWithin } from './ignore-files.ts'
import { asAbsent, openExactly } from './open-exactly.ts'
import type { FileEntry } from './store.ts'
import { type Walk, isStopped, isSpent } from './walk-bounds.ts'

/** Files whose sizes are read in parallel. */
const fileStatsInParallel = 128

/** A folder of the workspace. */
interface Place {
  /** Relative to the workspace; ends with `/` unless empty. */
  path: string
  parts: string[]
  /** The rules that apply to this folder itself, innermost .gitignore first. */
  above: IgnoreRules[]
}

/**
 * Yields the files after a path in batches, sorted by the bytes of their paths. Folders before that path are not opened, so
 * a late page costs no more than an early one. Links are not followed: each folder is read by its descriptor, after its
 * place is verified.
 */
export function walkFiles(walk: Walk, after: string): AsyncGenerator<FileEntry[]> {
  return walkFolder(walk, { path: '', parts: [], above: [] }, after)
}

/** @param after  relative to the folder; empty: from the start */
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
      if (batch.isLast || isStopped(walk)) return
      const last = batch.names.at(-1)!
      isNext = (name) => compareBytes(name, last) > 0
    }
  } finally {
    await folder.handle.close()
  }
}

/** Whether an entry sorts after a path, or is a folder with entries that do; both relative to one folder. */
function mayHoldAfter(name: string, after: string): boolean {
  return compareBytes(name, after) > 0 || (name.endsWith('/') && after.startsWith(name))
}

interface Batch {
  /** The path for the file system. */
  folder: string
  names: string[]
  after: string
}

async function* walkEntries(walk: Walk, place: Place, batch: Batch): AsyncGenerator<FileEntry[]> {
  const files: string[] = []
  let previous = ''
  for (const name of batch.names) {
    // Two names with invalid UTF-8 can decode to the same text.
    if (name === previous || isIgnoredHere(walk, place, name)) continue
    previous = name
    if (!name.endsWith('/')) {
      files.push(name)
      if (files.length === fileStatsInParallel)
        yield await withStats(walk, place, batch.folder, files.splice(0))
      continue
    }
    if (files.length > 0) yield await withStats(walk, place, batch.folder, files.splice(0))
    yield* walkInto(walk, place, name, batch.after)
    if (isStopped(walk)) return
  }
  if (files.length > 0) yield await withStats(walk, place, batch.folder, files)
}

async function* walkInto(walk: Walk, place: Place, name: string, after: string): AsyncGenerator<FileEntry[]> {
  const path = place.path + name
  const isOnTheWay = after.startsWith(name)
  // The folder in which a page starts is always read; otherwise no page could get past it.
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

/** Reads sizes and times of many files in parallel, in the open folder. */
async function withStats(walk: Walk, place: Place, folder: string, names: string[]): Promise<FileEntry[]> {
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

const tooDeep = `files deeper than ${limits.workspaceDepthMax} folders or with a path of more than ${limits.workspacePathBytesMax} bytes`

function isHidden(walk: Walk, name: string): boolean {
  return isHiddenName(name.endsWith('/') ? name.slice(0, -1) : name, walk.view)
}

function isIgnoredHere(walk: Walk, place: Place, name: string): boolean {
  if (place.above.length === 0) return false
  const isFolder = name.endsWith('/')
  const parts = [...place.parts, isFolder ? name.slice(0, -1) : name]
  return isIgnored(place.above, parts, isFolder, walk.steps)
}
