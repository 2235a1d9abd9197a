/**
 * The known word that was probably meant: one that begins like the given word, or differs from it by a few letters.
 * @returns undefined if none is near
 */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const word = given.toLowerCase()
  const begun = word.length >= 2 ? known.filter((candidate) => candidate.startsWith(word)) : []
  if (begun.length === 1) return begun[0]
  const lettersMax = word.length <= 4 ? 1 : 2
  const ranked = known
    .map((candidate) => ({ candidate, letters: distance(word, candidate) }))
    .filter(({ letters }) => letters <= lettersMax)
    .toSorted((a, b) => a.letters - b.letters)
  return ranked[0]?.candidate
}

/** Letters to add, drop, replace or swap with their neighbour. @source optimal string alignment distance */
function distance(a: string, b: string): number {
  // Longer words are no near miss of any command, and would cost time for nothing.
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)])
  for (let j = 1; j <= b.length; j += 1) rows[0]![j] = j
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      rows[i]![j] = Math.min(
        rows[i - 1]![j]! + 1,
        rows[i]![j - 1]! + 1,
        replaced,
        isSwap ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
  }
  return rows[a.length]![b.length]!
}
