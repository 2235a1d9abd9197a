import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export const platform = `${process.platform}-${process.arch}`

/**
 * A folder with a program of others, in the cache directory of this user: installed on first use.
 * @param name  of the program, with its version
 * @param program  a file below the folder, which is there once it is installed
 */
export async function installed(
  name: string,
  program: string,
  install: (folder: string) => Promise<unknown>,
): Promise<string> {
  const cache = join(
    process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
    'qualification-gate',
    'runners',
  )
  const folder = join(cache, name)
  if (existsSync(join(folder, program))) return folder
  mkdirSync(cache, { recursive: true })
  const making = mkdtempSync(join(cache, `.installing-${name}-`))
  try {
    await install(making)
    if (!existsSync(join(making, program))) throw new Error(`${name} has no ${program} for ${platform}.`)
    // Another test file may have been first.
    if (!existsSync(folder)) renameSync(making, folder)
    return folder
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

/** Installs packages from the npm registry, without running install scripts. */
export const npmInstall = (folder: string, names: string[]): Promise<string> =>
  finish('npm', ['install', '--prefix', folder, ...quietly, ...names])

/** Packages for Python, in the cache of this user. @returns their folder */
export function pythonPackages(...packages: string[]): Promise<string> {
  const name = `python-${packages.join('-').replaceAll('==', '-')}`
  return installed(name, 'typing_extensions.py', (into) =>
    finish('python3', ['-m', 'pip', 'install', '-q', '--target', into, ...packages]),
  )
}

const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

/** Runs a program to its end. @returns what it printed. @throws Error with the end of its output */
export async function finish(
  program: string,
  args: string[],
  env = process.env,
  cwd?: string,
): Promise<string> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 })
  const [printed, output]: [Buffer[], Buffer[]] = [[], []]
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => output.push(bytes))
  child.stdout.on('data', (bytes: Buffer) => printed.push(bytes))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0)
    throw new Error(
      `${program} ${args.join(' ')} ended with ${code}: ${Buffer.concat(output).toString().slice(-3_000)}`,
    )
  return Buffer.concat(printed).toString()
}
