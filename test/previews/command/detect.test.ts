import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { symlinkSync } from 'node:fs'
import { detectCommand } from '../../../src/previews/command/detect.ts'
import { type TestWorkspace, freshWorkspace } from '../../support/workspace-tree.ts'
import { testRows } from '../../support/rows.ts'

let tree: TestWorkspace
const setUp = async () => {
  tree = await freshWorkspace()
}
beforeEach(setUp)
const tearDown = () => tree.remove()
afterEach(tearDown)

const listen = { host: '127.0.0.1', port: 3000 }
const detected = () => detectCommand(tree.open('built'), listen)

function write(scripts: Record<string, string>, files: Record<string, string> = {}, more: object = {}): void {
  tree.write({ 'package.json': JSON.stringify({ scripts, ...more }), ...files })
}

/** An installed package with one program. */
const installed = (name: string, program: string, file = 'bin/run.js'): Record<string, string> => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ bin: { [program]: `./${file}` } }),
  [`node_modules/${name}/${file}`]: '',
})

testRows(
  [
    ['vite', 'vite', ['--host', '127.0.0.1', '--port', '3000', '--strictPort']],
    ['vite', 'vite dev', ['dev', '--host', '127.0.0.1', '--port', '3000', '--strictPort']],
    ['vite', 'vite preview', ['preview', '--host', '127.0.0.1', '--port', '3000', '--strictPort']],
    ['next', 'next dev --turbo', ['dev', '--turbo', '-H', '127.0.0.1', '-p', '3000']],
    ['next', 'next start', ['start', '-H', '127.0.0.1', '-p', '3000']],
    ['astro', 'astro dev', ['dev', '--host', '127.0.0.1', '--port', '3000']],
    ['nuxt', 'nuxt dev', ['dev', '--host', '127.0.0.1', '--port', '3000']],
    ['react-scripts', 'react-scripts start', ['start']],
    ['serve', 'serve -s dist', ['-s', 'dist', '--listen', 'tcp://127.0.0.1:3000']],
    ['http-server', 'http-server dist', ['dist', '-a', '127.0.0.1', '-p', '3000']],
    ['other', 'other --fast', ['--fast']],
  ],
  [tearDown, setUp],
)('a known program is run by Node itself and told where to listen', async (name, script, args) => {
  write({ dev: script }, installed(name, name), { dependencies: { [name]: '1' } })
  expect((await detected()).nodeArgs).toEqual([`node_modules/${name}/bin/run.js`, ...args])
})

testRows<[string, Record<string, string>, string[]]>(
  [
    ['dev before start', { start: 'node b.js', dev: 'node a.js' }, ['a.js']],
    ['start before preview', { preview: 'node b.js', start: 'node a.js' }, ['a.js']],
    ['what is no one command is passed over', { dev: 'build && node b.js', start: 'node a.js' }, ['a.js']],
    ['what does not serve is passed over', { dev: 'vite build --watch', start: 'node a.js' }, ['a.js']],
    [
      'a script that names another',
      { dev: 'npm run serve:it', 'serve:it': 'node --watch a.js' },
      ['--watch', 'a.js'],
    ],
    [
      'variables and quotes',
      { dev: `A=1 cross-env B="two words" node 'a b.js' --x="y"` },
      ['a b.js', '--x=y'],
    ],
  ],
  [tearDown, setUp],
)('of the scripts, the one that serves is run', async (_, scripts, expected) => {
  write(scripts)
  expect((await detected()).nodeArgs).toEqual(expected)
})

test('variables of a script reach the app', async () => {
  write({ dev: `A=1 cross-env B="two words" node a.js` })
  expect((await detected()).variables).toEqual({ A: '1', B: 'two words' })
})

test('a program that a package of another name brings is found', async () => {
  write({ dev: 'ng serve' }, installed('@angular/cli', 'ng'), { devDependencies: { '@angular/cli': '1' } })
  expect((await detected()).nodeArgs).toEqual(['node_modules/@angular/cli/bin/run.js', 'serve'])
})

test('without scripts server.js is run', async () => {
  tree.write({ 'server.js': '' })
  expect(await detected()).toEqual({ nodeArgs: ['server.js'], variables: {}, writable: [] })
})

test('a built app is served as it is; in development its folder is written again', async () => {
  const next = { ...installed('next', 'next'), '.next/BUILD_ID': '1' }
  write({ start: 'next start' }, next)
  expect((await detected()).writable).toEqual([])
  write({ dev: 'next dev' }, next)
  expect((await detected()).writable).toEqual(['.next'])
})

test.each<[string, Record<string, string>, object]>([
  ['a declared package that is not installed', { dev: 'node a.js' }, { dependencies: { left: '1' } }],
  ['a program that is not installed', { dev: 'vite' }, {}],
  ['a program whose package has no such file', { dev: 'gone' }, { devDependencies: { gone: '1' } }],
])('%s is told', async (_, scripts, more) => {
  write(scripts, { 'node_modules/gone/package.json': '{"bin":"missing.js"}' }, more)
  await expect(detected()).rejects.toMatchObject({ code: 'dependencies_missing' })
})

testRows<[string, Record<string, string>]>(
  [
    ['no file at all', {}],
    ['no package.json', { 'index.html': '' }],
    ['a package.json that is none', { 'package.json': '{' }],
    ['one of another shape', { 'package.json': '{"scripts":["dev"],"dependencies":1}' }],
    ['scripts that are no strings', { 'package.json': '{"scripts":{"dev":1}}' }],
    [
      'one that is far too long',
      { 'package.json': `{"scripts":{"dev":"node a.js"},"x":"${'x'.repeat(1_100_000)}"}` },
    ],
    [
      'a script that goes in circles',
      { 'package.json': '{"scripts":{"dev":"npm run start","start":"npm run dev"}}' },
    ],
    ['a script that takes a shell', { 'package.json': '{"scripts":{"dev":"node a.js; rm -rf $HOME"}}' }],
    ['a script with a NUL', { 'package.json': '{"scripts":{"dev":"node a\\u0000.js"}}' }],
    ['a script without a word', { 'package.json': '{"scripts":{"dev":"A=1"}}' }],
    ['names of every object', { 'package.json': '{"scripts":{"__proto__":"x"},"dependencies":{}}' }],
  ],
  [tearDown, setUp],
)('a workspace without a script to run has nothing to run', async (_, files) => {
  tree.write(files)
  await expect(detected()).rejects.toMatchObject({ code: 'no_command' })
})

testRows(['constructor', '__proto__', 'toString', '../x', '/bin/sh'], [tearDown, setUp])(
  'a program with such a name is none that a package brings',
  async (program) => {
    write({ dev: program }, {}, { devDependencies: { '../..': '1' } })
    await expect(detected()).rejects.toMatchObject({ code: 'dependencies_missing' })
  },
)

test('a program behind a link is not installed', async () => {
  tree.write({ 'real/package.json': '{"bin":"run.js"}', 'real/run.js': '', 'node_modules/.keep': '' })
  symlinkSync(tree.path('real'), tree.path('node_modules/linked'))
  write({ dev: 'linked' }, {}, { dependencies: { linked: '1' } })
  await expect(detected()).rejects.toMatchObject({ code: 'dependencies_missing' })
})
