import { limits } from '../limits.ts'
import type { FileRange, WorkspaceStore } from '../workspaces/store.ts'

const previewCachedFilesMax = 500

/** Cached small files of one store, least recently used first, and their total size. */
interface CachedFiles {
  files: Map<string, FileRange>
  bytes: number
}

const cacheOf = new WeakMap<WorkspaceStore, CachedFiles>()

/**
 * The first piece of a file. A small file is cached and read again only if it changed; its existence and version are
 * checked on every call.
 * @returns undefined if the file does not exist
 */
export async function readFirstPiece(store: WorkspaceStore, path: string): Promise<FileRange | undefined> {
  const held = cacheOf.get(store) ?? { files: new Map(), bytes: 0 }
  cacheOf.set(store, held)
  const known = held.files.get(path)
  if (known) {
    removeFromCache(held, path)
    const now = await store.stat(path)
    if (!now) return undefined
    if (now.version === known.file.version) {
      addToCache(held, path, known)
      return known
    }
  }
  const read = await store.readRange(path, { offsetBytes: 0, lengthBytes: limits.previewPieceBytes })
  const isWhole = read?.isSteady && read.bytes.length === read.file.sizeBytes
  if (isWhole && read.bytes.length <= limits.previewCachedFileBytesMax) addToCache(held, path, read)
  return read
}

/** How many bytes of a store are cached. */
export const cachedBytes = (store: WorkspaceStore): number => cacheOf.get(store)?.bytes ?? 0

function addToCache(held: CachedFiles, path: string, piece: FileRange): void {
  removeFromCache(held, path)
  held.files.set(path, piece)
  held.bytes += piece.bytes.length
  for (const [oldest] of held.files) {
    if (held.bytes <= limits.previewCachedBytesMax && held.files.size <= previewCachedFilesMax) return
    removeFromCache(held, oldest)
  }
}

function removeFromCache(held: CachedFiles, path: string): void {
  held.bytes -= held.files.get(path)?.bytes.length ?? 0
  held.files.delete(path)
}
