import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { projectRoot } from '../../src/process/root.ts'

export interface WitnessProcess {
  name: string
  vkey: string
  address: string
  policyLine: string
  child: ChildProcess
  /** Ends it with a signal, and waits. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/**
 * `gate witness` as a process of its own.
 * @param preload  a module that is loaded into it first
 * @throws Error with what it says where it does not start
 */
export async function startWitness(args: string[], preload?: string): Promise<WitnessProcess> {
  const modules = ['./test/support/run-ts.js', ...(preload === undefined ? [] : [preload])]
  const child = spawn(
    process.execPath,
    [...modules.flatMap((file) => ['--import', file]), join('src', 'cli.ts'), 'witness', ...args, '--json'],
    { cwd: projectRoot, env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  let said = ''
  child.stderr!.on('data', (chunk: Buffer) => {
    said += chunk
  })
  const lines = createInterface({ input: child.stdout! })
  const first = await Promise.race([once(lines, 'line'), exited.then(() => undefined)])
  if (first === undefined) throw new Error(said)
  const { policy_line: policyLine, ...shown } = JSON.parse(first[0] as string)
  return {
    ...shown,
    policyLine,
    child,
    async end(signal) {
      child.kill(signal)
      const [code, by] = await exited
      return { code, signal: by }
    },
  }
}
