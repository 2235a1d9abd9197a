import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { identify, isGoneWithin } from '../../src/process/system-process.ts'
import { projectRoot } from '../../src/process/root.ts'
import { cleanUp, later, startElsewhere, stranger } from './scene.ts'

afterEach(cleanUp, 60_000)

test('when jest is killed, the servers of its run end and its folder goes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gate-test-'))
  chmodSync(folder, 0o711)
  later(() => rmSync(folder, { recursive: true, force: true }))
  const reaper = spawn(process.execPath, [join(projectRoot, 'test', 'support', 'reaper.js'), folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const killed = await startElsewhere(join(folder, 'data'), 'postgres')
  const server = identify(killed.pids.postgres!)!
  const other = identify(stranger().pid)!
  await killed.kill()
  expect(await isGoneWithin(server, 0)).toBe(false)
  reaper.stdin.end()
  await once(reaper, 'exit')
  expect(await isGoneWithin(server, 0)).toBe(true)
  expect(existsSync(folder)).toBe(false)
  expect(await isGoneWithin(other, 0)).toBe(false)
}, 60_000)
