import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fetchInto, reportProgress } from './fetch-folder.ts'
import type { SourceContext } from './source-context.ts'

/** The newest version that `go install` accepts: it refuses later ones because of a replace directive. */
const goModule = 'github.com/temporalio/cli/cmd/temporal@v1.5.1'

/**
 * Builds the server program from its Go module into the cache directory. Takes several minutes, once.
 * @param go  path of the `go` program
 * @throws Error with the end of Go's output
 */
export async function goInstallTemporal(go: string, context: SourceContext): Promise<string> {
  const { env, log, fetchMs, progressMs } = context
  return fetchInto(context.cacheDir, async (folder) => {
    log('Building the Temporal server with `go install` (once, takes some minutes).')
    const done = reportProgress(progressMs, (seconds) =>
      log(`… still building the Temporal server, ${seconds} s`),
    )
    try {
      // In our own process group, so that Ctrl-C ends the build too.
      const child = spawn(go, ['install', goModule], {
        cwd: folder,
        env: { ...env, GOBIN: folder },
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: fetchMs,
      })
      const output: string[] = []
      child.stderr.on('data', (bytes: Buffer) => output.push(bytes.toString()))
      const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
      if (code === 0) return join(folder, 'temporal')
      const end = output.join('').trim().split('\n').slice(-5).join('\n')
      throw new Error(`it ended with ${signal ?? code}: ${end || 'no output'}`)
    } finally {
      done()
    }
  })
}
