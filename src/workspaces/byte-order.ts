/** Compares two texts by their UTF-8 bytes; a comparator for `sort`. */
export function compareBytes(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/** Sorts texts by their UTF-8 bytes. */
export function sortedByBytes(texts: string[]): string[] {
  return texts.some((text) => unordered.test(text)) ? texts.toSorted(compareBytes) : texts.toSorted()
}

// In UTF-16, surrogates (four bytes in UTF-8) sort before U+E000 to U+FFFF; by UTF-8 bytes they sort after.
const unordered = /[\ud800-\uffff]/
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
