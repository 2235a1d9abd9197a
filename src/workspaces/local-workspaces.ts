import { createHash } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { access, mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../limits.ts'
import { copyFiles } from './copy-files.ts'
import { openExactly } from './open-exactly.ts'
import { readFully } from './read-fully.ts'
import type { FileStat, View, WorkspaceId, WorkspaceStore, Workspaces, FileEntry, FilePage } from './store.ts'
import { openVisible } from './visible-file.ts'
import { newWalk } from './walk-bounds.ts'
import { walkFiles } from './walk.ts'

/** Entries that one page of a listing examines before it ends early. */
const listingEntriesMax = 200_000

/**
 * Workspaces in a local directory: `<root>/<account>/<conversation id>`. Links below the root are not followed, including
 * these two folders; the root itself may be a link.
 */
export function localWorkspaces(root: string): Workspaces {
  const place = ({ account, conversationId }: WorkspaceId) => join(root, account, conversationId)
  return {
    place,
    open: (workspace, view = 'shown') =>
      localStore(
        cachedOnceReal(() => realFolder(root, workspace)),
        view,
      ),
    async create({ account, conversationId }) {
      await mkdir(root, { recursive: true, mode: 0o700 })
      const real = await realpath(root)
      await makeFolder(join(real, account))
      await makeFolder(join(real, account, conversationId))
    },
  }
}

function localStore(folder: () => Promise<string>, view: View): WorkspaceStore {
  const open = async (path: string) => openVisible(await folder(), path, view)
  return {
    async list(page) {
      const real = await folder()
      const found = await listFiles(real, view, page)
      if (found.files.length === 0) await refuseClosed(real)
      return found
    },
    async stat(path) {
      const opened = await open(path)
      await opened?.handle.close()
      return opened && fileStat(path, opened.stats)
    },
    async readRange(path, { offsetBytes, lengthBytes }) {
      for (let tries = 1; ; tries++) {
        const opened = await open(path)
        if (!opened) return undefined
        try {
          // Not more than the file has: a small file then needs no large buffer and no second read.
          const leftBytes = Math.max(0, Number(opened.stats.size) - offsetBytes)
          const bytes = await readFully(opened.handle, offsetBytes, Math.min(lengthBytes, leftBytes))
          const file = fileStat(path, await opened.handle.stat({ bigint: true }))
          const isSteady = file.version === fileStat(path, opened.stats).version
          if (isSteady || tries === limits.fileTriesMax) return { file, bytes, isSteady }
        } finally {
          await opened.handle.close()
        }
      }
    },
    materialize: async (target) => copyFiles(await folder(), view, target),
  }
}

/** Creates one level only, so that nothing is created through a link. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const opened = await openExactly(path, 'folder')
  await opened?.handle.close()
  if (!opened)
    throw new Error(`${path} is not a folder, or is a symbolic link, which is not followed. Move it away.`)
}

/** A folder without read permission would look empty. @throws Error, which is logged */
async function refuseClosed(folder: string): Promise<void> {
  await access(folder, constants.R_OK | constants.X_OK).catch(asMissing)
}

interface Folder {
  path: string
  /** Whether the root exists and is resolved. */
  isReal: boolean
}

/** `account` and `conversationId` cannot contain path separators: their form is already validated. */
async function realFolder(root: string, { account, conversationId }: WorkspaceId): Promise<Folder> {
  const real = await realpath(root).catch(asMissing)
  return { path: join(real ?? root, account, conversationId), isReal: real !== undefined }
}

/** Resolves the folder of a store once for many files. Each file's place is still verified when it is opened. */
function cachedOnceReal(find: () => Promise<Folder>): () => Promise<string> {
  let kept: string | undefined
  return async () => {
    if (kept !== undefined) return kept
    const { path, isReal } = await find()
    if (isReal) kept = path
    return path
  }
}

function asMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function fileStat(path: string, stats: BigIntStats): FileStat {
  const { dev, ino, size, mtimeNs, ctimeNs } = stats
  // The change time cannot be set by users, unlike the modification time.
  const version = createHash('sha256').update([dev, ino, size, mtimeNs, ctimeNs].join()).digest('hex')
  return { path, sizeBytes: Number(size), modifiedAt: stats.mtime, version: version.slice(0, 12) }
}

/** One page of a listing. @param root  the workspace's folder, absolute and without symbolic links */
async function listFiles(
  root: string,
  view: View,
  page: { after: string; limitFiles: number },
): Promise<FilePage> {
  const walk = newWalk(root, view, { entries: listingEntriesMax, folders: limits.listingFoldersMax })
  const found: FileEntry[] = []
  // One more file than the page size shows that there is a next page.
  for await (const some of walkFiles(walk, page.after)) {
    found.push(...some)
    if (found.length > page.limitFiles) break
  }
  if (walk.steps.left < 0) walk.leftOut.add('all following files (too many .gitignore comparisons)')
  const files = found.slice(0, page.limitFiles)
  const isCut = found.length > files.length
  return { files, nextAfter: isCut ? files.at(-1)!.path : walk.endedBefore, leftOut: [...walk.leftOut] }
}
