import { lstat, readlink, realpath } from 'node:fs/promises'

/** The parts of this machine that the walls are built from. */
export interface Host {
  /** Bubblewrap's arguments for /bin, /lib and similar folders of this machine. */
  rootFolders: string[]
  /** The path of Node on this machine. */
  node: string
  nodeWithin: string
  isNodeInUsr: boolean
  /** Whether we run as root: see `asNobody`. */
  isRoot: boolean
}

/** The search path for programs inside the walls: only system folders, not our own PATH. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export async function lookAtHost(): Promise<Host> {
  const node = await realpath(process.execPath)
  // `env` reads a path with `=` as a variable, so such a path is mounted elsewhere.
  const isNodeInUsr = node.startsWith('/usr/') && !node.includes('=')
  return {
    rootFolders: (await Promise.all(rootNames.map(rootFolder))).flat(),
    node,
    nodeWithin: isNodeInUsr ? node : '/run/node/node',
    isNodeInUsr,
    isRoot: process.getuid?.() === 0,
  }
}

const rootNames = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** On most systems these are links into /usr. */
async function rootFolder(path: string): Promise<string[]> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isSymbolicLink()) return ['--symlink', await readlink(path), path]
  return found?.isDirectory() ? ['--ro-bind', path, path] : []
}

/** The user for previews if we run as root. It owns no files on any system. */
export const nobody = { uid: 65_534, gid: 65_534 }

/**
 * Runs a command as the user nobody. Root keeps its power over /proc/sys in every namespace and is exempt from process
 * limits, so a root service must change the user. Nobody cannot enter private folders, so the needed paths are first
 * mounted elsewhere, in a mount namespace of that process only.
 * @param places  files and folders; everything in the first one may be read
 * @param commandWith  builds the command from the mounted places, in the same order
 * @returns a command that becomes that command and keeps its pid
 */
export function asNobody(places: string[], commandWith: (places: string[]) => string[]): string[] {
  const stage = stages.find((folder) => places.every((place) => !place.startsWith(`${folder}/`)))
  if (stage === undefined) throw new Error(`Preview files must not be below ${stages.join(', ')}.`)
  const { uid, gid } = nobody
  return [
    ['unshare', '--mount', '--propagation', 'private', '--', 'sh', '-euc', mountAndRun, 'sh', stage],
    [...places, '--', 'setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'],
    ['--', ...commandWith(places.map((_, index) => `${stage}/${index}`))],
  ].flat()
}

// Folders that every system has; they are hidden for this one process only.
const stages = ['/mnt', '/media', '/srv']

const mountAndRun = `
stage=$1
shift
chmod -R a+rX -- "$1"
mount -t tmpfs -o mode=755,size=64k tmpfs "$stage"
n=0
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir "$stage/$n"; else : > "$stage/$n"; fi
  mount --bind -- "$1" "$stage/$n"
  n=$((n + 1))
  shift
done
shift
exec "$@"`
