import fc from 'fast-check'

const [firstHalf, halves] = [0xd800, 0x800]

/**
 * Any character but half a pair, for the `unit` of `fc.string`. fast-check's own `binary` is the same, but makes a table of all
 * of them first: two seconds in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - halves })
  .map((place) => String.fromCodePoint(place < firstHalf ? place : place + halves), placeOf)

/** @throws Error if it is not one character: fast-check asks for it of what it finds in texts */
function placeOf(text: unknown): number {
  const [character, more] = typeof text === 'string' ? text : ''
  if (character === undefined || more !== undefined || !character.isWellFormed())
    throw new Error('not one character')
  const code = character.codePointAt(0)!
  return code < firstHalf ? code : code - halves
}
