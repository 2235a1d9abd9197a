import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The runners whose programs are on the npm registry and work with a model on loopback. */
const drivenRunners = ['claude', 'codex', 'gemini', 'opencode'] as const
export type DrivenRunner = (typeof drivenRunners)[number]

interface Package {
  version: string
  packages: string[]
  /** Below `node_modules`. Of claude and opencode, `bin` would only say that no install script was run. */
  program: string
}

const platform = `${process.platform}-${process.arch}`
const codexVersion = '0.169.0'

const packages: Record<DrivenRunner, Package> = {
  claude: {
    version: '2.1.330',
    packages: ['@anthropic-ai/claude-code@2.1.330'],
    program: `@anthropic-ai/claude-code-${platform}/claude`,
  },
  codex: { version: codexVersion, packages: [`@openai/codex@${codexVersion}`], program: '.bin/codex' },
  gemini: { version: '0.61.0', packages: ['@google/gemini-cli@0.61.0'], program: '.bin/gemini' },
  opencode: {
    version: '1.18.33',
    // The second it would install into the home of each user that has a plugin.
    packages: ['opencode-ai@1.18.33', '@opencode-ai/plugin@1.18.33'],
    program: `opencode-${platform}/bin/opencode`,
  },
}

/** The folder in which a runner is installed. @throws Error with the end of npm's output */
export const runnerFolder = (runner: DrivenRunner): Promise<string> => {
  const { version, packages: names, program } = packages[runner]
  return installed(`${runner}-${version}`, join('node_modules', program), (folder) =>
    npmInstall(folder, names),
  )
}

/**
 * A folder with a program of others, in the cache directory of this user: installed on first use.
 * @param name  of the program, with its version
 * @param program  a file below the folder, which is there once it is installed
 */
export async function installed(
  name: string,
  program: string,
  install: (folder: string) => Promise<void>,
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

export const programIn = (folder: string, runner: DrivenRunner): string =>
  join(folder, 'node_modules', packages[runner].program)

/** Installs packages from the npm registry, without running install scripts. */
export const npmInstall = (folder: string, names: string[]): Promise<void> =>
  finish('npm', ['install', '--prefix', folder, ...quietly, ...names])

const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

/** Runs a program that installs. @throws Error with the end of its output */
export async function finish(program: string, args: string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => output.push(bytes.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0)
    throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${output.join('').slice(-1_000)}`)
}
