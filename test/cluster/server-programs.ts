import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { reportProgress } from '../../dev/embedded/fetch-folder.ts'
import { sourceContext } from '../../dev/embedded/temporal-sources.ts'

/** The newest version that `go install` accepts: it refuses later ones because of a replace directive. */
const version = 'v1.29.1'
const goModule = 'go.temporal.io/server'

/** The programs of a Temporal cluster on PostgreSQL. */
export interface ServerPrograms {
  /** Runs one role or several. */
  server: string
  /** Creates databases and applies the schema. */
  sqlTool: string
  /** A folder with `temporal` and `visibility`. */
  schema: string
}

/**
 * Finds the programs in the cache directory of this user; builds them from their Go module on first use.
 * @throws Error with the end of Go's output
 */
export async function serverPrograms(): Promise<ServerPrograms> {
  const { cacheDir } = sourceContext({ log })
  const cache = dirname(cacheDir)
  const folder = join(cache, `temporal-server-${version}`)
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    const making = mkdtempSync(join(cache, '.building-'))
    try {
      await build(making)
      // Another run may have been first.
      if (!existsSync(folder)) renameSync(making, folder)
    } finally {
      rmSync(making, { recursive: true, force: true })
    }
  }
  return { server: join(folder, 'server'), sqlTool: join(folder, 'sql'), schema: join(folder, 'schema') }
}

async function build(folder: string): Promise<void> {
  log(`Building the Temporal server ${version} with \`go install\` (once, takes some minutes).`)
  const done = reportProgress(30_000, (seconds) => log(`… still building the Temporal server, ${seconds} s`))
  try {
    const programs = ['cmd/server', 'cmd/tools/sql'].map((path) => `${goModule}/${path}@${version}`)
    await goInstall(folder, programs)
    const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', `${goModule}@${version}`])
    const { Dir: sources } = JSON.parse(stdout) as { Dir: string }
    copyWritable(join(sources, 'schema', 'postgresql', 'v12'), join(folder, 'schema'))
  } finally {
    done()
  }
}

async function goInstall(folder: string, programs: string[]): Promise<void> {
  const go = spawn('go', ['install', ...programs], {
    cwd: folder,
    env: { ...process.env, GOBIN: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const output: string[] = []
  go.stderr.on('data', (bytes: Buffer) => output.push(bytes.toString()))
  const [code] = (await once(go, 'close')) as [number | null]
  if (code !== 0) throw new Error(`go install ended with ${code}: ${output.join('').slice(-1_000)}`)
}

/** The files of Go's cache and their folders are read-only, and would be so in a plain copy. */
function copyWritable(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyWritable(source, target)
    else writeFileSync(target, readFileSync(source))
  }
}

function log(line: string): void {
  process.stderr.write(`${line}\n`)
}
