import { type BigIntStats, constants, existsSync, readlinkSync } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'

/** A file or folder that is held open. */
export interface Opened {
  handle: FileHandle
  stats: BigIntStats
  /** Names what is held to further calls, and what lies in it: whatever is moved to its old path meanwhile. */
  name: string
}

export type Kind = 'file' | 'folder'

/** Says whether what was opened lies at its path itself, with no link on the way there. */
export interface PlaceProof {
  before(path: string): Promise<(opened: FileHandle) => Promise<boolean>>
  name(handle: FileHandle, path: string): string
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants
// A pipe without a writer would block the opening, and with it a thread that all requests share.
const flags: Record<Kind, number> = {
  file: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
  folder: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_DIRECTORY,
}

/**
 * Opens a regular file or a folder that lies at exactly this path. The proof is made of what was opened, after it was:
 * between a look at a path and its opening, somebody could put a link there.
 * @param path  absolute, its root part resolved by `realpath`
 * @returns undefined where there is none, something else, or a link on the way; whoever gets one closes it
 */
export async function openExactly(
  path: string,
  kind: Kind,
  proof: PlaceProof = bestProof,
): Promise<Opened | undefined> {
  // What was moved away in between is perhaps there again.
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

/** Linux tells where an open file lies, and lets its folder be read by its number alone. */
const procProof: PlaceProof = {
  async before(path) {
    // Saving a file often puts a new one in its place: the one that was opened lay there until then.
    const places = [path, `${path} (deleted)`]
    // At once: the system answers out of its memory, and a trip to a thread would cost more than the answer.
    return async (handle) => places.includes(readlinkSync(`/proc/self/fd/${handle.fd}`))
  },
  name: (handle) => `/proc/self/fd/${handle.fd}`,
}

/** Elsewhere: the path leads to the same file before and after. A narrower window, not none. */
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

/** What a path cannot lead to is not there; all else is a fault of ours. */
export function asAbsent(error: NodeJS.ErrnoException): undefined {
  if (absentCodes.has(error.code ?? '')) return undefined
  if (error.code === 'EMFILE' || error.code === 'ENFILE') {
    throw new GateError('unavailable', 'Too many files are open here. Try again shortly.', 1)
  }
  throw error
}
