import { limits } from '../../limits.ts'
import { type Host, asNobody, systemPath } from './host.ts'
import type { Places } from './places.ts'

/** The app's port in its own network namespace: the usual default, for apps that do not read PORT. */
export const appPort = 3_000

/** The command that starts the outer wall with the bridge, which starts the inner wall. */
export function wallCommand(host: Host, { inside, door }: Places): string[] {
  const wallAt = ([insideAt = inside, doorAt = door, node = host.node]: string[]) => [
    'bwrap',
    ...outerWall(host, { inside: insideAt, door: doorAt, node }),
  ]
  return host.isRoot ? asNobody([inside, door, host.node], wallAt) : wallAt([])
}

/**
 * The outer wall: an isolated network with our bridge, the only process that has the socket to the outside.
 * @param places  the paths on the host, or in the mount namespace created for root
 * @returns bubblewrap's arguments. Descriptor 3 gets the pid of the first process, 4 belongs to the bridge
 * @source bwrap(1) 0.8; tests with a hostile workspace: test/previews/command
 */
function outerWall(host: Host, places: { inside: string; door: string; node: string }): string[] {
  return [
    ['--unshare-all', '--unshare-user', '--die-with-parent', '--new-session', '--info-fd', '3'],
    ...floor(host, places.node),
    ['--ro-bind', places.inside, '/inside', '--bind', places.door, '/door'],
    ['--size', String(limits.previewScratchBytesMax), '--tmpfs', '/scratch'],
    // Bubblewrap builds the root of the inner wall on /tmp.
    ['--dir', '/tmp', '--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/'],
    ['--', host.nodeWithin, '--max-old-space-size=64', '--v8-pool-size=1', '/inside/bridge.mjs'],
  ].flat()
}

/**
 * The inner wall, started inside the outer one, with its own processes, users and files, so that the app cannot see,
 * stop or read the bridge. It cannot create further namespaces. It shares the network of the outer wall.
 * @param app  its command (the first word without `=`), variables, and the folders of the workspace that it can write to
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
    // Set last, for the app only: its PATH or LD_PRELOAD must not affect the programs that set the limits.
    ['env', ...Object.entries(app.variables).map(([name, value]) => `${name}=${value}`), ...app.command],
  ].flat()
}

export interface WalledApp {
  command: string[]
  variables: Record<string, string>
  /** Relative to the workspace; each folder already exists. */
  writable: string[]
  cpuSeconds: number
}

/** All writable folders are on one file system of limited size. The bridge creates them. */
export const scratch = {
  tmp: '/scratch/tmp',
  home: '/scratch/tmp/home',
  sharedMemory: '/scratch/shm',
  ofFolder: (index: number) => `/scratch/folder-${index}`,
}

// No /dev/zero: memory that processes share through it is not limited. No terminals: they are not needed.
const devices = ['null', 'full', 'random', 'urandom']

/** The base of both walls: the system's programs, without its settings, users and services. */
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
