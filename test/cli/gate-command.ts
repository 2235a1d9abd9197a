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

export interface AccountCommands {
  account: string
  /** A verb about this account that must go well. Answers its JSON. */
  ok(noun: string, verb: string, ...options: string[]): Promise<any>
  /** A verb about this account that must be refused. Answers the reason. */
  refused(noun: string, verb: string, ...options: string[]): Promise<string>
}

/** Makes an account by the command line, and talks about it. */
export async function newAccount(gate: ReturnType<typeof gateOn>): Promise<AccountCommands> {
  const account: string = (await gate('account', 'create', '--name', 'Acme', '--json')).json.account_id
  const about = (noun: string, verb: string, options: string[]) =>
    gate(noun, verb, '--account', account, '--json', ...options)
  return {
    account,
    async ok(noun, verb, ...options) {
      const result = await about(noun, verb, options)
      if (result.code !== 0 || result.stderr !== '')
        throw new Error(`${noun} ${verb}: ${result.code} ${result.stderr}`)
      return result.json
    },
    async refused(noun, verb, ...options) {
      const result = await about(noun, verb, options)
      if (result.code !== 1 || result.stdout !== '')
        throw new Error(`${noun} ${verb}: ${result.code} ${result.stdout}`)
      return result.stderr.trim()
    },
  }
}

export const ada = ['--email', 'ada@example.com']
export const adaToAdd = ['--name', 'Ada', ...ada, '--slack', 'U0ADA']
const slugAndTitle = ['--slug', 'safe-sending', '--title', 'Safe sending']
export const safeSending = [...slugAndTitle, '--modules', '2', '--grants', 'guarded_write']
