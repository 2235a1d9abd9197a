import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { commandOf, identify, isGoneWithin } from '../../src/process/system-process.ts'
import { claimRunFile, readRunFile, type RunFile } from '../../src/data-dir/run-file.ts'
import { cleanUp, folder, logBook, startElsewhere, stranger, withTemporal } from '../embedded/scene.ts'

afterEach(cleanUp, 60_000)
const quiet = logBook().log

test('the run file tells addresses to this user alone, and is gone after a clean stop', async () => {
  const dataDir = folder()
  const claim = await claimRunFile(dataDir, quiet)
  claim.record({ addresses: { base_url: 'http://127.0.0.1:8787' } })
  claim.record({ pids: { postgres: process.ppid }, temporal: { address: '127.0.0.1:7233' } })
  expect(statSync(join(dataDir, 'run.json')).mode & 0o777).toBe(0o600)
  expect(readRunFile(dataDir)).toMatchObject({
    owner: { pid: process.pid },
    servers: { postgres: { pid: process.ppid } },
    temporal: { address: '127.0.0.1:7233' },
    addresses: { base_url: 'http://127.0.0.1:8787' },
  })
  claim.release()
  expect(existsSync(join(dataDir, 'run.json'))).toBe(false)
  expect(readRunFile(dataDir)).toBeUndefined()
})

test('a second start on the same DATA_DIR is refused and told which process runs there', async () => {
  const dataDir = folder()
  const other = await startElsewhere(dataDir)
  await expect(claimRunFile(dataDir, quiet)).rejects.toThrow(
    `The service is already running on ${dataDir} (process ${other.child.pid})`,
  )
  expect(readRunFile(dataDir)?.owner.pid).toBe(other.child.pid)
  await other.kill()
  expect(readRunFile(dataDir)).toBeUndefined()
  const claim = await claimRunFile(dataDir, quiet)
  expect(readRunFile(dataDir)?.owner.pid).toBe(process.pid)
  claim.release()
})

test('one of many starts at once wins, on the data that a killed process left', async () => {
  const dataDir = folder()
  await (await startElsewhere(dataDir)).kill()
  const attempts = await Promise.allSettled([1, 2, 3].map(() => startElsewhere(dataDir)))
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
}, 60_000)

withTemporal(
  'servers of a killed start are stopped by the next one, whatever it starts itself',
  async () => {
    const dataDir = folder()
    const killed = await startElsewhere(dataDir, 'postgres', 'temporal')
    await killed.kill()
    const left = [killed.pids.postgres!, killed.pids.temporal!].map((pid) => identify(pid)!)
    expect(left.every(Boolean)).toBe(true)
    const book = logBook()
    const claim = await claimRunFile(dataDir, book.log)
    expect(book.lines).toHaveLength(2)
    expect(await Promise.all(left.map((server) => isGoneWithin(server, 0)))).toEqual([true, true])
    claim.release()
  },
  60_000,
)

test('an unrelated process with a recorded pid is never signalled', async () => {
  const dataDir = folder()
  const other = stranger()
  const wrong = { pid: other.pid, started: 'another time' }
  const stale: RunFile = { owner: wrong, servers: { postgres: wrong, temporal: wrong }, addresses: {} }
  writeFileSync(join(dataDir, 'run.json'), JSON.stringify(stale))
  const claim = await claimRunFile(dataDir, quiet)
  expect(commandOf(other.pid)).toBe('sleep 600')
  expect((JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as RunFile).owner.pid).toBe(process.pid)
  claim.release()
  other.kill()
  await once(other, 'exit')
})
