import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../src/embedded/free-port.ts'
import { projectRoot } from '../../src/process/root.ts'
import { type Started, type startNode, untilAnswering } from './processes.ts'

/** A second API and a second worker. */
export interface SecondProcesses {
  apiUrl: string
  stop(): Promise<void>
}

/** Starts both beside those that run, and waits until they are ready. */
export async function startSecondProcesses(options: {
  node: (name: string, given: Omit<Parameters<typeof startNode>[0], 'logFile'>) => Started
  /** Of the first ones. */
  env: Record<string, string>
}): Promise<SecondProcesses> {
  const [apiPort, workerPort] = [await freePort(), await freePort()]
  const start = (name: 'api' | 'worker', ports: Record<string, string>) =>
    options.node(`second-${name}`, {
      program: gateProgram(name),
      env: { ...options.env, ...ports, DRAIN_SECONDS: '0' },
      nodeArgs: nodeFlags(name),
    })
  const api = start('api', { PORT: String(apiPort) })
  const worker = start('worker', { WORKER_PORT: String(workerPort) })
  await Promise.all([
    untilAnswering(`http://127.0.0.1:${apiPort}/readyz`, api),
    untilAnswering(`http://127.0.0.1:${workerPort}/readyz`, worker),
  ])
  return {
    apiUrl: `http://127.0.0.1:${apiPort}`,
    async stop() {
      await Promise.all([api.stop(), worker.stop()])
    },
  }
}

export const gateProgram = (name: string) => join(projectRoot, `dist/src/${name}.js`)

/** Node's flags in `npm run api` and `npm run worker`. */
export function nodeFlags(process: 'api' | 'worker'): string[] {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    scripts: Record<typeof process, string>
  }
  return scripts[process].split(' ').slice(1, -1)
}
