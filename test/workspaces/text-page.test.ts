import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { leadBytes, textPage } from '../../src/workspaces/text-page.ts'
import { anyCharacter } from '../support/any-character.ts'
import { testRows } from '../support/rows.ts'

interface Page {
  from: number
  end: number
  content: string | null
}

/** Every page of a file from an offset on, as a reader that follows them gets them. */
function pagesOf(file: Buffer, offset: number, pageBytes: number): Page[] {
  const pages: Page[] = []
  for (let next = offset; ;) {
    const from = Math.max(0, next - leadBytes)
    const endBytes = Math.min(next + pageBytes, file.length)
    const isFileEnd = endBytes === file.length
    const page = textPage(file.subarray(from, endBytes), from, { offsetBytes: next, endBytes, isFileEnd })
    pages.push({ from: page.offsetBytes, end: page.endBytes, content: page.content })
    if (isFileEnd || page.content === null) return pages
    next = page.endBytes
  }
}

const joined = (pages: Page[]) => Buffer.concat(pages.map(({ content }) => Buffer.from(content!, 'utf8')))
const anyText = fc.string({ unit: anyCharacter, maxLength: 200 }).filter((text) => !text.includes('\0'))
const pageBytes = fc.integer({ min: 8, max: 40 })

test('the pages of a text, joined, are its bytes, whatever its characters and the size of a page', () => {
  fc.assert(
    fc.property(anyText, pageBytes, (text, size) => {
      const file = Buffer.from(text, 'utf8')
      expect(joined(pagesOf(file, 0, size))).toEqual(file)
    }),
    { numRuns: 2_000 },
  )
})

test('the pages of a text from any offset are the rest of its bytes, from the next character on', () => {
  fc.assert(
    fc.property(anyText, pageBytes, fc.nat(700), (text, size, at) => {
      const file = Buffer.from(text, 'utf8')
      const offset = Math.min(at, file.length)
      const pages = pagesOf(file, offset, size)
      const from = pages[0]!.from
      expect(joined(pages)).toEqual(file.subarray(from))
      // Less than a character further, and only where the offset lies inside of one.
      const isInside = offset < file.length && file[offset]! >> 6 === 0b10
      expect(isInside ? from - offset : from === offset ? 1 : 0).toBeGreaterThan(0)
      expect(from - offset).toBeLessThan(4)
    }),
    { numRuns: 2_000 },
  )
})

test('a page begins where the one before ended', () => {
  const file = Buffer.from('aé€😀'.repeat(50))
  for (const size of [8, 9, 10, 11, 13]) {
    const pages = pagesOf(file, 0, size)
    expect(pages.slice(1).map(({ from }) => from)).toEqual(pages.slice(0, -1).map(({ end }) => end))
  }
})

test('a byte order mark is kept', () => {
  const [page] = pagesOf(Buffer.from('\ufeffa'), 0, 8)
  expect(page!.content).toBe('\ufeffa')
})

testRows([
  ['a byte that begins no character', [0x61, 0xff, 0x61]],
  ['a continuation without a beginning', [0x80, 0x61]],
  ['a character that the end of the file cuts', [0x61, 0xe2, 0x82]],
  ['an overlong form', [0xc0, 0xaf]],
  ['half a surrogate pair', [0xed, 0xa0, 0x80]],
  ['what lies beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ['a NUL', [0x61, 0, 0x61]],
])('bytes that are no text make no page', (_what, bytes) => {
  expect(pagesOf(Buffer.from(bytes), 0, 8)[0]!.content).toBeNull()
})

test('a page is either text or none of it is shown, whatever the bytes are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), pageBytes, fc.nat(60), (bytes, size, at) => {
      const file = Buffer.from(bytes)
      for (const { from, end, content } of pagesOf(file, Math.min(at, file.length), size)) {
        if (content !== null) expect(Buffer.from(content, 'utf8')).toEqual(file.subarray(from, end))
      }
    }),
    { numRuns: 2_000 },
  )
})
