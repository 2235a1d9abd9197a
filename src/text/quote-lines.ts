import { eastAsianWidth } from 'get-east-asian-width'
import { escapeInvisible } from './escape-invisible.ts'

/** Columns of a quoted line on a card, with its bar: a phone does not wrap it, even one with very large letters. */
const quoteColumnsMax = 20

/** The bar before a line, and before the continuation of a long line. */
const bar = { line: '│ ', goesOn: '┊ ' }

/**
 * Longer lines continue in the next row, because a line that the window wraps would continue without a bar. Narrow
 * enough, including the bar, that a phone with very large letters does not wrap it.
 */
const textColumnsMax = quoteColumnsMax - bar.line.length

const mailColumnsMax = 40 - bar.line.length

/** Quotes an agent's text: escaped, each line behind a bar, so it cannot be taken for text of the gate. Pure. */
export const quoteLines = (text: string): string[] => text.split('\n').flatMap(quoteLine)

/** The same for a text that is one line: a line break in it is written out. Pure. */
export const quoteLine = (line: string): string[] =>
  broken(escapeInvisible(line)).map((row, at) => (at === 0 ? bar.line : bar.goesOn) + row)

/** Quoted lines as they were before they were broken: for where a border stands beside them at every width. Pure. */
export const unbroken = (quoted: string): string => quoted.replaceAll(`\n${bar.goesOn}`, '')

/**
 * Quoted lines as they are for the text of a mail. Programs that show it instead of the HTML have at least as many columns, with
 * letters of the usual size. Pure.
 */
export const quotedInMail = (lines: string[]): string[] =>
  unbroken(lines.join('\n'))
    .split('\n')
    .flatMap((line) =>
      broken(line.slice(bar.line.length), mailColumnsMax).map(
        (row, at) => (at === 0 ? bar.line : bar.goesOn) + row,
      ),
    )

/** Whether a line of a card is quoted: the gate's own lines never start with a bar. */
export const isQuotedLine = (line: string): boolean => /^[│┊] /.test(line)

interface Part {
  text: string
  columns: number
}

/** Breaks a line into rows of bounded width. Joined, the rows are the line again. */
function broken(line: string, columnsMax = textColumnsMax): string[] {
  const rows: string[] = []
  let row: Part[] = []
  for (const part of partsOf(line)) {
    if (columnsOf(row) + part.columns > columnsMax) {
      const kept = endOf(row, columnsMax)
      rows.push(textOf(row.slice(0, kept)))
      row = row.slice(kept)
    }
    row.push(part)
  }
  rows.push(textOf(row))
  return rows
}

/** Where a full row ends: between words, unless that would leave more than half of it empty. */
function endOf(row: Part[], columnsMax: number): number {
  const end = row.findLastIndex(({ text }) => text === ' ') + 1
  return columnsOf(row.slice(0, end)) > columnsMax / 2 ? end : row.length
}

const columnsOf = (parts: Part[]): number => parts.reduce((sum, { columns }) => sum + columns, 0)
const textOf = (parts: Part[]): string => parts.map(({ text }) => text).join('')

/** Splits a line into indivisible parts: escapes, and characters with their marks. No part is wider than a row. */
function* partsOf(line: string): Generator<Part> {
  for (const piece of line.split(/(⟨U\+[0-9A-F]{4,6}⟩)/)) {
    if (piece.startsWith('⟨')) {
      yield { text: piece, columns: piece.length }
      continue
    }
    for (const text of graphemesOf(piece)) {
      const columns = widthOf(text)
      if (columns <= textColumnsMax) yield { text, columns }
      else for (const [letter] of text.matchAll(letters)) yield { text: letter, columns: widthOf(letter) }
    }
  }
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const windowChars = 128

/** Characters with their marks, a window of the text at a time: V8 copies the text that is split for each of its parts. */
function* graphemesOf(text: string): Generator<string> {
  let from = 0
  let size = windowChars
  while (from < text.length) {
    const isWithinPair = /[\ud800-\udbff]/.test(text[from + size - 1] ?? '')
    const end = from + size + (isWithinPair ? 1 : 0)
    const found = Array.from(graphemes.segment(text.slice(from, end)), ({ segment }) => segment)
    // The last one may go on behind the window.
    if (end < text.length) found.pop()
    yield* found
    from += found.reduce((sum, { length }) => sum + length, 0)
    size = found.length === 0 ? size * 2 : windowChars
  }
}

/** A character with its marks; `escapeInvisible` leaves at most four. */
const letters = /\P{M}\p{M}*|\p{M}+/gu

/** The columns a text takes at most, in a fixed-width or proportional font. */
function widthOf(text: string): number {
  // One character that is an emoji is wide without this, which takes long.
  if (text.length > 2 && emoji.test(text)) return 2
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
/**
 * Wide letters and signs count as two columns: forty W are wider than any phone. So does the letter ℹ, which some fonts draw as
 * an emoji.
 */
const broad = /[\p{Lu}\p{Lt}\p{Extended_Pictographic}mw@%]|(?![ -~])[\p{P}\p{S}]/u
