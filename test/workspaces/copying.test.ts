import { afterEach, beforeEach, expect, test } from '@jest/globals'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { limits } from '../../src/limits.ts'
import { type TestWorkspace, freshWorkspace } from '../support/workspace-tree.ts'

let tree: TestWorkspace
let target: string
beforeEach(async () => {
  tree = await freshWorkspace()
  target = join(tree.outside, 'copy')
  mkdirSync(target)
})
afterEach(() => tree.remove())

const copied = () => (readdirSync(target, { recursive: true }) as string[]).toSorted()

test('a copy holds the files that are shown, as files of their own', async () => {
  tree.write({
    'index.html': 'page',
    'css/site.css': 'x'.repeat(600_000),
    '.env': 'A=1',
    '.gitignore': 'dist',
    'dist/a': '',
  })
  symlinkSync(join(tree.outside, 'secret.txt'), tree.path('link'))
  expect(await tree.store.materialize(target)).toEqual({ files: 3, bytes: 600_008 })
  expect(copied()).toEqual(['.gitignore', 'css', 'css/site.css', 'index.html'])
  appendFileSync(tree.path('index.html'), 'more')
  expect(readFileSync(join(target, 'index.html'), 'utf8')).toBe('page')
})

test('a copy to be run has what was built and what was installed too, and programs stay programs', async () => {
  tree.write({ '.gitignore': 'dist', 'dist/run.sh': '', 'node_modules/x/i.js': '', id_rsa: 'hidden' })
  chmodSync(tree.path('dist/run.sh'), 0o755)
  await tree.open('built').materialize(target)
  expect(copied()).toEqual([
    '.gitignore',
    'dist',
    'dist/run.sh',
    'node_modules',
    'node_modules/x',
    'node_modules/x/i.js',
  ])
  expect(statSync(join(target, 'dist/run.sh')).mode & 0o111).not.toBe(0)
})

test('a workspace that is too large is not copied', async () => {
  tree.write({ a: '' })
  truncateSync(tree.path('a'), limits.copyBytesMax + 1)
  await expect(tree.store.materialize(target)).rejects.toMatchObject({ code: 'too_large' })
}, 60_000)
