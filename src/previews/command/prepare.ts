import { chown, copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { limits } from '../../limits.ts'
import { projectRoot } from '../../process/root.ts'
import { localWorkspaces } from '../../workspaces/local-workspaces.ts'
import type { WorkspaceStore } from '../../workspaces/store.ts'
import { type Host, nobody } from './host.ts'
import type { Places } from './places.ts'
import { appPort, scratch } from './walls.ts'

const previewLogEveryMs = 100

/** How often memory use is checked; between two checks it can exceed the limit. */
const previewMemoryCheckMs = 100
const previewAppConnectionsMax = 128

export async function makePlaces({ copy, door }: Places, host: Host): Promise<void> {
  await mkdir(copy, { recursive: true })
  await mkdir(door, { mode: 0o700 })
  if (host.isRoot) await chown(door, nobody.uid, nobody.gid)
}

/** Opens the copy like a workspace. The workspace itself may have changed since. */
export function openCopy({ inside, copy }: Places): WorkspaceStore {
  const id = { account: basename(inside), conversationId: basename(copy) }
  return localWorkspaces(dirname(inside)).open(id, 'built')
}

/** Creates mount points in the copy. @returns those that could be created: a file may be in the way */
export async function makeMountPoints({ copy }: Places, folders: string[]): Promise<string[]> {
  const made = await Promise.all(
    folders.map((folder) =>
      mkdir(join(copy, folder), { recursive: true }).then(
        () => true,
        () => false,
      ),
    ),
  )
  return folders.filter((_, index) => made[index])
}

/** Writes the files that the walls need: /etc for Node, the system call filter, the bridge and its plan. */
export async function writeOrders(places: Places, orders: Orders): Promise<void> {
  const { inside } = places
  const etc = join(inside, 'etc')
  await mkdir(etc)
  await writeFile(join(etc, 'hosts'), '127.0.0.1 localhost preview\n')
  await writeFile(join(etc, 'passwd'), `preview:x:65534:65534::/tmp/home:/usr/sbin/nologin\n`)
  await writeFile(join(etc, 'group'), 'preview:x:65534:\n')
  await writeFile(join(inside, 'seccomp.bpf'), orders.filter)
  await copyFile(bridgeFile, join(inside, 'bridge.mjs'))
  await writeFile(join(inside, 'plan.json'), JSON.stringify(planFor(orders)))
}

export interface Orders {
  /** The inner wall with the app. */
  command: string[]
  /** The folders that the bridge creates, in this order. */
  writable: string[]
  memoryMiB: number
  filter: Buffer
}

/** Removes what this module created. The app must have ended. */
export async function removePlaces({ inside, door }: Places): Promise<void> {
  await rm(door, { recursive: true, force: true })
  await rm(inside, { recursive: true, force: true })
}

// Read from the sources, like the migrations.
const bridgeFile = join(projectRoot, 'src', 'previews', 'command', 'bridge.js')

const planFor = ({ command, writable, memoryMiB }: Orders) => ({
  command,
  folders: [scratch.home, scratch.sharedMemory, ...writable.map((_, index) => scratch.ofFolder(index))],
  port: appPort,
  memoryBytesMax: memoryMiB * 2 ** 20,
  memoryLookMs: previewMemoryCheckMs,
  connectionsMax: previewAppConnectionsMax,
  logBytesMax: limits.previewLogBytesMax,
  logEveryMs: previewLogEveryMs,
})
