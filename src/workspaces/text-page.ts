import { isUtf8 } from 'node:buffer'

/** What of a file can be shown as text at an offset. */
export interface TextPage {
  /** Where it begins: the next character's first byte, should the offset asked for lie inside of one. */
  offsetBytes: number
  /** Where the next page begins: a character's first byte. */
  endBytes: number
  /** Null where the bytes are no text: not UTF-8, or with a NUL. */
  content: string | null
}

/** How many bytes before an offset are needed to tell whether it lies inside a character. */
export const leadBytes = 3

/**
 * Cuts a page at the borders of characters. The pages of a text, joined, are its bytes. Pure.
 * @param bytes  of the file, from `fromBytes` on, at least to the page's end
 * @param page  `offsetBytes` as asked for, at most `leadBytes` after `fromBytes`; `endBytes` at most the file's size
 */
export function textPage(
  bytes: Buffer,
  fromBytes: number,
  page: { offsetBytes: number; endBytes: number; isFileEnd: boolean },
): TextPage {
  const asked = page.offsetBytes - fromBytes
  const wanted = Math.min(page.endBytes - fromBytes, bytes.length)
  const around = characterAround(bytes, asked)
  const start = Math.min(around && around.end <= bytes.length ? around.end : asked, bytes.length)
  const cut = page.isFileEnd ? wanted : (characterAround(bytes, wanted)?.start ?? wanted)
  const end = Math.max(start, cut)
  const part = bytes.subarray(start, end)
  const isText = isUtf8(part) && !part.includes(0)
  return {
    offsetBytes: fromBytes + start,
    endBytes: fromBytes + end,
    content: isText ? part.toString('utf8') : null,
  }
}

/** The character that a position lies inside of, not before or behind; undefined where what is there is none. */
function characterAround(bytes: Buffer, at: number): { start: number; end: number } | undefined {
  let start = at - 1
  while (start > at - leadBytes && start >= 0 && isContinuation(bytes[start])) start--
  const end = start + lengthOf(bytes[start])
  if (end <= at) return undefined
  const isWhole = bytes.subarray(start + 1, end).every(isContinuation)
  return isWhole ? { start, end } : undefined
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && byte >> 6 === 0b10

/** Bytes of the character that a byte begins; 0 where it begins none. */
function lengthOf(byte: number | undefined): number {
  if (byte === undefined || isContinuation(byte)) return 0
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
}
