import { isUtf8 } from 'node:buffer'

/** A page of a file that can be shown as text. */
export interface TextPage {
  /** Where it starts: if the requested offset is inside a character, at the next one. */
  offsetBytes: number
  /** Where the next page starts: at the first byte of a character. */
  endBytes: number
  /** Null if the bytes are not text: not UTF-8, or with a NUL. */
  content: string | null
}

/** The number of bytes before an offset that are needed to detect that it is inside a character. */
export const leadBytes = 3

/**
 * Cuts a page at character boundaries. The pages of a text, concatenated, are its bytes. Pure.
 * @param bytes  of the file, from `fromBytes` at least to the end of the page
 * @param page  the requested `offsetBytes`, at most `leadBytes` after `fromBytes`; `endBytes` at most the size of the file
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

/** The character that contains a position; undefined if the position is at a boundary or not in a valid character. */
function characterAround(bytes: Buffer, at: number): { start: number; end: number } | undefined {
  let start = at - 1
  while (start > at - leadBytes && start >= 0 && isContinuation(bytes[start])) start--
  const end = start + lengthOf(bytes[start])
  if (end <= at) return undefined
  const isWhole = bytes.subarray(start + 1, end).every(isContinuation)
  return isWhole ? { start, end } : undefined
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && byte >> 6 === 0b10

/** The length of the character that starts with a byte; 0 if none does. */
function lengthOf(byte: number | undefined): number {
  if (byte === undefined || isContinuation(byte)) return 0
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
}
