import { limits } from '../limits.ts'
import type { FileRange, WorkspaceStore } from '../workspaces/store.ts'

/** The small files of one store that were read whole, the latest used last, and their bytes together. */
interface Held {
  files: Map<string, FileRange>
  bytes: number
}

const heldOf = new WeakMap<WorkspaceStore, Held>()

/**
 * The first piece of a file. A small one that was read before is not read again while it is the same: that it is there, and
 * in which version, is asked and proven each time.
 * @returns undefined where there is no such file
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

/** How much is held of a store. */
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
