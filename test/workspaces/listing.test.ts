import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import fc from 'fast-check'
import { limits } from '../../src/limits.ts'
import { readEntries } from '../../src/workspaces/folder-entries.ts'
import { newWalk } from '../../src/workspaces/walk-bounds.ts'
import { walkFiles } from '../../src/workspaces/walk.ts'
import { shorten } from '../support/shorten.ts'
import { type TestWorkspace, freshWorkspace } from '../support/workspace-tree.ts'

let tree: TestWorkspace
beforeEach(async () => {
  tree = await freshWorkspace()
})
afterEach(() => tree.remove())

const numbered = (n: number, name: (text: string) => string) =>
  Array.from({ length: n }, (_, i) => name(String(i).padStart(6, '0')))
const written = (paths: string[]) => tree.write(Object.fromEntries(paths.map((path) => [path, ''])))
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

test('files come by the bytes of their paths: what stands before and behind a slash counts as itself', async () => {
  const paths = ['a-b', 'a.txt', 'a/b', 'a/c/d', 'a0', 'B', 'b', 'é', '\uffee', '\u{1f600}']
  written(paths)
  expect(await tree.paths(1)).toEqual([...paths].sort(byBytes))
})

test('whatever the tree and the size of a page: every visible file comes once, in order', async () => {
  const name = fc.oneof(
    fc.string({
      unit: fc.constantFrom('a', 'b', '-', '.', '0', 'é', '\u{1f600}', '\uffee'),
      minLength: 1,
      maxLength: 3,
    }),
    fc.constantFrom('.env', '.git', 'node_modules', 'x.log', 'tmp'),
  )
  const path = fc
    .array(
      name.filter((one) => !/^\.+$/.test(one)),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.join('/'))
  const isShown = (one: string) => !/(^|\/)(\.env[^/]*|\.git|node_modules|tmp|[^/]*\.log)(\/|$)/.test(one)
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(path, { maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      async (paths, limit) => {
        rmSync(tree.folder, { recursive: true })
        mkdirSync(tree.folder)
        // One cannot be file and folder.
        const files = paths.filter((one) => !paths.some((other) => other.startsWith(`${one}/`)))
        written(files)
        tree.write({ '.gitignore': '*.log\ntmp/\n/tmp\ntmp' })
        const expected = [...files.filter(isShown), '.gitignore'].sort(byBytes)
        expect(await tree.paths(limit)).toEqual(expected)
      },
    ),
    { numRuns: 60 },
  )
}, 60_000)

test('a page begins behind any path, also one that is not there', async () => {
  written(['a/1', 'a/2', 'b', 'c/1'])
  const after = async (path: string) =>
    (await tree.store.list({ after: path, limitFiles: 9 })).files.map((file) => file.path)
  expect(await after('a/1')).toEqual(['a/2', 'b', 'c/1'])
  expect(await after('a/')).toEqual(['a/1', 'a/2', 'b', 'c/1'])
  expect(await after('a/15')).toEqual(['a/2', 'b', 'c/1'])
  expect(await after('a0')).toEqual(['b', 'c/1'])
  expect(await after('b/x/y')).toEqual(['c/1'])
  expect(await after('../../..')).toEqual(['a/1', 'a/2', 'b', 'c/1'])
  expect(await after('zz')).toEqual([])
})

test('the last page says that there is no more, also when it is full', async () => {
  written(['a', 'b', 'c'])
  const pages = await Promise.all(
    [2, 3, 4].map(async (limitFiles) => (await tree.store.list({ after: '', limitFiles })).nextAfter),
  )
  expect(pages).toEqual(['b', null, null])
})

test('a file tells its size and when it was last modified', async () => {
  const modifiedAt = new Date('2026-02-03T04:05:06.789Z')
  tree.write({ a: 'äöü' })
  utimesSync(tree.path('a'), modifiedAt, modifiedAt)
  const [file] = await tree.listAll()
  expect(file).toMatchObject({ path: 'a', sizeBytes: 6, modifiedAt })
})

