import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'

/** The user PostgreSQL runs as when this process may not run it itself. */
export type PostgresUser = { uid: number; gid: number }

/** In this order; both exist on most systems. */
const unprivilegedNames = ['postgres', 'nobody']

/**
 * PostgreSQL refuses to run as root, so root needs another user for it.
 * @param clusterDir  where a cluster exists already, its owner is the only user who can serve it
 * @returns undefined when this process runs it as itself
 * @throws Error when the cluster belongs to somebody else, or root finds no user to run it as
 */
export function postgresUser(clusterDir: string): PostgresUser | undefined {
  const owner = statSync(clusterDir, { throwIfNoEntry: false })
  const ownUid = process.getuid?.()
  if (ownUid === undefined) return undefined
  if (ownUid !== 0) {
    if (owner && owner.uid !== ownUid)
      throw new Error(
        `${clusterDir} belongs to user ${owner.uid} and you are user ${ownUid}: start as that user, ` +
          'or choose another DATA_DIR.',
      )
    return undefined
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  for (const name of unprivilegedNames) {
    const user = lookUp(name)
    if (user) return user
  }
  throw new Error(
    `PostgreSQL does not run as root, and there is none of the users ${unprivilegedNames.join(', ')}: ` +
      'start as an ordinary user, or set DATABASE_URL.',
  )
}

/** Asks by trying, as that user: mode bits alone do not tell about access lists and mount options. */
export function canEnter(user: PostgresUser, folder: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], as(user)).status === 0
}

/** Spawn options for that user. The folder of this process may be closed to it. */
export function as(user: PostgresUser | undefined): { uid?: number; gid?: number; cwd: string } {
  return { ...user, cwd: '/' }
}

function lookUp(name: string): PostgresUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }))
  if (uid?.status !== 0 || gid?.status !== 0) return undefined
  const user = { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  return user.uid > 0 ? user : undefined
}
