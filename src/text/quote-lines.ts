import { eastAsianWidth } from 'get-east-asian-width'
import { escapeInvisible } from './escape-invisible.ts'

/**
 * A longer line of an agent's goes on in the next row: what a window breaks by itself would stand there without a bar. So
 * narrow, its bar included, that a telephone does not break it.
 */
export const rowColumnsMax = 32

/** Before a line as it was written, and before what a long one goes on with. */
const bar = { line: '│ ', goesOn: '┊ ' }

const textColumnsMax = rowColumnsMax - 2

/** A text of an agent's, made visible, each line behind a bar: nothing of it can pass for a word of the gate. Pure. */
export function quoteLines(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line) =>
      broken(escapeInvisible(line)).map((row, at) => (at === 0 ? bar.line : bar.goesOn) + row),
    )
}

/** Whether a line of a card stands behind a bar: the gate's own never begin with one. */
export const isQuotedLine = (line: string): boolean => /^[│┊] /.test(line)

interface Part {
  text: string
  columns: number
}

/** A line in rows of bounded width, which make the line again when they are joined. */
function broken(line: string): string[] {
  const rows: string[] = []
  let row: Part[] = []
  for (const part of partsOf(line)) {
    if (columnsOf(row) + part.columns > textColumnsMax) {
      const kept = endOf(row)
      rows.push(textOf(row.slice(0, kept)))
      row = row.slice(kept)
    }
    row.push(part)
  }
  rows.push(textOf(row))
  return rows
}

/** How many parts of a full row stay in it: between words, unless that would leave most of it empty. */
function endOf(row: Part[]): number {
  const end = row.findLastIndex(({ text }) => text === ' ') + 1
  return columnsOf(row.slice(0, end)) > textColumnsMax / 2 ? end : row.length
}

const columnsOf = (parts: Part[]): number => parts.reduce((sum, { columns }) => sum + columns, 0)
const textOf = (parts: Part[]): string => parts.map(({ text }) => text).join('')

/** What is not to be taken apart: an escape, a character with its marks. No part is wider than a row, for some have no end. */
function* partsOf(line: string): Generator<Part> {
  for (const piece of line.split(/(⟨U\+[0-9A-F]{4,6}⟩)/)) {
    if (piece.startsWith('⟨')) {
      yield { text: piece, columns: piece.length }
      continue
    }
    for (const { segment: text } of graphemes.segment(piece)) {
      const columns = widthOf(text)
      if (columns <= textColumnsMax) yield { text, columns }
      else for (const [letter] of text.matchAll(letters)) yield { text: letter, columns: widthOf(letter) }
    }
  }
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** A character with its marks, of which `visible` leaves four. */
const letters = /\P{M}\p{M}*|\p{M}+/gu

/** How many columns a text takes at most, in a font of fixed width or another. */
function widthOf(text: string): number {
  if (emoji.test(text)) return 2
  let columns = 0
  for (const character of text) columns += widthOfCharacter(character)
  return columns
}

function widthOfCharacter(character: string): number {
  if (/[\p{Mn}\p{Me}]/u.test(character)) return 0
  return broad.test(character) ? 2 : eastAsianWidth(character.codePointAt(0)!)
}

// The properties of strings need the flag `v`.
const emoji = new RegExp(String.raw`^\p{RGI_Emoji}$`, 'v')
/** Letters and signs that take up to two columns where the others take one: forty W are wider than any telephone. */
const broad = /[\p{Lu}\p{Lt}mw@%]|(?![ -~])[\p{P}\p{S}]/u
