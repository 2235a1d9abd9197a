import { limits } from '../../limits.ts'

export interface LogRing {
  add(part: Buffer): void
  /** The end of the output: at most `previewLogBytesMax` bytes of UTF-8, without NUL, which PostgreSQL cannot store. */
  tail(): string
}

/** Keeps the end of a program's output in bounded memory. */
export function logRing(bytesMax: number = limits.previewLogBytesMax): LogRing {
  let kept = Buffer.alloc(0)
  let isCut = false
  return {
    add(part) {
      isCut ||= kept.length + part.length > bytesMax
      kept = Buffer.concat([kept.subarray(Math.max(0, kept.length + part.length - bytesMax)), part])
      kept = kept.subarray(-bytesMax)
    },
    tail() {
      const whole = isCut ? kept.subarray(firstCharacter(kept)) : kept
      const text = whole.toString('utf8').replaceAll('\0', '\u{FFFD}')
      // Invalid UTF-8 becomes longer when it is decoded.
      const bytes = Buffer.from(text)
      const end = bytes.subarray(-bytesMax)
      return end.length === bytes.length ? text : end.subarray(firstCharacter(end)).toString('utf8')
    },
  }
}

/** The start of the first complete character; a character has at most four bytes. */
function firstCharacter(bytes: Buffer): number {
  let at = 0
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++
  return at
}
