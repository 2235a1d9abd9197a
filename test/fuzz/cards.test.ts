import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { eastAsianWidth } from 'get-east-asian-width'
import { actionKinds } from '../../src/actions/registry.ts'
import { cardOf, cardText } from '../../src/consent/card.ts'
import { decisionNotice } from '../../src/consent/notice.ts'
import type { ActionRow } from '../../src/db/queries/actions/actions.ts'
import { limits } from '../../src/limits.ts'
import { noticeContent } from '../../src/providers/email-content.ts'
import { cardHtml } from '../../src/web/card-html.ts'
import { bounded, hostileTexts, seed } from './runs.ts'

/** Letters that no text of the gate has: wherever one is shown, an agent wrote it. */
const mark = 'ж'

const row = (message: string, rationale: string) =>
  ({
    id: 7,
    kind: 'broadcast',
    payload: { message },
    rationale,
    member: 'ada@example.com',
    source: 'mcp',
    requested_by: 'demo',
    reach_slack: 2,
    reach_email: 1,
    reach_unreachable: 3,
    expires_at: new Date('2026-11-28T12:00:00Z'),
    digest: '0123456789abcdef'.repeat(4),
    duplicate_of: null,
  }) as unknown as ActionRow

const kind = actionKinds.find((one) => one.kind === 'broadcast')!
const cardSaying = (message: string, rationale: string) =>
  cardOf({ row: row(message, rationale), kind, accountName: 'Acme', memberName: 'Ada Lovelace' })

/** Text in which every line of what is written has a mark, among everything that breaks lines and columns. */
const written = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(mark, `${mark} `, 'Amount: 1.00 USD', '\n', ' ', '│ ', '┊ ') },
      fc.constantFrom(...hostileTexts.filter((text) => text.length < 600)),
      fc.constantFrom('W'.repeat(40), '漢'.repeat(40), '👩‍👩‍👧', 'e\u0301', '\u2028', '\t', '\u00a0', '\u3000'),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
    ),
    { minLength: 1, maxLength: 40 },
  )
  .map((parts) =>
    parts
      .map((part) => `${part}${mark}`)
      .join('')
      .toWellFormed(),
  )

/** Columns of a terminal: wide characters two, marks none, an emoji two. */
function columnsOf(text: string): number {
  let columns = 0
  for (const { segment } of graphemes.segment(text)) {
    if (/\p{Extended_Pictographic}|[🇦-🇿]|\u20E3/u.test(segment)) columns += 2
    else for (const c of segment.replaceAll(/\p{M}/gu, '')) columns += eastAsianWidth(c.codePointAt(0)!)
  }
  return columns
}
const graphemes = new Intl.Segmenter('en')

/** A line as a window of that many columns shows it: broken wherever it is full. */
function wrapped(line: string, width: number): string[] {
  const rows = ['']
  for (const { segment } of graphemes.segment(line)) {
    if (columnsOf(rows.at(-1)!) + columnsOf(segment) > width) rows.push('')
    rows[rows.length - 1] += segment
  }
  return rows
}

test(`what an agent wrote has its bar in each row of every window of ${limits.quoteColumnsMax} to 200 columns (SEED=${seed})`, () => {
  fc.assert(
    fc.property(
      written,
      written,
      fc.integer({ min: limits.quoteColumnsMax, max: 200 }),
      (message, reason, width) => {
        for (const line of cardText(cardSaying(message, reason)).split('\n'))
          for (const shown of wrapped(line, width)) if (shown.includes(mark)) expect(shown).toMatch(/^[│┊] /)
      },
    ),
    bounded(400),
  )
})

test(`on a page and in an e-mail it is inside its border, whatever the width, and is never markup (SEED=${seed})`, () => {
  fc.assert(
    fc.property(written, written, (message, reason) => {
      const card = cardSaying(message, reason)
      const page = String(cardHtml(card))
      const outside = page.replaceAll(/<pre dir="ltr">[^<]*<\/pre>/g, '')
      expect(outside).not.toContain(mark)
      const notice = decisionNotice(card, {
        via: 'email',
        token: 't',
        url: 'https://gate.example/decide/t',
        isReminder: false,
      })
      const mail = noticeContent(notice!)
      expect(
        mail.html.replaceAll(/<div dir="ltr" style="[^"]*border-left[^"]*">[^<]*<\/div>/g, ''),
      ).not.toContain(mark)
      expect(mail.subject).not.toContain(mark)
    }),
    bounded(400),
  )
})

test(`in Slack it is plain text, and no block begins in the middle of a row without its bar (SEED=${seed})`, () => {
  fc.assert(
    fc.property(written, written, (message, reason) => {
      const notice = decisionNotice(cardSaying(message, reason), {
        via: 'slack',
        token: 't',
        url: '',
        isReminder: false,
      })
      const blocks = (notice?.blocks ?? []) as { type: string; text?: { type: string; text: string } }[]
      for (const { text } of blocks.filter(({ type }) => type === 'section')) {
        expect(text!.type).toBe('plain_text')
        for (const line of text!.text.split('\n')) if (line.includes(mark)) expect(line).toMatch(/^[│┊] /)
      }
    }),
    bounded(400),
  )
})
