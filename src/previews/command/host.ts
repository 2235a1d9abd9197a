import { lstat, readlink, realpath } from 'node:fs/promises'

/** What this machine has that the walls are built from. */
export interface Host {
  /** Bubblewrap's arguments for /bin, /lib and the like, as they are here. */
  rootFolders: string[]
  /** Node as it is here, and behind the walls. */
  node: string
  nodeWithin: string
  isNodeInUsr: boolean
  /** Root stays outside: see `asNobody`. */
  isRoot: boolean
}

/** Where programs are looked for. Not in the PATH of whoever started us: what we run as a wall is the system's. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export async function lookAtHost(): Promise<Host> {
  const node = await realpath(process.execPath)
  // `env` takes a path with `=` for a variable: such a one is mounted elsewhere.
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

/** On most systems links into /usr by now. */
async function rootFolder(path: string): Promise<string[]> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isSymbolicLink()) return ['--symlink', await readlink(path), path]
  return found?.isDirectory() ? ['--ro-bind', path, path] : []
}

/** Whom a preview of root runs as. It owns nothing, on any system. */
export const nobody = { uid: 65_534, gid: 65_534 }

/**
 * Root's user id keeps its power over /proc/sys in every namespace, and no bound on processes holds for it: as root we
 * therefore go behind the walls as nobody. Nobody cannot walk to folders that are closed to it, so what is needed of them
 * is mounted elsewhere before, in a mount namespace of this one process.
 * @param places  files and folders. Of the first one all may be read
 * @param commandWith  the command, given where the places are for it, in the same order
 * @returns a command that becomes that one: the pid stays the same
 */
export function asNobody(places: string[], commandWith: (places: string[]) => string[]): string[] {
  const stage = stages.find((folder) => places.every((place) => !place.startsWith(`${folder}/`)))
  if (stage === undefined) throw new Error(`Files of a preview lie below each of ${stages.join(', ')}.`)
  const { uid, gid } = nobody
  return [
    ['unshare', '--mount', '--propagation', 'private', '--', 'sh', '-euc', mountAndRun, 'sh', stage],
    [...places, '--', 'setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'],
    ['--', ...commandWith(places.map((_, index) => `${stage}/${index}`))],
  ].flat()
}

// Folders that every system has; what is there is covered for the one process alone.
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
