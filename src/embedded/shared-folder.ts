import { chmodSync, lstatSync, mkdirSync } from 'node:fs'

/**
 * Where root keeps what another user must reach when the project itself is closed to that user (a clone below
 * /root). /var/lib first: what lies there survives restarts; /var/tmp survives them too but may be swept by age.
 */
const candidates = ['/var/lib/qualification-gate', '/var/tmp/qualification-gate']

/**
 * @returns a folder that belongs to root and that everybody may enter
 * @throws Error when there is none
 */
export function sharedFolder(): string {
  for (const folder of candidates) if (isMade(folder)) return folder
  throw new Error(
    `None of ${candidates.join(', ')} can be made: start as an ordinary user, or set DATABASE_URL.`,
  )
}

/** A folder or link that somebody else put there first is not ours to trust. */
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
