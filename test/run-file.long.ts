import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../src/process/root.ts'

// How test files are run: in one process, which is the same for all of them.

const head = `import { expect, jest, test } from '@jest/globals'
import { limits } from '${join(projectRoot, 'src/limits.ts')}'
`

/** Runs these files in their order, in one process. @returns the tests by their status, and the files that failed as a whole */
function run(...files: string[]): { tests: Record<string, string>; whole: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'gate-run-file-'))
  try {
    // Jest runs what it has not run before by its size, the largest first.
    for (const [i, code] of files.entries())
      writeFileSync(join(folder, `${i}.test.ts`), `${head}${code}\n${'//\n'.repeat(5_000 - 1_000 * i)}`)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const config = {
      rootDir: folder,
      testMatch: ['**/*.test.ts'],
      testEnvironment: join(projectRoot, 'test/support/jest/environment.js'),
      testRunner: join(projectRoot, 'test/support/jest/run-file.js'),
      injectGlobals: false,
      cacheDirectory: join(folder, 'cache'),
    }
    const jest = join(projectRoot, 'node_modules/jest/bin/jest.js')
    const args = ['--no-warnings', jest, '--config', JSON.stringify(config), '--runInBand', '--json']
    const { stdout } = spawnSync(process.execPath, args, { cwd: projectRoot, encoding: 'utf8' })
    const { testResults } = JSON.parse(stdout)
    const tests = testResults.flatMap((file: any) => file.assertionResults)
    return {
      tests: Object.fromEntries(tests.map(({ title, status }: any) => [title, status])),
      whole: testResults
        .filter((file: any) => file.assertionResults.length === 0)
        .map((file: any) => file.message),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('a rejection that nobody handles, and an error that nobody catches, fail the test that they came from', () => {
  const found = run(`
test('rejects', async () => {
  void Promise.reject(new Error('unheard'))
  await new Promise((resolve) => setTimeout(resolve, 5))
})
test('throws later', async () => {
  setTimeout(() => { throw new Error('uncaught') }, 1)
  await new Promise((resolve) => setTimeout(resolve, 20))
})
test('is well', () => expect(1).toBe(1))`)
  expect(found).toEqual({
    tests: { rejects: 'failed', 'throws later': 'failed', 'is well': 'passed' },
    whole: [],
  })
})

test('a file finds the process as it was, whatever the one before changed', () => {
  const found = run(
    `
test('changes', () => {
  Object.assign(process.env, { MADE_BY_A_TEST: '1', PATH: '/nowhere' })
  process.chdir('/')
  jest.spyOn(Math, 'random').mockReturnValue(7)
  jest.useFakeTimers()
})`,
    `
test('finds nothing of it', async () => {
  expect([process.env.MADE_BY_A_TEST, process.env.PATH === '/nowhere']).toEqual([undefined, false])
  expect(process.cwd()).not.toBe('/')
  expect(Math.random()).toBeLessThan(1)
  await new Promise((resolve) => setTimeout(resolve, 1))
})`,
  )
  expect(found).toEqual({ tests: { changes: 'passed', 'finds nothing of it': 'passed' }, whole: [] })
})

test('a file that leaves bounds changed fails, and the next one has them as they were', () => {
  const found = run(
    `test('shortens', () => void Object.assign(limits, { listingFoldersMax: 1 }))`,
    `test('has them', () => expect(limits.listingFoldersMax).toBeGreaterThan(1))`,
  )
  expect(found).toEqual({
    tests: { 'has them': 'passed' },
    whole: [expect.stringContaining('listingFoldersMax')],
  })
})

test('a context that a file runs something in is left when the file has ended, and can be entered again', () => {
  const context = `import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'\n`
  const found = run(
    `${context}
test('enters it', () => {
  globalThis.place = new AsyncLocalStorage()
  globalThis.within = place.run('first', () => AsyncResource.bind(() => place.getStore()))
  expect(within()).toBe('first')
})`,
    `
test('is outside', () => {
  expect(within()).toBeUndefined()
  expect(place.run('second', () => place.getStore())).toBe('second')
})`,
  )
  expect(found).toEqual({ tests: { 'enters it': 'passed', 'is outside': 'passed' }, whole: [] })
})
