/**
 * Makes a one-line text safe to show: characters without a glyph are written as `⟨U+202E⟩`. These are controls,
 * bidirectional and zero-width characters, line separators, unusual spaces, private and unassigned code points,
 * combining marks without a letter or too many of them, and the brackets themselves, so that an escape cannot be
 * forged. Letters of every script and emoji stay as they are. Pure.
 */
export function escapeInvisible(text: string): string {
  if (!mayHoldEmoji.test(text)) return escaped(text)
  let shown = ''
  let from = 0
  for (const { 0: sequence, index } of text.matchAll(emoji)) {
    shown += escaped(text.slice(from, index)) + sequence
    from = index + sequence.length
  }
  return shown + escaped(text.slice(from))
}

/** The same for a text of several lines; line breaks are kept. Pure. */
export const escapeInvisibleLines = (text: string): string => text.split('\n').map(escapeInvisible).join('\n')

/** The text of which `escapeInvisible` made this one, as far as nobody changed its escapes. Pure. */
export const readEscapes = (text: string): string =>
  text.replace(/⟨U\+([0-9A-F]{4,6})⟩/g, (escape, hex: string) => {
    const code = Number.parseInt(hex, 16)
    return code > 0x10_ff_ff ? escape : String.fromCodePoint(code)
  })

/**
 * The same for a text of which parts are escaped already: their escapes stay. For where all that is printed passes. Pure.
 */
export const escapeWhatIsLeft = (text: string): string =>
  text
    .split(/(⟨U\+[0-9A-F]{4,6}⟩|\n)/)
    .map((part, n) => (n % 2 === 0 ? escapeInvisible(part) : part))
    .join('')

/** JSON in which characters without a glyph are written as its own escapes: the same value. Pure. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value).replace(unseen, (character) =>
    Array.from({ length: character.length }, (_, n) => jsonEscape(character.charCodeAt(n))).join(''),
  )

const jsonEscape = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

// The properties of strings need the flag `v`.
const emoji = new RegExp(String.raw`\p{RGI_Emoji}`, 'gv')
/** Each emoji has one of these. To get ready to look for emoji takes 1.5 ms, again and again: the engine forgets it. */
const mayHoldEmoji = /[©®\u203c-\u{10ffff}]/u

const unseen =
  /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800⟨⟩]|(?! )\p{Zs}/gu
const marksWithoutLetter = /(?<=^|[\s⟩])\p{M}+/gu
/** Four marks are enough for every living script; more would cover the lines around it. */
const marksPiledUp = /(?<=\p{M}{4})\p{M}+/gu

function escaped(text: string): string {
  return text
    .replace(unseen, written)
    .replace(marksWithoutLetter, (marks) => Array.from(marks, written).join(''))
    .replace(marksPiledUp, (marks) => Array.from(marks, written).join(''))
}

const written = (character: string): string =>
  `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`
