import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { downloadTemporal, downloadBase } from './temporal-download.ts'
import { goInstallTemporal } from './temporal-go-install.ts'

/** What a way may use. All of it can be replaced, so that every way can be tried without a network. */
export type SourceContext = {
  env: NodeJS.ProcessEnv
  /** the per-user directory for programs */
  cacheDir: string
  log: (line: string) => void
  /** where the SDK's download asks for the archive */
  downloadBase: string
  /** without a byte for so long, a download is given up */
  stallMs: number
  /** the longest time a whole download or a build may take */
  fetchMs: number
  /** how often a long step says that it goes on */
  progressMs: number
}

/** A server that runs already, or a program that is to be started. */
export type FoundTemporal = { address: string } | { program: string }

/** One place where a Temporal server may come from. `find` throws the reason when there is none. */
export type TemporalSource = {
  name: string
  find(context: SourceContext): FoundTemporal | Promise<FoundTemporal>
}

/** First hit wins. */
export const temporalSources: readonly TemporalSource[] = [
  {
    name: 'TEMPORAL_ADDRESS',
    find: ({ env }) => ({ address: required(env['TEMPORAL_ADDRESS'], 'not set') }),
  },
  {
    name: 'a `temporal` program on PATH',
    find: ({ env }) => ({ program: required(onPath('temporal', env), 'there is none') }),
  },
  {
    name: 'the cache directory of this user',
    find: ({ cacheDir }) => {
      const program = join(cacheDir, 'temporal')
      return { program: required(existsSync(program) ? program : undefined, `there is no ${program}`) }
    },
  },
  {
    name: "the Temporal SDK's download",
    find: async (context) => ({ program: await downloadTemporal(context) }),
  },
  {
    name: '`go install`',
    find: async (context) => {
      const go = required(onPath('go', context.env), 'there is no Go toolchain on PATH')
      return { program: await goInstallTemporal(go, context) }
    },
  },
]

/** @returns the defaults, with what the caller replaces */
export function sourceContext(given: Partial<SourceContext> & Pick<SourceContext, 'log'>): SourceContext {
  const env = given.env ?? process.env
  const cacheDir = join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'qualification-gate', 'bin')
  const bounds = { stallMs: 120_000, fetchMs: 30 * 60_000, progressMs: 5_000 }
  return { env, cacheDir, downloadBase, ...bounds, ...given }
}

/** @returns the message for a start that no way could make, with what happened on each and what to do */
export function allSourcesFailed(
  failures: readonly { name: string; reason: string }[],
  context: SourceContext,
): string {
  return [
    'No Temporal server can be started. These ways were tried, in this order:',
    ...failures.map(({ name, reason }) => `  - ${name}: ${reason.replaceAll('\n', '\n      ')}`),
    'Any one of these helps:',
    '  - install the Temporal CLI, so that `temporal` is on PATH: https://docs.temporal.io/cli',
    `  - put the program there by hand: ${join(context.cacheDir, 'temporal')}`,
    '  - install Go 1.25 or newer, so that it can be built',
    '  - set TEMPORAL_ADDRESS to a Temporal server that runs already',
  ].join('\n')
}

function onPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

function required<T>(value: T | undefined | '', reason: string): T {
  if (value === undefined || value === '') throw new Error(reason)
  return value
}
