import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'
import { testRows } from '../support/rows.ts'
import { testAndGroupNames } from '../support/test-names.ts'
import { anchorsOf, codeWordsOf, pages, proseOf, readPage } from './markdown.ts'

testRows(pages)('a page has no broken link', (page) => {
  expect(linksOf(readPage(page)).filter((target) => !leadsSomewhere(page, target))).toEqual([])
})

const fileNames = sources().map((file) => basename(file))

testRows(pages)('a page names only files that exist', (page) => {
  const words = codeWordsOf(readPage(page))
  const named = words.filter((word) =>
    /^(src|test|docs|bench|workflows|activities|\.ci)\/[\w./-]+$/.test(word),
  )
  expect(named.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
  const bare = words.filter((word) => /^[\w-]+\.ts$/.test(word))
  expect(bare.filter((name) => !fileNames.includes(name))).toEqual([])
})

testRows(pages)('a page names only npm scripts that exist', (page) => {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const named = [...readPage(page).matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g)].map((match) => match[1]!)
  expect(named.filter((name) => !(name in scripts))).toEqual([])
})

const translated = /\b(whoever|of late|anew|by now|nobody but|no third|became of|tells? of|strangers?)\b/i

testRows(pages)('a page is in plain words', (page) => {
  const lines = readPage(page).split('\n')
  expect(lines.filter((line) => translated.test(line))).toEqual([])
})

test('names of tests and their groups are in plain words', () => {
  const files = sources(['test', 'packages']).filter((file) => /\.(test|long)\.ts$/.test(file))
  expect(files.length).toBeGreaterThan(300)
  const names = files.flatMap((file) => testAndGroupNames(readFileSync(file, 'utf8')))
  expect(names.length).toBeGreaterThan(2_000)
  expect(names.filter((name) => translated.test(name))).toEqual([])
})

test('the name of a test is found in its source, and nothing else that is written there', () => {
  const source = `
    // test('in a comment', () => {})
    test('plain', () => {})
    test.each([['a row']])("each %s", () => {})
    testRows([['a row']], [setUp])('a table', () => {})
    describe('a group', () => { test('inside', () => {}) })
    other('not a test')`
  expect(testAndGroupNames(source)).toEqual(['plain', 'each %s', 'a table', 'a group', 'inside'])
})

test('every page of docs is listed in the README', () => {
  const listed = linksOf(readPage('README.md')).map((target) => target.split('#')[0])
  expect(pages.filter((page) => page.startsWith('docs/') && !listed.includes(page))).toEqual([])
})

test('every picture is shown on a page', () => {
  const shown = pages.flatMap((page) =>
    linksOf(readPage(page)).map((target) => relative(projectRoot, resolved(page, target))),
  )
  const pictures = readdirSync(join(projectRoot, 'docs', 'images')).map((name) => `docs/images/${name}`)
  expect(pictures.filter((picture) => !shown.includes(picture))).toEqual([])
})

test('comments cite only pages and headings of docs that exist', () => {
  const cited = sources().flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /^\s*(\/\/|\/?\*|--)/.test(line))
      .flatMap((line) => [...line.matchAll(/\bdocs\/[a-z-]+\.md(?:#[\w-]+)?/g)])
      .map(([target]) => ({ file: relative(projectRoot, file), target })),
  )
  expect(cited.length).toBeGreaterThan(20)
  expect(cited.filter(({ target }) => !leadsSomewhere('README.md', target))).toEqual([])
})

test('comments cite no document outside the repository', () => {
  const hidden = /\b(rulings|interface specification|architecture §?\d|facts\/|issue \d)/i
  const citing = sources().flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => hidden.test(line))
      .map((line) => `${relative(projectRoot, file)}: ${line.trim()}`),
  )
  expect(citing).toEqual([])
})

test('a broken link to a page or a heading is found', () => {
  expect(linksOf('[a](x.md) ![b](y.png) `[c](z.md)` [d](<w.md>)')).toEqual(['x.md', 'y.png', 'w.md'])
  expect(anchorsOf('# A `b`, c\n## Twice\n## Twice\n```sh\n# no\n```')).toEqual(['a-b-c', 'twice', 'twice-1'])
  expect(leadsSomewhere('docs/rest.md', 'nowhere.md')).toBe(false)
  expect(leadsSomewhere('docs/rest.md', '#nowhere')).toBe(false)
  expect(leadsSomewhere('docs/rest.md', 'mcp.md#nowhere')).toBe(false)
  expect(leadsSomewhere('docs/rest.md', 'mcp.md#tools')).toBe(true)
})

function linksOf(markdown: string): string[] {
  return [...proseOf(markdown).matchAll(/\]\(<?([^)>\s]+)>?\)/g)].map((match) => match[1]!)
}

function leadsSomewhere(page: string, target: string): boolean {
  if (/^(https?|mailto):/.test(target)) return URL.canParse(target)
  const [path, anchor] = target.split('#')
  const file = resolved(page, path!)
  if (!existsSync(file)) return false
  return anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).includes(anchor)
}

const resolved = (page: string, target: string): string => {
  const path = target.split('#')[0]!
  return path === '' ? join(projectRoot, page) : join(projectRoot, dirname(page), path)
}

/** Every source file with comments. */
function sources(rooms = ['src', 'workflows', 'activities', 'dev', 'test', 'bench', 'bin']): string[] {
  return rooms.flatMap((room) =>
    readdirSync(join(projectRoot, room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|js|sql|css)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => file !== import.meta.filename),
  )
}
