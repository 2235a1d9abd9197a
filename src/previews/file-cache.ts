import { limits } from '../limits.ts'
import type { FileRange, WorkspaceStore } from '../workspaces/store.ts'

/** Cached small files of one store, least recently used first, and their total size. */
interface Held {
  files: Map<string, FileRange>
  bytes: number
}

const heldOf = new WeakMap<WorkspaceStore, Held>()

/**
 * The first piece of a file. A small file is cached and read again only if it changed; its existence and version are
 * checked on every call.
 * @returns undefined if the file does not exist
 */
export async function readFirstPiece(store: WorkspaceStore, path: string): Promise<FileRange | undefined> {
  const held = heldOf.get(store) ?? { files: new Map(), bytes: 0 }
  heldOf.set(store, held)
  const known = held.files.get(path)
  if (known) {
    drop(held, path)
    const now = await store.stat(path)
    if (!now) return undefined
    if (now.version === known.file.version) {
      hold(held, path, known)
      return known
    }
  }
  const read = await store.readRange(path, { offsetBytes: 0, lengthBytes: limits.previewPieceBytes })
  const isWhole = read?.isSteady && read.bytes.length === read.file.sizeBytes
  if (isWhole && read.bytes.length <= limits.previewHeldFileBytesMax) hold(held, path, read)
  return read
}

/** How many bytes of a store are cached. */
export const cachedBytes = (store: WorkspaceStore): number => heldOf.get(store)?.bytes ?? 0

function hold(held: Held, path: string, piece: FileRange): void {
  drop(held, path)
  held.files.set(path, piece)
  held.bytes += piece.bytes.length
  for (const [oldest] of held.files) {
    if (held.bytes <= limits.previewHeldBytesMax && held.files.size <= limits.previewHeldFilesMax) return
    drop(held, oldest)
  }
}

function drop(held: Held, path: string): void {
  held.bytes -= held.files.get(path)?.bytes.length ?? 0
  held.files.delete(path)
}
