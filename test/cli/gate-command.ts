import { Writable } from 'node:stream'
import { runCli } from '../../src/cli.ts'

export interface CommandResult {
  code: number
  stdout: string
  stderr: string
  /** What stdout holds, which must be one JSON value. */
  json: any
}

/** A port on which nobody listens: Temporal is down. */
export const noTemporal = '127.0.0.1:9'

/** The command line in this process, on one database. */
export function gateOn(env: Record<string, string>): (...argv: string[]) => Promise<CommandResult> {
  return async (...argv) => {
    const [stdout, stderr] = [collector(), collector()]
    const code = await runCli(argv, { env: { TEMPORAL_ADDRESS: noTemporal, ...env }, stdout, stderr })
    return {
      code,
      stdout: stdout.text(),
      stderr: stderr.text(),
      get json() {
        return JSON.parse(stdout.text())
      },
    }
  }
}

function collector(): Writable & { text(): string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  return Object.assign(stream, { text: () => Buffer.concat(chunks).toString('utf8') })
}
