import { limits } from '../../limits.ts'
import { type Host, asNobody, systemPath } from './host.ts'
import type { Places } from './places.ts'

/** The port that the app is told to listen on, in a network of its own. The most usual one, for apps that do not ask. */
export const appPort = 3_000

/** The command that builds the outer wall around the bridge, which builds the inner one. */
export function wallCommand(host: Host, { inside, door }: Places): string[] {
  const wallAt = ([insideAt = inside, doorAt = door, node = host.node]: string[]) => [
    'bwrap',
    ...outerWall(host, { inside: insideAt, door: doorAt, node }),
  ]
  return host.isRoot ? asNobody([inside, door, host.node], wallAt) : wallAt([])
}

/**
 * The outer wall: a network without a way out, and in it our bridge, which alone has the door's socket.
 * @param places  where the host has them; in a mount namespace made for root, those
 * @returns bubblewrap's arguments. Descriptor 3 gets the pid of the first process within, 4 is the bridge's
 * @source bwrap(1) 0.8; how it was tried on a hostile workspace: test/previews/command
 */
function outerWall(host: Host, places: { inside: string; door: string; node: string }): string[] {
  return [
    ['--unshare-all', '--unshare-user', '--die-with-parent', '--new-session', '--info-fd', '3'],
    ...floor(host, places.node),
    ['--ro-bind', places.inside, '/inside', '--bind', places.door, '/door'],
    ['--size', String(limits.previewScratchBytesMax), '--tmpfs', '/scratch'],
    // Bubblewrap builds the inner wall's root on /tmp.
    ['--dir', '/tmp', '--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/'],
    ['--', host.nodeWithin, '--max-old-space-size=64', '--v8-pool-size=1', '/inside/bridge.mjs'],
  ].flat()
}

/**
 * The inner wall, built from within the outer one: processes, users and files of its own, so that the app cannot see, stop
 * or read the bridge, and no namespace may be made any more. The network is the outer wall's.
 * @param app  its command (its first word without `=`), its variables, and the folders of the workspace it may write to
 */
export function innerWall(host: Host, app: WalledApp): string[] {
  return [
    ['bwrap', '--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ['--disable-userns', '--die-with-parent', '--new-session', '--hostname', 'preview', '--seccomp', '3'],
    ...floor(host, host.nodeWithin),
    ['--ro-bind', '/inside/ws', '/ws', '--ro-bind', '/inside/etc', '/etc'],
    ['--bind', scratch.tmp, '/tmp', '--bind', scratch.sharedMemory, '/dev/shm'],
    app.writable.flatMap((folder, index) => ['--bind', scratch.ofFolder(index), `/ws/${folder}`]),
    ['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/ws'],
    ['--', 'prlimit', `--nproc=${limits.previewTasksMax}`, `--nofile=${limits.previewOpenFilesMax}`],
    [`--fsize=${limits.previewFileBytesMax}`, `--cpu=${app.cpuSeconds}`, '--core=0', '--memlock=65536'],
    ['--', 'nice', '-n', '10'],
    // Last, for the app alone: its PATH or LD_PRELOAD would choose what sets the limits, or run within it.
    ['env', ...Object.entries(app.variables).map(([name, value]) => `${name}=${value}`), ...app.command],
  ].flat()
}

export interface WalledApp {
  command: string[]
  variables: Record<string, string>
  /** Relative to the workspace; each is there already. */
  writable: string[]
  cpuSeconds: number
}

/** Everything that can be written to lies on one file system of bounded size. The bridge makes these folders. */
export const scratch = {
  tmp: '/scratch/tmp',
  home: '/scratch/tmp/home',
  sharedMemory: '/scratch/shm',
  ofFolder: (index: number) => `/scratch/folder-${index}`,
}

// Not /dev/zero: memory that processes share through it is counted nowhere. No terminals: nobody sits at one.
const devices = ['null', 'full', 'random', 'urandom']

/** What both have: the system's programs, and nothing of its settings, its users or its services. */
function floor(host: Host, node: string): string[] {
  return [
    ['--clearenv', '--setenv', 'PATH', `${systemPath}:/run/node`, '--uid', '65534', '--gid', '65534'],
    ['--ro-bind', '/usr', '/usr', ...host.rootFolders],
    host.isNodeInUsr ? [] : ['--ro-bind', node, host.nodeWithin],
    ['--proc', '/proc', '--tmpfs', '/dev'],
    devices.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    ['--symlink', '/proc/self/fd', '/dev/fd', '--dir', '/dev/shm'],
  ].flat()
}
