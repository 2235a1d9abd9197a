import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'

/** Runs a module whose process may have 100 descriptors open. `exhaust()` opens all of them. */
function withFewDescriptors(body: string): unknown {
  const module = `
    import { openSync, closeSync } from 'node:fs'
    import { identify, isGoneWithin, isRunning } from './src/process/system-process.ts'
    const open = []
    const exhaust = () => { try { for (;;) open.push(openSync('/dev/null')) } catch {} }
    const free = () => { for (const one of open.splice(0)) closeSync(one) }
    const codeOf = (ask) => { try { return ask() } catch (error) { return error.code } }
    ${body}`
  const runTs = join(projectRoot, 'test/support/run-ts.js')
  const done = spawnSync(
    '/bin/sh',
    ['-c', 'ulimit -n 100 && exec "$@"', 'sh', process.execPath, '--import', runTs, '--input-type=module'],
    { cwd: projectRoot, input: module, encoding: 'utf8' },
  )
  if (done.status !== 0) throw new Error(done.stderr)
  return JSON.parse(done.stdout)
}

test('a living process is not taken for gone where descriptors have run out', () => {
  expect(
    withFewDescriptors(`
      const parent = identify(process.ppid)
      exhaust()
      const [seen, found] = [codeOf(() => isRunning(parent)), codeOf(() => identify(parent.pid))]
      const isGone = await isGoneWithin(parent, 100)
      free()
      process.stdout.write(JSON.stringify({ seen, found, isGone, after: isRunning(parent) }))`),
  ).toEqual({ seen: 'EMFILE', found: 'EMFILE', isGone: false, after: true })
})

test('a process that is gone is gone', () => {
  expect(
    withFewDescriptors(`
      const nobody = { pid: 2 ** 22 + 1, started: '1' }
      const isGone = await isGoneWithin(nobody, 100)
      process.stdout.write(JSON.stringify([isRunning(nobody), isGone]))`),
  ).toEqual([false, true])
})
