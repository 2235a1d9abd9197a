import { opendir } from 'node:fs/promises'
import { limits } from '../limits.ts'
import { compareBytes, sortedByBytes } from './byte-order.ts'
import { asAbsent } from './open-exactly.ts'

/** What a folder holds next. */
export interface EntryBatch {
  /** In the order of the bytes of paths; a folder's name has `/` at its end. */
  names: string[]
  /** Whether nothing comes after these. */
  isLast: boolean
  hasIgnoreFile: boolean
  /** How many entries were looked through; above `folderEntriesMax` it was given up. */
  seen: number
}

const entriesPerCall = 1_024

/**
 * Reads the files and folders of a folder that come next. Links, pipes, sockets and devices are not among them. A folder
 * of any size takes the memory of twice `folderEntriesHeldMax` names.
 * @param folder  as the file system is to be asked for it
 * @param isWanted  says of a name whether it may be among them
 */
export async function readEntries(folder: string, isWanted: (name: string) => boolean): Promise<EntryBatch> {
  const heldMax = limits.folderEntriesHeldMax
  const batch: EntryBatch = { names: [], isLast: true, hasIgnoreFile: false, seen: 0 }
  const keepFirst = () => {
    const sorted = sortedByBytes(batch.names)
    if (sorted.length > heldMax) batch.isLast = false
    batch.names = sorted.slice(0, heldMax)
  }
  let last: string | undefined
  const entries = await opendir(folder, { bufferSize: entriesPerCall }).catch(asAbsent)
  for await (const entry of entries ?? []) {
    if (++batch.seen > limits.folderEntriesMax) break
    if (entry.name === '.gitignore') batch.hasIgnoreFile = true
    const name = entry.isFile() ? entry.name : entry.isDirectory() ? `${entry.name}/` : undefined
    if (name === undefined || !isWanted(name)) continue
    // Behind enough others that are held already.
    if (last !== undefined && compareBytes(name, last) > 0) continue
    batch.names.push(name)
    if (batch.names.length < heldMax * 2) continue
    keepFirst()
    last = batch.names.at(-1)
  }
  keepFirst()
  return batch
}
