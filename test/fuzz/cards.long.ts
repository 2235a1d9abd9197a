import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { eastAsianWidth } from 'get-east-asian-width'
import { actionKinds } from '../../src/actions/registry.ts'
import { type Card, cardOf, cardText } from '../../src/consent/card.ts'
import { decisionNotice } from '../../src/consent/notice.ts'
import type { ActionRow } from '../../src/db/queries/actions/actions.ts'
import { noticeContent } from '../../src/providers/email-content.ts'
import { cardHtml } from '../../src/web/card-html.ts'
import { type SlackBlock, inOneLine, shownInSlack } from '../support/consent.ts'
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

const source = { accountName: 'Acme', memberName: 'Ada Lovelace' }
const cardOfKind = (name: string, payload: object, rationale: string, input: string | null = null) => {
  const known = actionKinds.find(({ kind }) => kind === name)
  const kind = known ?? { reaches: 'nobody' as const }
  return cardOf({ row: { ...row('', rationale), kind: name, payload, input } as ActionRow, kind, ...source })
}
const money = { amount_cents: 1_000, total_cents: 1_000, quantity: 1, currency: 'eur', credential: 'c0ffee' }
const runner = { runner: 'claude', effect: 'runs', input_digest: 'ab'.repeat(32) }

/** The cards of every kind in which an agent writes: of each kind, all of its fields. */
const cardsSaying = (message: string, reason: string): Card[] => [
  cardOfKind('broadcast', { message }, reason),
  cardOfKind('payout', { ...money, description: message }, reason),
  cardOfKind('checkout', { ...money, mode: 'payment', description: message }, reason),
  cardOfKind(
    'runner_tool',
    { ...runner, tool: message, cwd: reason, mcp_server: message, session: reason, agent_id: message },
    reason,
  ),
  cardOfKind(
    'runner_tool',
    { ...runner, tool: 'Bash' },
    reason,
    JSON.stringify({ command: message, [reason]: message }),
  ),
  cardOfKind('of_no_summary', { text: message, more: { [reason]: [message] } }, reason),
]

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

const ask = { token: 't', url: 'https://gate.example/decide/t', isReminder: false }

/** Columns of what stands together in a terminal: a wide character two, a mark none, an emoji two. */
function columnsOf(segment: string): number {
  const known = columnsOfSegments.get(segment)
  if (known !== undefined) return known
  let columns = 0
  if (/\p{Extended_Pictographic}|[🇦-🇿]|\u20E3/u.test(segment)) columns = 2
  else for (const c of segment.replaceAll(/\p{M}/gu, '')) columns += eastAsianWidth(c.codePointAt(0)!)
  columnsOfSegments.set(segment, columns)
  return columns
}
const columnsOfSegments = new Map<string, number>()
const graphemes = new Intl.Segmenter('en')

/** A line as a window of that many columns shows it: broken wherever it is full. */
function wrapped(line: string, width: number): string[] {
  const rows = ['']
  let taken = 0
  for (const { segment } of graphemes.segment(line)) {
    const columns = columnsOf(segment)
    if (taken + columns > width) {
      rows.push('')
      taken = 0
    }
    rows[rows.length - 1] += segment
    taken += columns
  }
  return rows
}

/** A row in which an agent wrote, and which does not show it. */
const isBare = (row: string): boolean => row.includes(mark) && !/^[│┊] /.test(row)

test(`the text of an agent has its bar in each row of every window of 20 to 200 columns, in every kind of card (SEED=${seed})`, () => {
  fc.assert(
    fc.property(written, written, fc.integer({ min: 20, max: 200 }), (message, reason, width) => {
      for (const card of cardsSaying(message, reason)) {
        const mailed = noticeContent(decisionNotice(card, { ...ask, via: 'email' })!).text
        // Programs that show the text of a mail have at least 40 columns: see `quotedInMail`.
        for (const [text, columns] of [
          [cardText(card), width],
          [mailed, Math.max(width, 40)],
        ] as const)
          for (const line of text.split('\n')) expect(wrapped(line, columns).filter(isBare)).toEqual([])
      }
    }),
    bounded(200),
  )
})

test(`the text of an agent is inside its border on a page and in an e-mail, whatever the width, and is never markup (SEED=${seed})`, () => {
  fc.assert(
    fc.property(written, written, (message, reason) => {
      for (const card of cardsSaying(message, reason)) {
        const outside = String(cardHtml(card)).replaceAll(/<pre dir="ltr">[^<]*<\/pre>/g, '')
        expect(outside).not.toContain(mark)
        const mail = noticeContent(decisionNotice(card, { ...ask, via: 'email' })!)
        expect(
          mail.html.replaceAll(/<pre dir="ltr" style="[^"]*border-left[^"]*">[^<]*<\/pre>/g, ''),
        ).not.toContain(mark)
        expect(mail.subject).not.toContain(mark)
      }
    }),
    bounded(200),
  )
})

test(`the text of an agent stands in quotes in Slack, which have their bar in a window of every width, and nowhere else (SEED=${seed})`, () => {
  fc.assert(
    fc.property(written, written, (message, reason) => {
      for (const card of cardsSaying(message, reason)) {
        const notice = decisionNotice(card, { ...ask, via: 'slack' })
        const blocks = (notice?.blocks ?? []) as unknown as SlackBlock[]
        for (const { type, text, elements } of blocks) {
          if (type === 'section') expect(text!.type).toBe('plain_text')
          // Text alone, neither links nor mentions, in a quote alone.
          if (type === 'rich_text')
            expect(elements).toEqual([
              { type: 'rich_text_quote', elements: [{ type: 'text', text: expect.any(String) }] },
            ])
        }
        const outside = blocks.filter(({ type }) => type !== 'rich_text')
        expect(JSON.stringify(outside)).not.toContain(mark)
        const quoted = shownInSlack(blocks.filter(({ type }) => type === 'rich_text')).join('')
        const rows = card.quotes.map(({ lines }) => inOneLine(lines.join('\n')))
        if (notice) expect(quoted.replaceAll('\n', '')).toBe(rows.join('').replaceAll('\n', ''))
      }
    }),
    bounded(200),
  )
})
