import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../src/process/root.ts'

/** Files of ours and packages that are loaded with these files, by what the compiler leaves of their imports. */
function loadedBy(...starts: string[]): { files: string[]; packages: string[] } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const waiting = starts.map((start) => join(projectRoot, start))
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue
    files.add(file)
    for (const name of importsOf(readFileSync(file, 'utf8'))) {
      if (name.startsWith('.')) waiting.push(join(dirname(file), name))
      else if (!name.startsWith('node:')) packages.add(name)
    }
  }
  return {
    files: [...files].map((file) => relative(projectRoot, file)).sort(),
    packages: [...packages].sort(),
  }
}

/** Without `import type`, which is gone once compiled, and `import()`, which waits until it is called. */
function importsOf(source: string): string[] {
  const statement = /^(?:import|export)\s(?!type\s)(?:[^'"]*?\sfrom\s+)?'([^']+)'/gm
  return [...source.matchAll(statement)].map((match) => match[1]!)
}

test('only imports that are left once the types are gone are counted', () => {
  const source = `
    import a from './a.ts'
    import { type B, b } from './b.ts'
    import {
      c,
    } from './c.ts'
    import './d.ts'
    export * from './e.ts'
    import type { F } from './f.ts'
    export type { G } from './g.ts'
    export const h = () => import('./h.ts')`
  expect(importsOf(source.replaceAll('\n    ', '\n'))).toEqual([
    './a.ts',
    './b.ts',
    './c.ts',
    './d.ts',
    './e.ts',
  ])
})

test('the gate loads its own files, and no package', () => {
  const own = readdirSync(join(projectRoot, 'src/gate'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/gate/${file}`)
  expect(loadedBy(...own)).toEqual({ files: own.toSorted(), packages: [] })
})

test.each([
  ['the card that a member consents to', ['src/consent/card.ts'], 12, ['get-east-asian-width', 'uuid']],
  [
    'what an outside verifier checks an export with',
    ['src/ledger/verify-file.ts'],
    13,
    ['#verify', 'uuid', 'zod'],
  ],
  // It also holds the ledger against its seals and the record of them.
  [
    '`gate ledger verify`',
    ['src/cli.ts', 'src/cli/nouns/ledger.ts'],
    102,
    ['#verify', 'postgres', 'uuid', 'zod'],
  ],
])('%s loads little', (_, starts, filesMax, packages) => {
  const loaded = loadedBy(...starts)
  expect(loaded.packages).toEqual(packages)
  expect(loaded.files.length).toBeLessThanOrEqual(filesMax)
})

test('the command line loads the verbs of a noun when it is asked for one', () => {
  const verbs = readdirSync(join(projectRoot, 'src/cli/nouns'), { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      readFileSync(join(projectRoot, 'src/cli/nouns', file), 'utf8').includes('defineVerb({'),
  )
  expect(verbs).toContain('ledger.ts')
  const { files } = loadedBy('src/cli.ts')
  expect(files.filter((file) => verbs.some((verb) => file === `src/cli/nouns/${verb}`))).toEqual([])
})
