import { mkdir, readFile, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type ProcessIdentity, identify, isRunning } from '../process/system-process.ts'
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

/** `<DATA_DIR>/previews/<host>/<preview>`: the folder of a host's previews, with a file that names its owner. */
export async function hostFolder(dataDir: string, hostId: string): Promise<HostFolder> {
  const own = join(dataDir, 'previews', hostId)
  const owner: Owner = { process: identify(process.pid), space: await processSpace() }
  const claim = async () => {
    await mkdir(own, { recursive: true, mode: 0o700 })
    // Never overwritten: a process that reads half of the file would not recognize this host.
    const options = { mode: 0o600, flag: 'wx' }
    await writeFile(join(own, ownerFile), JSON.stringify(owner), options).catch(unlessThere)
  }
  await claim()
  return {
    async make(previewId) {
      // Another host removes the folder if this one sent no heartbeat for long.
      await claim()
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
 * Removes the folders of hosts that were killed. If their processes are visible from here, that decides. Otherwise the
 * database does: a container cannot see the processes of another, and another database does not know this one's hosts.
 * @param own  the calling host, which is alive whatever its folder or the database says
 * @param live  returns those of the given hosts that still send heartbeats
 * @returns the hosts whose folders were removed, and those whose folders could not be removed, which stop no other
 */
export async function removeDeadHosts(
  dataDir: string,
  own: string,
  live: (hostIds: string[]) => Promise<string[]>,
  remove: (path: string) => Promise<void> = removeTree,
): Promise<{ removed: string[]; kept: { host: string; error: unknown }[] }> {
  const root = join(dataDir, 'previews')
  const isOther = (name: string) => hostFolderForm.test(name) && name !== own
  const names = (await readdir(root).catch(() => [])).filter(isOther)
  const found = await Promise.all(names.map(async (host) => ({ host, is: await lookAt(join(root, host)) })))
  const named = (is: Sight) => found.filter((one) => one.is === is).map(({ host }) => host)
  const unseen = named('unseen')
  const beating = new Set(unseen.length === 0 ? [] : await live(unseen))
  const dead = [...named('dead'), ...unseen.filter((host) => !beating.has(host))]
  const kept: { host: string; error: unknown }[] = []
  for (const host of dead)
    await remove(join(root, host)).catch((error: unknown) => kept.push({ host, error }))
  const stays = new Set(kept.map(({ host }) => host))
  return { removed: dead.filter((host) => !stays.has(host)), kept }
}

interface Owner {
  process: ProcessIdentity | undefined
  space: string
}

type Sight = 'alive' | 'dead' | 'unseen'

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** Whether the host whose folder this is lives, as far as that can be seen from here. */
async function lookAt(folder: string): Promise<Sight> {
  try {
    const owner = JSON.parse(await readFile(join(folder, ownerFile), 'utf8')) as Owner
    if (owner.space !== (await processSpace()) || !owner.process) return 'unseen'
    return isRunning(owner.process) ? 'alive' : 'dead'
  } catch {
    // One that is starting has not said yet.
    const made = await stat(folder).catch(() => undefined)
    return made && Date.now() - made.mtimeMs < limits.previewFolderUnclaimedMs ? 'alive' : 'unseen'
  }
}

/** Names the table of processes that can be seen from here: of this machine since its start, of this container. */
async function processSpace(): Promise<string> {
  const parts = [readFile('/proc/sys/kernel/random/boot_id', 'utf8'), readlink('/proc/self/ns/pid')]
  return Promise.all(parts).then(
    (named) => named.join(' ').replaceAll('\n', ''),
    () => hostname(),
  )
}

/** A build may have left folders that cannot be written to, which do not stop their owner for long. */
const removeTree = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 })
