import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ProcessIdentity, identify, isRunning } from '../embedded/process.ts'
import { limits } from '../limits.ts'

export interface HostFolder {
  /** Makes the folder of one preview: empty, and nobody else's. */
  make(previewId: string): Promise<string>
  /** Removes it; absent is removed. */
  remove(previewId: string): Promise<void>
  /** Removes everything of this host. */
  removeAll(): Promise<void>
}

const ownerFile = 'host.json'
const hostFolderForm = /^host_[0-9A-Za-z]{16}$/

/** `<DATA_DIR>/previews/<host>/<preview>`: what a host's previews need on the disk. Says whose it is. */
export async function hostFolder(dataDir: string, hostId: string): Promise<HostFolder> {
  const own = join(dataDir, 'previews', hostId)
  await mkdir(own, { recursive: true, mode: 0o700 })
  await writeFile(join(own, ownerFile), JSON.stringify(identify(process.pid) ?? null), { mode: 0o600 })
  return {
    async make(previewId) {
      const folder = join(own, previewId)
      await removeTree(folder)
      await mkdir(folder, { mode: 0o700 })
      return folder
    },
    remove: (previewId) => removeTree(join(own, previewId)),
    removeAll: () => removeTree(own),
  }
}

/**
 * Removes what hosts left that were killed. Only a host that neither the process table nor the database knows any more is
 * dead: in a container another's processes cannot be seen, and another database knows nothing of this one's hosts.
 * @param live  of these hosts, those that still beat
 * @returns the hosts whose folders were removed
 */
export async function removeDeadHosts(
  dataDir: string,
  live: (hostIds: string[]) => Promise<string[]>,
): Promise<string[]> {
  const root = join(dataDir, 'previews')
  const found = (await readdir(root).catch(() => [])).filter((name) => hostFolderForm.test(name))
  const silent = await Promise.all(
    found.map(async (host) => ((await isOwned(join(root, host))) ? [] : [host])),
  )
  const candidates = silent.flat()
  if (candidates.length === 0) return []
  const beating = new Set(await live(candidates))
  const dead = candidates.filter((host) => !beating.has(host))
  for (const host of dead) await removeTree(join(root, host))
  return dead
}

/** Whether the process that made a folder runs, or the folder is so new that it has not said yet. */
async function isOwned(folder: string): Promise<boolean> {
  try {
    const owner = JSON.parse(await readFile(join(folder, ownerFile), 'utf8')) as ProcessIdentity | null
    return owner !== null && isRunning(owner)
  } catch {
    const made = await stat(folder).catch(() => undefined)
    return made !== undefined && Date.now() - made.mtimeMs < limits.previewFolderUnclaimedMs
  }
}

/** A build may have left folders that cannot be written to, which do not stop their owner for long. */
const removeTree = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 })
