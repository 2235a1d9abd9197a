import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { builtProgram } from '../support/program.ts'

export interface Started {
  child: ChildProcess
  /** What it wrote so far. */
  output(): string
  baseUrl: string
  demo: {
    api_key: string
    runner_key: string
    account_id: string
    base_url: string
    console_url: string
    sandbox_url: string
    members: { email: string | null; tier: string }[]
  }
  /** Sends a signal and waits for the end. @returns the exit code, or the signal */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

/** What `npm start` runs, and what a person sees of it, up to the banner. */
export async function start(dataDir: string, env: Record<string, string> = {}): Promise<Started> {
  const run = await spawnStart(dataDir, env)
  const banner = await Promise.race([run.says('Press Ctrl-C to stop everything'), run.exited])
  if (typeof banner !== 'string' || !banner.includes('Ctrl-C'))
    throw new Error(`It did not start:\n${run.output()}`)
  const baseUrl = /is ready at (\S+)/.exec(run.output())![1]!
  const demo = env['DATABASE_URL'] ? undefined : JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
  return {
    child: run.child,
    output: run.output,
    baseUrl,
    demo,
    async end(signal) {
      run.child.kill(signal)
      return run.exited
    },
  }
}

/** A start that is expected to fail. @returns its exit code and what it wrote to stderr */
export async function startInVain(
  dataDir: string,
  env: Record<string, string>,
): Promise<{ code: unknown; errors: string }> {
  const run = await spawnStart(dataDir, env)
  const code = await run.exited
  return { code, errors: run.errors() }
}

/** A start that gets a SIGINT as soon as it says something. */
export async function interruptedStart(
  dataDir: string,
  at: string,
): Promise<{ code: unknown; errors: string }> {
  const run = await spawnStart(dataDir, {})
  await Promise.race([run.says(at), run.exited])
  run.child.kill('SIGINT')
  const code = await run.exited
  return { code, errors: run.errors() }
}

/** What `npm run reset` runs. */
export async function reset(dataDir: string): Promise<{ code: number | null; output: string }> {
  const program = await builtProgram(process.env['TEST_RUN_DIR']!)
  const done = spawnSync(process.execPath, [join(program, 'dist', 'dev', 'reset.js')], {
    env: environment(dataDir, {}),
    encoding: 'utf8',
  })
  return { code: done.status, output: done.stdout + done.stderr }
}

/** What `npm run -s gate -- <line>` runs. @returns its answer, of --json */
export async function gateVerb(
  dataDir: string,
  line: string,
  env: Record<string, string> = {},
): Promise<any> {
  const program = await builtProgram(process.env['TEST_RUN_DIR']!)
  const done = spawnSync(process.execPath, [join(program, 'dist', 'src', 'cli.js'), ...line.split(' ')], {
    env: environment(dataDir, env),
    encoding: 'utf8',
  })
  if (done.status !== 0) throw new Error(`gate ${line}: ${done.status} ${done.stderr}`)
  return JSON.parse(done.stdout)
}

/** The processes whose command line speaks of that folder. */
export function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
      } catch {
        return []
      }
    })
    .filter((command) => command.includes(folder))
}

async function spawnStart(dataDir: string, env: Record<string, string>) {
  const program = await builtProgram(process.env['TEST_RUN_DIR']!)
  const child = spawn(process.execPath, [join(program, 'dist', 'dev', 'start.js')], {
    env: environment(dataDir, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, errors] = ['', '']
  const waiting: { text: string; resolve: (output: string) => void }[] = []
  child.stdout.on('data', (bytes) => {
    output += bytes
    for (const { text, resolve } of waiting) if (output.includes(text)) resolve(output)
  })
  child.stderr.on('data', (bytes) => void (errors += bytes))
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  return {
    child,
    exited,
    output: () => output,
    errors: () => errors,
    says: (text: string) => new Promise<string>((resolve) => waiting.push({ text, resolve })),
  }
}

/** The environment of somebody who has set nothing, but for the time that a busy machine may need for a signal. */
function environment(dataDir: string, env: Record<string, string>): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    PORT: '0',
    PREVIEW_PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    CONFIRM_SIGNAL_MS: '10000',
    ...env,
  }
}
