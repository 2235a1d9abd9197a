import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { logRing } from '../../../src/previews/command/log-ring.ts'
import { anyCharacter } from '../../support/any-character.ts'

test('the end of what was printed is kept, within its bound and in whole characters', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: anyCharacter })),
      fc.integer({ min: 4, max: 50 }),
      (words, bytesMax) => {
        const ring = logRing(bytesMax)
        for (const word of words) for (const byte of Buffer.from(word)) ring.add(Buffer.from([byte]))
        const whole = words.join('').replaceAll('\0', '\u{FFFD}')
        const tail = ring.tail()
        expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(bytesMax)
        expect(
          Buffer.from(whole)
            .subarray(-Buffer.byteLength(tail) || Infinity)
            .toString(),
        ).toBe(tail)
      },
    ),
  )
})

test('whatever is printed becomes text that a database takes, within its bound', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (parts) => {
      const ring = logRing(200)
      for (const part of parts) ring.add(Buffer.from(part))
      const tail = ring.tail()
      expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(200)
      expect(tail).not.toContain('\0')
      expect(Buffer.from(tail).toString()).toBe(tail)
    }),
  )
})
