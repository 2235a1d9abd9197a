/**
 * A text as a person can be shown it on one line: whatever has no glyph of its own is written out, as `⟨U+202E⟩`. Controls,
 * bidirectional and zero-width characters, line separators, blanks that are no space, private and unassigned code points,
 * marks on nothing or piled up; and the brackets themselves, so that nobody can write an escape that is none. Letters of any
 * script stay as they are, however alike; so do emoji, joined ones too. Pure.
 */
export function escapeInvisible(text: string): string {
  let shown = ''
  let from = 0
  for (const { 0: sequence, index } of text.matchAll(emoji)) {
    shown += escaped(text.slice(from, index)) + sequence
    from = index + sequence.length
  }
  return shown + escaped(text.slice(from))
}

/** A text of several lines, each made visible: lines stay lines. Pure. */
export const escapeInvisibleLines = (text: string): string => text.split('\n').map(escapeInvisible).join('\n')

// The properties of strings need the flag `v`.
const emoji = new RegExp(String.raw`\p{RGI_Emoji}`, 'gv')

const unseen =
  /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800⟨⟩]|(?! )\p{Zs}/gu
const marksWithoutLetter = /(?<=^|[\s⟩])\p{M}+/gu
/** What a letter of any living script carries; more would cover the lines around it. */
const marksPiledUp = /(?<=\p{M}{4})\p{M}+/gu

function escaped(text: string): string {
  return text
    .replace(unseen, written)
    .replace(marksWithoutLetter, (marks) => Array.from(marks, written).join(''))
    .replace(marksPiledUp, (marks) => Array.from(marks, written).join(''))
}

const written = (character: string): string =>
  `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`
