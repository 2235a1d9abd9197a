import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { downloadTemporal, downloadBase } from './temporal-download.ts'
import type { SourceContext } from './source-context.ts'
import { lowestGoodCli, stuckDriverOf } from './temporal-driver.ts'
import { goBuildTemporal } from './temporal-go-build.ts'

/** A running server, or a program to start. */
export type FoundTemporal = { address: string } | { program: string }

/** One possible source of a Temporal server. `find` throws an error with the reason if it has none. */
export type TemporalSource = {
  name: string
  find(context: SourceContext): FoundTemporal | Promise<FoundTemporal>
}

/**
 * The sources in order; the first that works is used.
 * @source docs/quickstart.md#start-the-service
 */
export const temporalSources: readonly TemporalSource[] = [
  {
    name: 'TEMPORAL_ADDRESS',
    find: ({ env }) => ({ address: required(env['TEMPORAL_ADDRESS'], 'not set') }),
  },
  {
    name: 'a `temporal` program on PATH',
    find: ({ env }) => ({ program: required(onPath('temporal', env), 'not found') }),
  },
  {
    name: 'the cache directory of this user',
    find: async ({ cacheDir }) => {
      const program = join(cacheDir, 'temporal')
      required(existsSync(program), `${program} does not exist`)
      // An earlier version of the gate may have left it: the next sources replace it.
      const driver = await stuckDriverOf(program)
      required(
        driver === undefined,
        `${program} has version ${driver} of its SQLite driver, which can get stuck`,
      )
      return { program }
    },
  },
  {
    name: "the Temporal SDK's download",
    find: async (context) => ({ program: await downloadTemporal(context) }),
  },
  {
    name: '`go build`',
    find: async (context) => {
      const go = required(onPath('go', context.env), '`go` is not on PATH')
      return { program: await goBuildTemporal(go, context) }
    },
  },
]

/** @returns the default settings with the given overrides */
export function sourceContext(given: Partial<SourceContext> & Pick<SourceContext, 'log'>): SourceContext {
  const env = given.env ?? process.env
  const cacheDir = join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'qualification-gate', 'bin')
  const bounds = { stallMs: 120_000, fetchMs: 30 * 60_000, progressMs: 5_000 }
  return { env, cacheDir, downloadBase, ...bounds, ...given }
}

/** Warns where a program is used that can get stuck: it was put on the PATH on purpose, and is restarted when it does. */
export async function warnOfStuckDriver(program: string, log: (line: string) => void): Promise<void> {
  const driver = await stuckDriverOf(program)
  if (driver !== undefined)
    log(
      `${program} has version ${driver} of its SQLite driver, which can get stuck on a busy machine. Install Temporal CLI ` +
        `${lowestGoodCli} or newer. Until then, the server is restarted when it gets stuck.`,
    )
}

/** @returns the message if no source works, with the reason for each and what to do */
export function allSourcesFailed(
  failures: readonly { name: string; reason: string }[],
  context: SourceContext,
): string {
  return [
    'No Temporal server could be started. These sources were tried, in this order:',
    ...failures.map(({ name, reason }) => `  - ${name}: ${reason.replaceAll('\n', '\n      ')}`),
    'To fix this, do one of the following:',
    '  - install the Temporal CLI, so that `temporal` is on PATH: https://docs.temporal.io/cli',
    `  - copy the program to ${join(context.cacheDir, 'temporal')}`,
    '  - install Go 1.25 or newer, so that the program can be built',
    '  - set TEMPORAL_ADDRESS to a running Temporal server',
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

function required<T>(value: T | undefined | '' | false, reason: string): T {
  if (value === undefined || value === '' || value === false) throw new Error(reason)
  return value
}
