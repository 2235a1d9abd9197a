import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '../../src/process/root.ts'
import { fetchInto, reportProgress } from './fetch-folder.ts'
import type { SourceContext } from './source-context.ts'

/** The module that pins the program and everything in it. */
const moduleDir = join(projectRoot, 'dev', 'temporal')
const programPackage = 'github.com/temporalio/cli/cmd/temporal'

/**
 * Builds the server program from `dev/temporal` into the cache directory. Takes several minutes, once.
 * @param go  path of the `go` program
 * @throws Error with the end of Go's output
 */
export async function goBuildTemporal(go: string, context: SourceContext): Promise<string> {
  const { env, log, fetchMs, progressMs } = context
  return fetchInto(context.cacheDir, async (folder) => {
    log('Building the Temporal server with `go build` (once, takes some minutes).')
    const done = reportProgress(progressMs, (seconds) =>
      log(`… still building the Temporal server, ${seconds} s`),
    )
    const program = join(folder, 'temporal')
    try {
      // In our own process group, so that Ctrl-C ends the build too.
      const child = spawn(go, ['build', '-mod=readonly', '-buildvcs=false', '-o', program, programPackage], {
        cwd: moduleDir,
        env: { ...env, GOWORK: 'off' },
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: fetchMs,
      })
      const output: string[] = []
      child.stderr.on('data', (bytes: Buffer) => output.push(bytes.toString()))
      const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
      if (code === 0) return program
      const end = output.join('').trim().split('\n').slice(-5).join('\n')
      throw new Error(`it ended with ${signal ?? code}: ${end || 'no output'}`)
    } finally {
      done()
    }
  })
}
