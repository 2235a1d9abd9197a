import { isQuotedLine, unbroken } from '../text/quote-lines.ts'
import { escapeHtml } from '../text/escape.ts'
import { limits } from '../limits.ts'
import type { MessageToFreeze, Notice } from './ports.ts'

const emailSubjectNameCharsMax = 100

const plain = 'white-space:pre-wrap;font-family:sans-serif'
/** Quoted text has a border, so that rows wrapped by a narrow window stay marked. */
const fenced = `${plain};overflow-wrap:anywhere;margin:4px 0;padding:8px 12px;border:1px solid #ccc;border-left:4px solid #777`

/**
 * The e-mail of a broadcast. The payload never reaches the subject and never becomes markup. Pure.
 * @returns `subject` on one line, at most 113 code points; `text` as given; `html` showing the same characters
 */
export function emailContent({ text, proposerName }: Pick<MessageToFreeze, 'text' | 'proposerName'>): {
  subject: string
  text: string
  html: string
} {
  return {
    subject: `Message from ${inOneLine(proposerName)}`,
    text,
    html: `<div style="${plain}">${escapeHtml(text)}</div>`,
  }
}

/** The e-mail of a notice: its text, with quoted lines in a border, and its link below. Pure. */
export function noticeContent({ subject, text, html, link }: Notice): {
  subject: string
  text: string
  html: string
} {
  if (html !== undefined) return { subject: inOneLine(subject), text, html }
  const anchor = link ? `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>` : ''
  return {
    subject: inOneLine(subject),
    text: link ? `${text}\n\n${link.label}: ${link.url}\n` : text,
    html: blocksOf(text).map(blockHtml).join('') + anchor,
  }
}

interface Block {
  isFenced: boolean
  text: string
}

/** Splits a text into blocks of quoted lines and own lines. Joined, the blocks are the text again. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  for (const line of text.split(/(?<=\n)/)) {
    const isFenced = isQuotedLine(line)
    const last = blocks.at(-1)
    if (last?.isFenced === isFenced) last.text += line
    else blocks.push({ isFenced, text: line })
  }
  return blocks
}

const blockHtml = ({ isFenced, text }: Block): string =>
  isFenced
    ? `<div dir="ltr" style="${fenced}">${escapeHtml(unbroken(text))}</div>`
    : `<div style="${plain}">${escapeHtml(text)}</div>`

/** A name on one line: line breaks would start a new header, and bidirectional controls let a name pass for another. Pure. */
export function inOneLine(name: string): string {
  const harmless = name
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
  return [...harmless].slice(0, emailSubjectNameCharsMax).join('').trim() || 'a member'
}

/** One plain address: no display name, no list, no line break. The provider decides whether it exists. Pure. */
export function isOneAddress(address: string): boolean {
  return (
    address.length <= limits.emailCharsMax &&
    /^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u.test(address)
  )
}
