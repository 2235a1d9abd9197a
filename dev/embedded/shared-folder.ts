import { chmodSync, lstatSync, mkdirSync } from 'node:fs'

/**
 * Folders for files that another user must reach when the project folder is closed to that user (for example below /root).
 * /var/lib first: it is permanent. /var/tmp survives restarts, but old files may be deleted.
 */
const candidates = ['/var/lib/qualification-gate', '/var/tmp/qualification-gate']

/**
 * @returns a folder that belongs to root and that all users can enter
 * @throws Error if there is none
 */
export function sharedFolder(): string {
  for (const folder of candidates) if (isMade(folder)) return folder
  throw new Error(
    `None of ${candidates.join(', ')} can be created. Start as an ordinary user, or set DATABASE_URL.`,
  )
}

/** Whether we own the folder: a folder or link created by another user is not trusted. */
function isMade(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 })
    const found = lstatSync(folder)
    if (!found.isDirectory() || found.uid !== 0) return false
    chmodSync(folder, 0o755)
    return true
  } catch {
    return false
  }
}
