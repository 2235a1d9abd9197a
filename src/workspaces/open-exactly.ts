import { type BigIntStats, constants, existsSync, readlinkSync } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'

/** An open file or folder. */
export interface Opened {
  handle: FileHandle
  stats: BigIntStats
  /** A path to the open file or folder itself, even if its original path is replaced meanwhile. */
  name: string
}

export type Kind = 'file' | 'folder'

/** Verifies that an open file is at its path, without a link in between. */
export interface PlaceProof {
  before(path: string): Promise<(opened: FileHandle) => Promise<boolean>>
  name(handle: FileHandle, path: string): string
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants
// Opening a pipe without a writer would block a thread that all requests share.
const flags: Record<Kind, number> = {
  file: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
  folder: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_DIRECTORY,
}

/**
 * Opens a regular file or folder at exactly this path. The place is verified after opening, on the open file: a link could
 * be created between a check of the path and its opening.
 * @param path  absolute, with its root resolved by `realpath`
 * @returns undefined if it does not exist, is something else, or is behind a link; the caller must close it
 */
export async function openExactly(
  path: string,
  kind: Kind,
  proof: PlaceProof = bestProof,
): Promise<Opened | undefined> {
  // A file that is being replaced may be there again on the next attempt.
  for (let tries = 0; tries < limits.fileTriesMax; tries++) {
    const found = await openOnce(path, kind, proof)
    if (found !== 'elsewhere') return found
  }
  return undefined
}

async function openOnce(
  path: string,
  kind: Kind,
  proof: PlaceProof,
): Promise<Opened | 'elsewhere' | undefined> {
  const liesThere = await proof.before(path)
  const handle = await open(path, flags[kind]).catch(asAbsent)
  if (!handle) return undefined
  let kept: Opened | undefined
  try {
    const [stats, isThere] = await Promise.all([handle.stat({ bigint: true }), liesThere(handle)])
    if (kind === 'file' ? !stats.isFile() : !stats.isDirectory()) return undefined
    if (!isThere) return 'elsewhere'
    kept = { handle, stats, name: proof.name(handle, path) }
    return kept
  } finally {
    if (!kept) await handle.close()
  }
}

/** Linux reports the path of an open file, and can read an open folder by its descriptor. */
const procProof: PlaceProof = {
  async before(path) {
    // Saving often replaces a file: the opened file was at this path until then.
    const places = [path, `${path} (deleted)`]
    // Synchronous, because the answer comes from memory and is faster than a thread switch.
    return async (handle) => places.includes(readlinkSync(`/proc/self/fd/${handle.fd}`))
  },
  name: (handle) => `/proc/self/fd/${handle.fd}`,
}

/** Other systems: the path leads to the same file before and after. This narrows the race, but does not close it. */
export const pathProof: PlaceProof = {
  async before(path) {
    const earlier = await lstat(path, { bigint: true }).catch(asAbsent)
    return async (handle) => {
      const stats = await handle.stat({ bigint: true })
      const real = await realpath(path).catch(asAbsent)
      const later = await lstat(path, { bigint: true }).catch(asAbsent)
      return real === path && [earlier, later].every((one) => one?.ino === stats.ino && one.dev === stats.dev)
    }
  },
  name: (_handle, path) => path,
}

const bestProof = existsSync('/proc/self/fd') ? procProof : pathProof

const absentCodes = new Set(
  'EACCES EILSEQ EINVAL ELOOP EMLINK ENAMETOOLONG ENODEV ENOENT ENOTDIR ENXIO EOPNOTSUPP EPERM'.split(' '),
)

/** Treats an unreachable path as absent; throws on every other error. */
export function asAbsent(error: NodeJS.ErrnoException): undefined {
  if (absentCodes.has(error.code ?? '')) return undefined
  if (error.code === 'EMFILE' || error.code === 'ENFILE') {
    throw new GateError('unavailable', 'The service has too many open files. Try again shortly.', {
      retryAfterSeconds: 1,
    })
  }
  throw error
}
