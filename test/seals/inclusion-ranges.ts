import type { LeafRange } from '../../src/seals/merkle.ts'

/** The path of leaf `index` in the tree of `size` leaves, sibling of the leaf first. */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`Leaf ${index} is not in a tree of ${size}.`)
  const path: LeafRange[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const middle = from + 2 ** (Math.ceil(Math.log2(to - from)) - 1)
    if (index < middle) {
      path.unshift({ from: middle, to })
      to = middle
    } else {
      path.unshift({ from, to: middle })
      from = middle
    }
  }
  return path
}
