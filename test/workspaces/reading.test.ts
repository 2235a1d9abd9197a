import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import {
  createWriteStream,
  openSync,
  closeSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeSync,
  appendFileSync,
} from 'node:fs'
import { once } from 'node:events'
import fc from 'fast-check'
import { limits } from '../../src/limits.ts'
import { type ShownPage, readPage } from '../../src/workspaces/file-page.ts'
import { until } from '../support/until.ts'
import { type TestWorkspace, freshWorkspace } from '../support/workspace-tree.ts'

let tree: TestWorkspace
beforeEach(async () => {
  tree = await freshWorkspace()
})
afterEach(() => tree.remove())

const page = async (path: string, offset = 0) => (await readPage(tree.store, path, offset))!

/** Follows the pages of a file from an offset on. */
async function pages(path: string, offset = 0): Promise<ShownPage[]> {
  const all: ShownPage[] = []
  for (let next: number | null = offset; next !== null; next = all.at(-1)!.nextOffsetBytes) {
    all.push(await page(path, next))
  }
  return all
}
const joined = (all: ShownPage[]) => Buffer.concat(all.map(({ content }) => Buffer.from(content!)))
const versions = (all: ShownPage[]) =>
  new Set(all.map(({ note }) => /version ([0-9a-f]{12})/.exec(note ?? '')?.[1]))

test('a small file is one page without a note', async () => {
  tree.write({ a: '\ufeffhé\n', empty: '' })
  expect(await page('a')).toEqual({
    sizeBytes: 7,
    offsetBytes: 0,
    content: '\ufeffhé\n',
    nextOffsetBytes: null,
    note: null,
  })
  expect(await page('empty')).toMatchObject({ sizeBytes: 0, content: '', nextOffsetBytes: null, note: null })
})

test('a large file is read in pages of 64 KiB whose notes name one version', async () => {
  const text = 'line of text, é€😀\n'.repeat(20_000)
  tree.write({ a: text })
  const all = await pages('a')
  expect(joined(all).equals(Buffer.from(text))).toBe(true)
  expect(all).toHaveLength(Math.ceil(Buffer.byteLength(text) / limits.fileBytesPerPage))
  expect([versions(all).size, versions(all).has(undefined)]).toEqual([1, false])
  expect(all[0]!.note).toContain(`Continue with offset ${all[0]!.nextOffsetBytes}.`)
})

test('from any offset on the pages join to the rest of the file, byte for byte', async () => {
  const character = fc.constantFrom('a', 'é', '€', '😀', '\n')
  const text = fc.tuple(
    fc.string({ unit: character, minLength: 1, maxLength: 60 }),
    fc.integer({ min: 1, max: 2_500 }),
  )
  await fc.assert(
    fc.asyncProperty(text, fc.double({ min: 0, max: 1, noNaN: true }), async ([unit, times], share) => {
      const file = Buffer.from(unit.repeat(times))
      tree.write({ a: file })
      const all = await pages('a', Math.floor(share * file.length))
      expect(joined(all).equals(file.subarray(all[0]!.offsetBytes))).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test('at its end and beyond it a file has nothing more, and beyond it the note says so', async () => {
  tree.write({ a: 'abc' })
  expect(await page('a', 3)).toMatchObject({ offsetBytes: 3, content: '', nextOffsetBytes: null })
  for (const far of [4, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
    const beyond = await page('a', far)
    expect(beyond).toMatchObject({ offsetBytes: far, content: '', nextOffsetBytes: null })
    expect(beyond.note).toMatch(/^The file has 3 bytes and ends before this offset/)
  }
})

describe('a file that is no text is named as such and not shown,', () => {
  test.each([
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0x62])],
    ['a NUL', Buffer.from('a\0b')],
    ['UTF-16', Buffer.from('\ufeffabc', 'utf16le')],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ])('%s', async (_what, bytes) => {
    tree.write({ a: bytes })
    const shown = await page('a')
    expect(shown).toMatchObject({ sizeBytes: bytes.length, content: null, nextOffsetBytes: null })
    expect(shown.note).toContain('not UTF-8 text')
  })

  test('a page in the middle, while the pages before and behind are shown', async () => {
    const size = limits.fileBytesPerPage
    tree.write({ a: Buffer.concat([Buffer.alloc(size, 'a'), Buffer.alloc(size, 0xff), Buffer.from('end')]) })
    expect(await page('a')).toMatchObject({ nextOffsetBytes: size })
    expect(await page('a', size)).toMatchObject({ content: null, nextOffsetBytes: null })
    expect(await page('a', 2 * size)).toMatchObject({ content: 'end', nextOffsetBytes: null })
  })
})

/** Bytes that this process has read, from files and all else. */
const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))![1])

test('a file of a gigabyte is read where it is asked for, and no more of it than a page', async () => {
  const gigabyte = 2 ** 30
  tree.write({ a: '' })
  truncateSync(tree.path('a'), gigabyte)
  appendFileSync(tree.path('a'), 'the end')
  const before = bytesRead()
  expect(await page('a')).toMatchObject({ sizeBytes: gigabyte + 7, content: null })
  expect(await page('a', gigabyte)).toMatchObject({ content: 'the end', nextOffsetBytes: null })
  // Two pages, and what a process reads beside them.
  expect(bytesRead() - before).toBeLessThan(2 * limits.fileBytesPerPage + 1_000_000)
})

describe('a file that changes between two pages', () => {
  const size = 3 * limits.fileBytesPerPage
  beforeEach(() => tree.write({ a: 'a'.repeat(size) }))

  test.each<[string, () => void]>([
    ['grows', () => appendFileSync(tree.path('a'), 'more')],
    ['shrinks', () => truncateSync(tree.path('a'), 2 * limits.fileBytesPerPage)],
    ['is written over at the same length', () => overwrite('b'.repeat(size))],
    ['is replaced by one of the same length', () => replace('b'.repeat(size))],
  ])('%s: the next page names another version', async (_what, change) => {
    const first = await page('a')
    change()
    const second = await page('a', first.nextOffsetBytes!)
    expect(versions([first, second]).size).toBe(2)
  })

  test('shrinks to before the next page: that page says so', async () => {
    const { nextOffsetBytes } = await page('a')
    truncateSync(tree.path('a'), 10)
    expect(await page('a', nextOffsetBytes!)).toMatchObject({
      content: '',
      nextOffsetBytes: null,
      note: expect.stringContaining('Start again at offset 0'),
    })
  })

  test('vanishes: there is no such file any more', async () => {
    const { nextOffsetBytes } = await page('a')
    rmSync(tree.path('a'))
    expect(await readPage(tree.store, 'a', nextOffsetBytes!)).toBeUndefined()
  })

  function overwrite(text: string): void {
    const file = openSync(tree.path('a'), 'r+')
    writeSync(file, text)
    closeSync(file)
  }
  function replace(text: string): void {
    rmSync(tree.path('a'))
    tree.write({ a: text })
  }
})

test('a file that is written to all the time is read, and the note says that it is', async () => {
  const stream = createWriteStream(tree.path('log'))
  await once(stream, 'open')
  let isWriting = true
  const write = () => void stream.write('a line of a log\n', () => isWriting && setImmediate(write))
  write()
  await until('a note says so', async () => (await page('log')).note?.includes('The file is being written'))
  isWriting = false
  stream.end()
  await once(stream, 'close')
  expect((await page('log')).note ?? '').not.toContain('The file is being written')
})
