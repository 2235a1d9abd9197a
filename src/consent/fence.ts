import { visible } from './visible.ts'

/** A longer line of an agent's goes on in the next one: what a window breaks by itself would stand there without a bar. */
const lineCodePointsMax = 72

/** Before a line as it was written, and before what a long one goes on with. */
const bar = { line: '│ ', goesOn: '┊ ' }

/** A text of an agent's, made visible, each line behind a bar: nothing of it can pass for a word of the gate. Pure. */
export function behindBars(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line) => broken(visible(line)).map((row, at) => (at === 0 ? bar.line : bar.goesOn) + row))
}

/** A line in rows of bounded length, which make the line again when they are joined. */
function broken(line: string): string[] {
  const rows: string[] = []
  let row: string[] = []
  for (const part of partsOf(line)) {
    if (row.length + part.length > lineCodePointsMax && row.length > 0) {
      const end = row.lastIndexOf(' ') + 1
      // Between words, unless that would leave most of the row empty.
      const kept = end > lineCodePointsMax / 2 ? end : row.length
      rows.push(row.slice(0, kept).join(''))
      row = row.slice(kept)
    }
    row.push(...part)
  }
  rows.push(row.join(''))
  return rows
}

/** What is not to be taken apart, as code points: an escape, a character with its marks. Bounded, for some have no end. */
function* partsOf(line: string): Generator<string[]> {
  for (const piece of line.split(/(⟨U\+[0-9A-F]{4,6}⟩)/)) {
    const parts = piece.startsWith('⟨') ? [piece] : Array.from(graphemes.segment(piece), (s) => s.segment)
    for (const part of parts) {
      const points = [...part]
      for (let at = 0; at < points.length; at += lineCodePointsMax)
        yield points.slice(at, at + lineCodePointsMax)
    }
  }
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
