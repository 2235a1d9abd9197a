import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'

/** The user for PostgreSQL if this process runs as root. */
export type PostgresUser = { uid: number; gid: number }

/** Users in order of preference; both exist on most systems. */
const unprivilegedNames = ['postgres', 'nobody']

/**
 * PostgreSQL refuses to run as root, so root needs another user for it.
 * @param clusterDir  an existing cluster can only be run by its owner
 * @returns undefined if PostgreSQL runs as the user of this process
 * @throws Error if the cluster belongs to another user, or root finds no suitable user
 */
export function postgresUser(clusterDir: string): PostgresUser | undefined {
  const owner = statSync(clusterDir, { throwIfNoEntry: false })
  const ownUid = process.getuid?.()
  if (ownUid === undefined) return undefined
  if (ownUid !== 0) {
    if (owner && owner.uid !== ownUid)
      throw new Error(
        `${clusterDir} belongs to user ${owner.uid}, but this process runs as user ${ownUid}. Start as that user, ` +
          'or set another DATA_DIR.',
      )
    return undefined
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  for (const name of unprivilegedNames) {
    const user = lookUp(name)
    if (user) return user
  }
  throw new Error(
    `PostgreSQL does not run as root, and none of the users ${unprivilegedNames.join(', ')} exists. ` +
      'Start as an ordinary user, or set DATABASE_URL.',
  )
}

/** Tests access as that user, because mode bits do not include access lists and mount options. */
export function canEnter(user: PostgresUser, folder: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], as(user)).status === 0
}

/** Spawn options for that user, who may not be able to enter the current folder. */
export function as(user: PostgresUser | undefined): { uid?: number; gid?: number; cwd: string } {
  return { ...user, cwd: '/' }
}

function lookUp(name: string): PostgresUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }))
  if (uid?.status !== 0 || gid?.status !== 0) return undefined
  const user = { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  return user.uid > 0 ? user : undefined
}
