import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateJson, readPrivateJson } from '../data-dir/private-file.ts'

/** An epoch that this process has signed, or may have, or has seen: no other history may be signed after it. Root in hex. */
export interface HeldEpoch {
  size: number
  root: string
}

const form = /^epoch-(\d{16})\.json$/
const nameOf = (size: number): string => `epoch-${String(size).padStart(16, '0')}.json`

/** The last epoch that is recorded in a folder; undefined if none is. */
export function readHeldEpoch(folder: string): HeldEpoch | undefined {
  for (;;) {
    const last = namesIn(folder).at(-1)
    if (last === undefined) return undefined
    // Another process may have recorded a later one meanwhile, and removed this one.
    const held = readPrivateJson(join(folder, last)) as HeldEpoch | undefined
    if (held) return held
  }
}

/**
 * Records an epoch, durably, before it is signed. A file of its own for each: of two processes that would sign different epochs
 * of one size, the file system lets one do so.
 * @returns false if another epoch is recorded with this size, or a later one: then this one may not be signed now
 */
export function holdEpoch(folder: string, epoch: HeldEpoch): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  createPrivateJson(join(folder, nameOf(epoch.size)), epoch)
  const held = readHeldEpoch(folder)!
  if (held.size !== epoch.size || held.root !== epoch.root) return false
  for (const name of namesIn(folder))
    if (name < nameOf(epoch.size)) rmSync(join(folder, name), { force: true })
  return true
}

/** Oldest first. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => form.test(name))
      .toSorted()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
