import { diffArrays } from 'diff'

/** One line of the comparison of two documents in words. */
export interface DiffLine {
  text: string
  change: 'added' | 'removed' | 'same'
}

/** The time grows with the square of what differs. */
const differencesMax = 600

/** Compares two lists of lines. Where most of them differ, all do. Pure. */
export function diffLines(before: string[], after: string[]): DiffLine[] {
  const lines = (texts: string[], change: DiffLine['change']) =>
    texts.map((text): DiffLine => ({ text, change }))
  const parts = diffArrays(before, after, { maxEditLength: differencesMax })
  if (!parts) return [...lines(before, 'removed'), ...lines(after, 'added')]
  return parts.flatMap(({ value, added, removed }) =>
    lines(value, added ? 'added' : removed ? 'removed' : 'same'),
  )
}
