import { diffArrays } from 'diff'
import type { DiffLine } from '../../operations/diff-lines.ts'

/** A part of a line. `isChanged`: its counterpart reads differently there. */
export interface LinePart {
  text: string
  isChanged: boolean
}

export interface MarkedLine {
  change: DiffLine['change']
  parts: LinePart[]
}

/**
 * Puts each changed sentence below the one it replaces, and marks the words that differ. Sentences without a counterpart are
 * not marked: all of them is new or gone. Nor are they where there is too much to compare. Pure.
 */
export function markChanges(lines: DiffLine[]): MarkedLine[] {
  return hunks(lines).flatMap(({ removed, added }) => {
    const left = [...added]
    const isCompared = comparedChars(removed, added) <= comparedCharsMax
    const pairs = removed.map((before) => ({
      before,
      after: isCompared ? takeSimilar(before, left) : undefined,
    }))
    return [
      ...pairs.flatMap(({ before, after }) =>
        after === undefined ? [whole('removed', before)] : pairOf(before, after),
      ),
      ...left.map((text) => whole('added', text)),
    ]
  })
}

/** What was replaced by what: changed lines, apart by unchanged ones. */
function hunks(lines: DiffLine[]): { removed: string[]; added: string[] }[] {
  const found: { removed: string[]; added: string[] }[] = []
  let last: DiffLine['change'] = 'same'
  for (const { change, text } of lines) {
    if (change !== 'same') {
      if (last === 'same') found.push({ removed: [], added: [] })
      found.at(-1)![change].push(text)
    }
    last = change
  }
  return found
}

/** Each sentence is compared with each. */
const comparedChars = (removed: string[], added: string[]): number =>
  added.length * removed.join('').length + removed.length * added.join('').length
const comparedCharsMax = 1_000_000

/** Two sentences say the same of another value if they share most of their words. */
const similarMin = 0.6

function takeSimilar(before: string, left: string[]): string | undefined {
  const [best] = left
    .map((after, at) => ({ at, likeness: likenessOf(before, after) }))
    .filter(({ likeness }) => likeness >= similarMin)
    .toSorted((a, b) => b.likeness - a.likeness)
  return best && left.splice(best.at, 1)[0]
}

/** The share of words that two sentences have in common, by the longer of them. */
function likenessOf(before: string, after: string): number {
  const [one, other] = [before.split(' '), after.split(' ')]
  const rest = new Map<string, number>()
  for (const word of other) rest.set(word, (rest.get(word) ?? 0) + 1)
  const shared = one.filter((word) => {
    const count = rest.get(word) ?? 0
    rest.set(word, count - 1)
    return count > 0
  })
  return shared.length / Math.max(one.length, other.length)
}

function pairOf(before: string, after: string): MarkedLine[] {
  const parts = diffArrays(words(before), words(after), { maxEditLength: differentWordsMax })
  if (!parts) return [whole('removed', before), whole('added', after)]
  const side = (other: 'added' | 'removed'): LinePart[] =>
    parts
      .filter((part) => !part[other])
      .map(({ value, added, removed }) => ({ text: value.join(''), isChanged: added || removed }))
  return [
    { change: 'removed', parts: side('added') },
    { change: 'added', parts: side('removed') },
  ]
}

/** The time grows with its square. */
const differentWordsMax = 400

/** Words, spaces and punctuation. An amount such as `1,250.00` is one word. */
const words = (text: string): string[] => text.match(/\s+|[^\s,:;()]+(?:[.,]\d+)*|[,:;()]/g) ?? []

const whole = (change: DiffLine['change'], text: string): MarkedLine => ({
  change,
  parts: [{ text, isChanged: false }],
})
