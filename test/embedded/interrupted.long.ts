import { spawn } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { afterEach, expect } from '@jest/globals'
import {
  type EmbeddedTemporal,
  startEmbeddedTemporal,
  type TemporalOptions,
} from '../../dev/embedded/temporal.ts'
import { namespaceWriter } from '../../dev/embedded/temporal-watch.ts'
import { projectRoot } from '../../src/process/root.ts'
import { identify, isGoneWithin } from '../../src/process/system-process.ts'
import { shorten } from '../support/shorten.ts'
import { cleanUp, folder, killHard, later, logBook, withTemporal } from './scene.ts'

afterEach(cleanUp, 60_000)

/** With CLI 1.5.1 as it is, which has the old driver, a server gets stuck within a minute or so of this load. */
const rounds = { count: 9, ms: 10_000 }

withTemporal(
  'calls that are cancelled on a busy machine leave no server of the program under test stuck',
  async () => {
    const book = logBook()
    const { address } = await started({ log: book.log })
    let hundreds = 0
    for (let round = 0; round < rounds.count && !book.text().includes('interrupted'); round++)
      hundreds += sum(await Promise.all([cancelledCalls(address), cancelledCalls(address)]))
    expect(book.text()).not.toContain('interrupted')
    // Otherwise nothing was tried.
    expect(hundreds).toBeGreaterThan(20)
  },
)

/** @returns how many hundreds of calls were cancelled */
async function cancelledCalls(address: string): Promise<number> {
  const program = join(projectRoot, 'test', 'embedded', 'cancelled-calls.ts')
  const hooks = join(projectRoot, 'test', 'support', 'run-ts.js')
  const args = ['--no-warnings', '--import', hooks, program, address, String(rounds.ms)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  later(() => killHard(child))
  let lines = 0
  for await (const _ of createInterface(child.stdout)) lines++
  return lines
}

const sum = (counts: number[]): number => counts.reduce((all, one) => all + one, 0)

withTemporal('a workflow that waits while its server is restarted goes on after it', async () => {
  later(shorten({ temporalProbeEveryMs: 10, temporalInterruptedMs: 0 }))
  let isStuck = false
  let hear: () => void = () => undefined
  const restarted = new Promise<void>((resolve) => void (hear = resolve))
  const server = await started({
    write: async () => (isStuck ? 'interrupted' : 'written'),
    restarted: () => {
      isStuck = false
      hear()
    },
  })
  const native = await NativeConnection.connect({ address: server.address })
  later(() => native.close())
  const worker = await Worker.create({
    connection: native,
    taskQueue: 'waiting',
    workflowsPath: fileURLToPath(new URL('waiting-workflow.ts', import.meta.url)),
  })
  const running = worker.run()
  later(async () => {
    worker.shutdown()
    await running
  })
  const client = new Client({ connection: await connected(server) })
  const handle = await client.workflow.start('waitingWorkflow', {
    workflowId: 'waiting',
    taskQueue: 'waiting',
  })
  while ((await handle.fetchHistory()).events!.length < 4) await delay(50)
  isStuck = true
  await restarted
  await handle.signal('release')
  expect(await handle.result()).toBe('went on')
})

withTemporal('a stuck server is restarted on its data and port, and only its real end is told', async () => {
  later(shorten({ temporalProbeEveryMs: 10, temporalInterruptedMs: 0 }))
  const book = logBook()
  let isStuck = false
  let hear: (pid: number) => void = () => undefined
  const restarted = new Promise<number>((resolve) => void (hear = resolve))
  const server = await started({
    log: book.log,
    write: async () => (isStuck ? 'interrupted' : 'written'),
    restarted: (pid) => {
      isStuck = false
      hear(pid)
    },
  })
  const ends: string[] = []
  void server.exited.then((how) => ends.push(how))
  const [before, address] = [identify(server.pid!)!, server.address]
  const client = new Client({ connection: await connected(server) })
  await client.workflow.start('proposal', { workflowId: 'waiting', taskQueue: 'nobody' })

  isStuck = true
  expect(await restarted).toBe(server.pid)
  expect(server.pid).not.toBe(before.pid)
  expect(await isGoneWithin(before, 0)).toBe(true)
  // The client that was there before connects again.
  const { status } = await client.workflow.getHandle('waiting').describe()
  expect(status.name).toBe('RUNNING')
  expect(server.address).toBe(address)
  expect(book.text()).toContain(`Temporal at ${address} answers \`interrupted (9)\``)
  expect(book.text()).toContain(`Temporal at ${address} was restarted.`)
  expect(ends).toEqual([])

  process.kill(server.pid!, 'SIGKILL')
  expect(await server.exited).toBe('it ended (SIGKILL)')
})

withTemporal(
  'what is written to a server of ours is taken, and one that is gone does not answer',
  async () => {
    const server = await started({})
    const writer = await namespaceWriter(server.address, 'default')
    later(() => writer.close())
    const { signal } = new AbortController()
    expect(await writer.write(signal)).toBe('written')
    expect(getEventListeners(signal, 'abort')).toEqual([])
    await server.stop()
    expect(await writer.write(signal)).toBe('unanswered')
  },
)

async function started(more: Partial<TemporalOptions>): Promise<EmbeddedTemporal> {
  const program = process.env['TEST_TEMPORAL_PROGRAM'] ?? ''
  const server = await startEmbeddedTemporal({
    dbFile: join(folder(), 'temporal.db'),
    headless: true,
    log: () => undefined,
    sources: [{ name: 'the program under test', find: () => ({ program }) }],
    ...more,
  })
  later(() => server.stop())
  return server
}

async function connected({ address }: EmbeddedTemporal): Promise<Connection> {
  const connection = await Connection.connect({ address })
  later(() => connection.close())
  return connection
}
