import { escapeHtml } from './escape.ts'
import type { MessageToFreeze, Notice } from './ports.ts'

const subjectNameCharsMax = 100

/**
 * The e-mail of a broadcast. Nothing of the payload reaches the subject, and nothing in it becomes markup. Pure.
 * @returns `subject` on one line, at most 113 code points; `text` as given; `html` showing the same characters
 */
export function emailContent({ text, proposerName }: MessageToFreeze): {
  subject: string
  text: string
  html: string
} {
  return {
    subject: `Message from ${inOneLine(proposerName)}`,
    text,
    html: `<div style="white-space:pre-wrap;font-family:sans-serif">${escapeHtml(text)}</div>`,
  }
}

/** The e-mail of a notice: its text, and its link below. Pure. */
export function noticeContent({ subject, text, link }: Notice): {
  subject: string
  text: string
  html: string
} {
  const anchor = link ? `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>` : ''
  return {
    subject: inOneLine(subject),
    text: link ? `${text}\n\n${link.label}: ${link.url}\n` : text,
    html: `<div style="white-space:pre-wrap;font-family:sans-serif">${escapeHtml(text)}</div>${anchor}`,
  }
}

/** Line breaks would start a new header; bidirectional controls would let a name pass for another. */
function inOneLine(name: string): string {
  const harmless = name
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
  return [...harmless].slice(0, subjectNameCharsMax).join('').trim() || 'a member'
}
