import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { afterEach, expect } from '@jest/globals'
import { identify, isGoneWithin } from '../../src/process/system-process.ts'
import {
  startEmbeddedTemporal,
  type EmbeddedTemporal,
  type TemporalOptions,
} from '../../dev/embedded/temporal.ts'
import { cleanUp, folder, later, logBook, startElsewhere, withTemporal } from './scene.ts'

afterEach(cleanUp, 60_000)

const env = { ...process.env, TEMPORAL_ADDRESS: '' }

withTemporal(
  'the server answers on the loopback interface, knows our search attributes and shows its pages',
  async () => {
    const server = await started(join(folder(), 'temporal.db'))
    const connection = await connected(server)
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace: 'default',
    })
    expect(Object.keys(customAttributes)).toEqual(
      expect.arrayContaining(['AccountId', 'ActionId', 'ActionKind', 'ActionStatus']),
    )
    expect(server.address).toMatch(/^127\.0\.0\.1:\d+$/)
    expect((await fetch(server.uiUrl!)).status).toBe(200)
  },
)

withTemporal(
  'a second start on the same file still has the workflows, and no process outlives a stop',
  async () => {
    const dbFile = join(folder(), 'temporal.db')
    const first = await started(dbFile, { headless: true })
    expect(first.uiUrl).toBeUndefined()
    const client = new Client({ connection: await connected(first) })
    await client.workflow.start('proposal', { workflowId: 'waiting', taskQueue: 'nobody' })
    const identity = identify(first.pid!)!
    await Promise.all([first.stop(), first.stop()])
    expect(await isGoneWithin(identity, 0)).toBe(true)
    expect(existsSync(`${dbFile}.pid`)).toBe(false)
    const second = await started(dbFile, { headless: true })
    const again = new Client({ connection: await connected(second) })
    const { status } = await again.workflow.getHandle('waiting').describe()
    expect(status.name).toBe('RUNNING')
  },
  60_000,
)

withTemporal(
  'a server left by a killed start is stopped, and its workflows are there',
  async () => {
    const dataDir = folder()
    const killed = await startElsewhere(dataDir, 'temporal')
    await killed.kill()
    const left = identify(killed.pids.temporal!)!
    const book = logBook()
    await started(join(dataDir, 'temporal.db'), { headless: true, log: book.log })
    expect(book.text()).toContain(`an earlier start left running (process ${left.pid})`)
    expect(await isGoneWithin(left, 0)).toBe(true)
  },
  60_000,
)

withTemporal('a preferred port is taken when it is free and replaced when it is not', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  later(() => other.close())
  const { port } = other.address() as { port: number }
  const first = await started(join(folder(), 'temporal.db'), { headless: true, port })
  expect(first.address).not.toBe(`127.0.0.1:${port}`)
  const wish = Number(first.address.split(':')[1])
  await first.stop()
  const second = await started(join(folder(), 'temporal.db'), { headless: true, port: wish })
  expect(second.address).toBe(first.address)
})

async function started(dbFile: string, more: Partial<TemporalOptions> = {}): Promise<EmbeddedTemporal> {
  const server = await startEmbeddedTemporal({ dbFile, env, log: logBook().log, ...more })
  later(() => server.stop())
  return server
}

async function connected({ address }: EmbeddedTemporal): Promise<Connection> {
  const connection = await Connection.connect({ address })
  later(() => connection.close())
  return connection
}
