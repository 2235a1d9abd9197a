import { opendir } from 'node:fs/promises'
import { limits } from '../limits.ts'
import { compareBytes, sortedByBytes } from './byte-order.ts'
import { asAbsent } from './open-exactly.ts'

/** Entries that one call reads from a folder. */
const folderEntriesPerCall = 1_024

/** The next entries of a folder. */
export interface EntryBatch {
  /** Sorted by the bytes of their paths; a folder's name ends with `/`. */
  names: string[]
  /** Whether these are the last entries. */
  isLast: boolean
  hasIgnoreFile: boolean
  /** How many entries were examined; above `folderEntriesMax` the folder was given up. */
  seen: number
}

/**
 * Reads the next files and folders of a folder, without links, pipes, sockets and devices. Uses the memory of at most twice
 * `folderEntriesBufferedMax` names, whatever the size of the folder.
 * @param folder  the path for the file system
 * @param isWanted  filters names
 */
export async function readEntries(folder: string, isWanted: (name: string) => boolean): Promise<EntryBatch> {
  const heldMax = limits.folderEntriesBufferedMax
  const batch: EntryBatch = { names: [], isLast: true, hasIgnoreFile: false, seen: 0 }
  const keepFirst = () => {
    const sorted = sortedByBytes(batch.names)
    if (sorted.length > heldMax) batch.isLast = false
    batch.names = sorted.slice(0, heldMax)
  }
  let last: string | undefined
  const entries = await opendir(folder, { bufferSize: folderEntriesPerCall }).catch(asAbsent)
  for await (const entry of entries ?? []) {
    if (++batch.seen > limits.folderEntriesMax) break
    if (entry.name === '.gitignore') batch.hasIgnoreFile = true
    const name = entry.isFile() ? entry.name : entry.isDirectory() ? `${entry.name}/` : undefined
    if (name === undefined || !isWanted(name)) continue
    // It sorts after enough names that are already collected.
    if (last !== undefined && compareBytes(name, last) > 0) continue
    batch.names.push(name)
    if (batch.names.length < heldMax * 2) continue
    keepFirst()
    last = batch.names.at(-1)
  }
  keepFirst()
  return batch
}
