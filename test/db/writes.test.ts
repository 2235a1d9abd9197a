import { execFileSync } from 'node:child_process'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { asOneRequest, hasWritten, noteWrite } from '../../src/db/writes.ts'
import { projectRoot } from '../../src/process/root.ts'

test('a request knows that it has written, also after another one ended', async () => {
  let endFirst!: () => void
  const isFirstOver = new Promise<void>((resolve) => (endFirst = resolve))
  const first = asOneRequest(async () => {
    noteWrite()
    await isFirstOver
    return hasWritten()
  })
  const second = asOneRequest(async () => {
    const before = hasWritten()
    noteWrite()
    endFirst()
    await first
    await turn()
    return [before, hasWritten()]
  })
  expect(await first).toBe(true)
  expect(await second).toEqual([false, true])
  expect(hasWritten()).toBe(false)
})

test('an error of a request that wrote passes through, and the next request has not written', async () => {
  const failed = asOneRequest(async () => {
    noteWrite()
    throw new Error('gone')
  })
  await expect(failed).rejects.toThrow('gone')
  expect(await asOneRequest(async () => hasWritten())).toBe(false)
})

// This runs in a process of its own, because Jest keeps hooks.
test('after the last request, promises are not hooked', () => {
  const program = `
    import { executionAsyncId } from 'node:async_hooks'
    import { setImmediate as turn } from 'node:timers/promises'
    import { asOneRequest } from './src/db/writes.ts'
    await asOneRequest(async () => turn())
    await turn()
    await null
    const before = executionAsyncId()
    await null
    // With a hook, what runs after an await has an id of its own.
    process.stdout.write(executionAsyncId() === before ? 'free' : 'hooked')`
  const args = ['--import', './test/support/run-ts.js', '--input-type=module', '--eval', program]
  expect(execFileSync(process.execPath, args, { cwd: projectRoot, encoding: 'utf8' })).toBe('free')
})