describe('ten thousand files', () => {
  test('in one folder, in pages of a thousand and in one', async () => {
    const paths = numbered(10_000, (n) => `file-${n}.txt`)
    written(paths.toReversed())
    expect(await tree.paths(1_000)).toEqual(paths)
    expect(await tree.paths(20_000)).toEqual(paths)
  })

  test('in one folder: only some thousand names are ever held, the next ones', async () => {
    const paths = numbered(10_000, (n) => `file-${n}.txt`)
    written(paths.toReversed())
    const held = limits.folderEntriesBufferedMax
    const first = await readEntries(tree.folder, () => true)
    expect(first).toMatchObject({ names: paths.slice(0, held), isLast: false, seen: 10_000 })
    const rest = await readEntries(tree.folder, (name) => name > first.names.at(-1)!)
    expect(rest).toMatchObject({ names: paths.slice(held), isLast: true })
  })

  test('in a hundred folders: a page opens only the folders it shows', async () => {
    const paths = numbered(10_000, (n) => `${n.slice(0, 4)}/${n}.txt`)
    written(paths)
    expect(await tree.paths()).toEqual(paths)
    const { files } = await tree.store.list({ after: paths[8_999]!, limitFiles: 1_000 })
    expect(files.map(({ path }) => path)).toEqual(paths.slice(9_000))
    // The walk to a late page must not depend on what lies before it: broken there, it still answers.
    rmSync(tree.path('0000'), { recursive: true })
    symlinkSync('/nowhere', tree.path('0000'))
    expect(await tree.store.list({ after: paths[8_999]!, limitFiles: 1_000 })).toMatchObject({ leftOut: [] })
  })
})

describe('the search for one page is bounded:', () => {
  test('a page without a file tells where to go on, and the pages come to an end', async () => {
    const restore = shorten({ listingFoldersMax: 200 })
    for (const name of numbered(limits.listingFoldersMax + 50, (n) => `empty-${n}`))
      mkdirSync(tree.path(name))
    written(['file'])
    const first = await tree.store.list({ after: '', limitFiles: 9 })
    expect(first).toMatchObject({ files: [], nextAfter: expect.stringMatching(/^empty-\d+\/$/) })
    expect(await tree.paths()).toEqual(['file'])
    restore()
  })

  test('each page gets further, however little it may look through', async () => {
    const paths = ['a/b/c/1', 'a/b/d/2', 'a/e/3', 'f/4', 'g']
    written(paths)
    const found: string[] = []
    let pages = 0
    for (let after: string | null = ''; after !== null && pages < 50; pages++) {
      const walk = newWalk(tree.folder, 'shown', { entries: 1, folders: 1 })
      for await (const some of walkFiles(walk, after)) found.push(...some.map(({ path }) => path))
      after = walk.endedBefore
    }
    expect([found, pages]).toEqual([paths, 7])
  })

  test('a folder with too many entries is left out and named, all else is listed', async () => {
    const restore = shorten({ folderEntriesMax: 5_000 })
    mkdirSync(tree.path('huge'))
    const program =
      'for (let n = 0; n <= +process.argv[2]; n++) fs.symlinkSync("/", `${process.argv[1]}/${n}`)'
    spawnSync(process.execPath, ['-e', program, tree.path('huge'), String(limits.folderEntriesMax)])
    written(['a', 'z'])
    const page = await tree.store.list({ after: '', limitFiles: 9 })
    expect(page.files.map(({ path }) => path)).toEqual(['a', 'z'])
    expect(page.leftOut).toEqual([expect.stringContaining('huge/ (more than 5000 entries)')])
    restore()
  })

  test('a file that lies too deep, or has too long a path, is left out and named', async () => {
    const deep = 'd/'.repeat(limits.workspaceDepthMax - 1)
    const long = `${'x'.repeat(250)}/`.repeat(4)
    written([`${deep}kept`, `${deep}d/lost`, `${long}${'y'.repeat(20)}`, `${long}${'y'.repeat(21)}`, 'z'])
    const page = await tree.store.list({ after: '', limitFiles: 9 })
    expect(page.files.map(({ path }) => path)).toEqual([`${deep}kept`, `${long}${'y'.repeat(20)}`, 'z'])
    expect(page.leftOut).toEqual([expect.stringContaining('deeper than 64 folders')])
  })

  test('rules that would take too long end the listing, hide rather than show, and hold nobody up', async () => {
    const rules = numbered(500, (n) => `*${'a'.repeat(110)}?${n}`)
    tree.write({ '.gitignore': rules.join('\n') })
    written(numbered(100, (n) => `${n}-${'a'.repeat(230)}`))
    const used = process.cpuUsage()
    const page = await tree.store.list({ after: '', limitFiles: 1_000 })
    expect(process.cpuUsage(used).user / 1_000).toBeLessThan(30_000)
    expect(page.leftOut).toEqual([expect.stringContaining('.gitignore')])
    expect(page.files.length).toBeLessThan(100)
  })
})
