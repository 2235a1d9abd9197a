import { diffArrays } from 'diff'

/** One line of the comparison of two documents in words. */
export interface DiffLine {
  text: string
  change: 'added' | 'removed' | 'same'
}

/** Compares two lists of lines. Pure. */
export const diffLines = (before: string[], after: string[]): DiffLine[] =>
  diffArrays(before, after).flatMap(({ value, added, removed }) =>
    value.map((text): DiffLine => ({ text, change: added ? 'added' : removed ? 'removed' : 'same' })),
  )
