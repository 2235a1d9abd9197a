import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'

// What `npm start` and `npm run build` do with a tree: the real compiler on small sources.

const sources = {
  'package.json': '{"type":"module"}',
  'dev/start.ts': `import { word } from '../src/word.ts'
    export async function start(bundled: Promise<unknown>): Promise<void> {
      await bundled
      console.log(\`started with \${word}\`)
    }`,
  'src/word.ts': `export const word: string = 'one'`,
  'src/temporal/names.ts': `export const name = 'proposal'`,
  'src/temporal/workflow-limits.ts': `export const most = 1`,
  // This stands in for Temporal's bundler.
  'src/temporal/build-bundle.ts': `import { readFileSync, writeFileSync } from 'node:fs'
    writeFileSync('dist/workflow-bundle.js', readFileSync('dist/workflows/index.js'))`,
  'workflows/index.ts': `export const workflow = 'waits'`,
  'activities/index.ts': `export {}`,
}

let tree: string
beforeEach(() => {
  tree = mkdtempSync(join(process.env['TEST_RUN_DIR']!, 'compile-'))
  for (const name of ['bin', 'tsconfig.json', 'tsconfig.build.json'])
    cpSync(join(projectRoot, name), join(tree, name), { recursive: true })
  symlinkSync(join(projectRoot, 'node_modules'), join(tree, 'node_modules'))
  for (const [name, text] of Object.entries(sources)) write(name, text)
})

const at = (name: string) => join(tree, name)
const write = (name: string, text: string) => {
  mkdirSync(dirname(at(name)), { recursive: true })
  writeFileSync(at(name), text)
}

function run(program: 'build.js' | 'start.js') {
  const done = spawnSync(process.execPath, [at(`bin/${program}`)], { cwd: tree, encoding: 'utf8' })
  return { code: done.status, stdout: done.stdout, stderr: done.stderr }
}

/** The outputs, each with the moment it was written. */
const outputs = [
  'dist/dev/start.js',
  'dist/src/word.js',
  'dist/workflows/index.js',
  'dist/workflow-bundle.js',
  'dist/.compiled',
  'dist/.bundled',
]
const written = () => outputs.map((name) => statSync(at(name)).mtimeMs)
const started = (word: string) => ({ code: 0, stdout: `started with ${word}\n`, stderr: '' })

test('a start after no change compiles nothing and bundles nothing, also where files have other times', () => {
  expect(run('start.js')).toEqual(started('one'))
  const before = written()
  for (const name of Object.keys(sources)) utimesSync(at(name), new Date(), new Date())
  expect(run('start.js')).toEqual(started('one'))
  expect(written()).toEqual(before)
  run('build.js')
  const checked = written()
  expect(run('start.js')).toEqual(started('one'))
  expect(run('build.js').code).toBe(0)
  expect(written()).toEqual(checked)
})

test('a changed source is compiled, also where the file keeps its time and its length; the workflows are left alone', () => {
  run('start.js')
  const bundledAt = statSync(at('dist/workflow-bundle.js')).mtimeMs
  const { atime, mtime } = statSync(at('src/word.ts'))
  write('src/word.ts', sources['src/word.ts'].replace('one', 'two'))
  utimesSync(at('src/word.ts'), atime, mtime)
  expect(run('start.js')).toEqual(started('two'))
  expect(statSync(at('dist/workflow-bundle.js')).mtimeMs).toBe(bundledAt)
})

test('changed workflows are bundled again', () => {
  run('build.js')
  write('workflows/index.ts', `export const workflow = 'waits longer'`)
  expect(run('build.js').code).toBe(0)
  expect(readFileSync(at('dist/workflow-bundle.js'), 'utf8')).toContain('waits longer')
})

test('the output of a source that was removed or renamed is gone', () => {
  write('src/deep/old.ts', 'export const old = 1')
  run('build.js')
  expect(existsSync(at('dist/src/deep/old.js'))).toBe(true)
  renameSync(at('src/deep/old.ts'), at('src/deep/new.ts'))
  expect(run('build.js').code).toBe(0)
  expect(['old.js', 'old.js.map', 'new.js'].map((name) => existsSync(at(`dist/src/deep/${name}`)))).toEqual([
    false,
    false,
    true,
  ])
})

test('an output that was removed is written again', () => {
  run('build.js')
  rmSync(at('dist/src/word.js'))
  rmSync(at('dist/workflow-bundle.js'))
  expect(run('start.js')).toEqual(started('one'))
  expect(existsSync(at('dist/workflow-bundle.js'))).toBe(true)
})

test('a tree that was never compiled is started without a check of its types; a build checks them', () => {
  write('src/word.ts', `export const word: number = 'one'`)
  expect(run('start.js')).toEqual(started('one'))
  expect(run('build.js')).toMatchObject({ code: 1, stderr: expect.stringContaining('TS2322') })
  expect(run('start.js').code).toBe(1)
  write('src/word.ts', sources['src/word.ts'])
  expect(run('build.js').code).toBe(0)
})

test('a tree that does not compile is not started, and not taken for built once the sources are as before', () => {
  run('build.js')
  write('src/word.ts', `export const word: string = 3`)
  expect(run('start.js')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/TS2322[^]*The program does not compile\./),
  })
  expect(run('start.js').code).toBe(1)
  write('src/word.ts', sources['src/word.ts'])
  expect(run('start.js')).toEqual(started('one'))
})

test('a bundle that failed ends the start, and is made by the next', () => {
  const bundler = sources['src/temporal/build-bundle.ts']
  write('src/temporal/build-bundle.ts', `throw new Error('no room')`)
  expect(run('start.js')).toMatchObject({ code: 1, stderr: expect.stringContaining('no room') })
  write('src/temporal/build-bundle.ts', bundler)
  expect(run('start.js')).toEqual(started('one'))
})
