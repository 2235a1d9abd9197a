import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { eastAsianWidth } from 'get-east-asian-width'
import { actionKinds } from '../../src/actions/registry.ts'
import type { Summary } from '../../src/actions/kind.ts'
import { type CardSource, cardHash, cardOf, cardText } from '../../src/consent/card.ts'
import { decisionNotice } from '../../src/consent/notice.ts'
import type { SameRow } from '../../src/consent/same-as.ts'
import { slackCard } from '../../src/consent/slack-card.ts'
import { escapeInvisible } from '../../src/text/escape-invisible.ts'
import { quoteLines, quotedInMail, unbroken } from '../../src/text/quote-lines.ts'
import type { ActionRow } from '../../src/db/queries/actions/actions.ts'
import { noticeContent } from '../../src/providers/email-content.ts'
import { cardHtml } from '../../src/web/card-html.ts'
import { anyCharacter } from '../support/any-character.ts'
import { type SlackBlock, inOneLine, shownInSlack } from '../support/consent.ts'
import { testRows } from '../support/rows.ts'

const row = {
  id: 7,
  kind: 'broadcast',
  payload: { message: 'Lunch is at noon.' },
  member: 'ada@example.com',
  source: 'mcp',
  requested_by: 'demo',
  reach_slack: 2,
  reach_email: 1,
  reach_unreachable: 3,
  reach_teams: 0,
  expires_at: new Date('2026-11-28T12:00:00Z'),
  digest: '0123456789abcdef'.repeat(4),
  duplicate_of: null,
  created_at: new Date('2026-11-21T12:00:00Z'),
} as unknown as ActionRow

const kindOf = (name: string) => actionKinds.find(({ kind }) => kind === name)!
const card = (given: Partial<CardSource> = {}) =>
  cardOf({ row, kind: kindOf('broadcast'), accountName: 'Acme', memberName: 'Ada Lovelace', ...given })
const saying = (message: string) => card({ row: { ...row, payload: { message } } })
const textOf = (message: string) => cardText(saying(message))

test('a card says that a message is posted in a room, too, where everyone reads it', () => {
  const text = cardText(card({ row: { ...row, reach_teams: 1 } }))
  expect(text).toContain('Message to every active member, and in Microsoft Teams\n')
  expect(text).toContain('Recipients: 2 in Slack, 1 by e-mail; 3 unreachable; 1 post in Microsoft Teams\n')
})

test('a card says what is done, how far it reaches, for whom, until when, and what the agent wrote', () => {
  expect(cardText(card())).toBe(
    `Message to every active member

Message, written by the agent (17 characters):
│ Lunch is at noon.

Recipients: 2 in Slack, 1 by e-mail; 3 unreachable
Requested by: agent "demo" for Ada Lovelace

Kind: broadcast
Decided by: Ada Lovelace (ada@example.com)
Account: Acme
Proposed: #7, by MCP
Open until: 2026-11-28 12:00 UTC
Digest: 0123 4567 89ab cdef`,
  )
})

test('a look-alike host is named above all facts, in every channel, wherever on the card it stands', () => {
  const words = 'xn--pple-43d.com, not apple.com (letters of Cyrillic and Latin)'
  const said = 'Pay at https://аpple.com/id now.'
  const cards = [
    saying(said),
    saying('Pay at xn--pple-43d.com'),
    card({ row: { ...row, rationale: said } }),
    card({ row: { ...row, requested_by: 'help at аpple.com' } }),
    card({ row: { ...row, facts: [['Description', '“see аpple.com”']] } as unknown as ActionRow }),
  ]
  for (const one of cards) expect(one.facts[0]).toEqual({ label: 'Look-alike address', value: words })
  const [one] = cards as [(typeof cards)[0]]
  expect(shownInSlack(slackCard(one)! as unknown as SlackBlock[]).join('\n')).toContain(words)
  expect(cardHtml(one).html).toContain(words)
  const mail = decisionNotice(one, {
    via: 'email',
    token: 'x',
    url: 'https://gate.example/',
    isReminder: false,
  })!
  expect(mail.text).toContain(words)
  expect(textOf('Pay at https://apple.com and bücher.example')).not.toContain('Look-alike')
  const many = saying(Array.from({ length: 9 }, (_, n) => `аpple${n}.com`).join(' '))
  expect(many.facts.filter(({ label }) => label === 'Look-alike address').map(({ value }) => value)).toEqual([
    ...Array.from({ length: 5 }, (_, n) => expect.stringMatching(`^xn--.*, not apple${n}\\.com `)),
    '4 more',
  ])
})

test('the agent says why, behind bars of its own; its name and its words show what cannot be seen', () => {
  const given = card({
    row: { ...row, requested_by: 'sup\u202Eport', rationale: 'The customer waits.\nAmount: 1.00 USD' },
  })
  expect(cardText(given)).toContain(
    '\n\nReason, written by the agent (36 characters):\n│ The customer \n┊ waits.\n│ Amount: 1.00 \n┊ USD\n\n',
  )
  expect(cardText(given)).toContain('Requested by: agent "sup⟨U+202E⟩port" for Ada Lovelace\n')
  expect(cardHash(given)).not.toEqual(cardHash(card({ row: { ...row, requested_by: 'sup\u202Eport' } })))
})

test('the provider’s words are marked as such, in one line each, and covered by the hash', () => {
  const refund = {
    row: { ...row, kind: 'refund', payload: { payment: 'pi_1', ...tenEuros } },
    kind: kindOf('refund'),
  }
  const facts: [string, string][] = [
    ['Customer', '“Acme\nAmount: 1.00 USD”, cus_1'],
    ['Remaining after', '470.00 EUR'],
  ]
  const given = card({ ...refund, row: { ...refund.row, facts } })
  expect(cardText(given)).toContain(
    '\nAmount: 10.00 EUR\nCustomer (Stripe): “Acme⟨U+000A⟩Amount: 1.00 USD”, cus_1\nRemaining after (Stripe): 470.00 EUR\nAs of: 2026-11-21 12:00 UTC, when this was proposed\nRuns at: Stripe\n',
  )
  expect(cardHash(given)).not.toEqual(cardHash(card(refund)))
})
const tenEuros = { amount_cents: 1_000, currency: 'eur' }

test.each<[string, Partial<SameRow>, string]>([
  ['is open', { decision: null }, '#3, which was open when this was proposed'],
  [
    'was executed before',
    { executed_at: new Date('2026-11-21T09:59:00Z') },
    '#3, which was executed 2 hours before this was proposed. Approving runs it again.',
  ],
  [
    'was confirmed before and executed since: the card stays as it was shown',
    { executed_at: new Date('2026-11-21T12:00:01Z') },
    '#3, which was confirmed 2 hours before this was proposed. Approving runs it again.',
  ],
  [
    'was confirmed since: the card stays as it was shown',
    { decided_at: new Date('2026-11-21T12:00:01Z') },
    '#3, which was open when this was proposed',
  ],
])('a card says that the row it repeats %s', (_what, given, words) => {
  const same = {
    id: 3,
    decision: 'confirm',
    decided_at: new Date('2026-11-21T09:58:00Z'),
    executed_at: null,
    ...given,
  } as SameRow
  const repeating = { ...row, duplicate_of: 3, created_at: new Date('2026-11-21T12:00:00Z') }
  expect(cardText(card({ row: repeating, same: same as ActionRow }))).toContain(`\nSame as: ${words}\n`)
})

const usd = { currency: 'usd', credential: 'c0ffee' }
test.each<[string, Record<string, unknown>, string[]]>([
  [
    'refund',
    { payment: 'pi_1', amount_cents: 15_000, currency: 'usd', reason: 'duplicate' },
    ['Refund 150.00 USD', 'Amount: 150.00 USD', 'Payment: pi_1', 'Reason: duplicate', 'Runs at: Stripe'],
  ],
  [
    'payout',
    { amount_cents: 99, ...usd, description: 'Rent' },
    ["Pay out 0.99 USD to the account's own bank", 'Provider key: c0ffee', '│ Rent'],
  ],
  [
    'checkout',
    { mode: 'payment', amount_cents: 500, quantity: 3, total_cents: 1_500, ...usd, description: 'Buns' },
    ['Checkout page for 15.00 USD', 'Amount: 15.00 USD', 'Sells: 3 × 5.00 USD', '│ Buns'],
  ],
  [
    'subscription_cancellation',
    { subscription: 'sub_1', at_period_end: false, amount_cents: 2_000, currency: 'eur', interval: 'month' },
    ['Cancel a subscription of 20.00 EUR per period', 'Subscription: sub_1', 'When: immediately'],
  ],
])('a %s says what it weighs and moves, and what of it an agent wrote', (kind, payload, lines) => {
  const text = cardText(card({ row: { ...row, kind, payload }, kind: kindOf(kind) }))
  for (const line of lines) expect(text).toContain(line)
})

const onPayment = (subjectCents: number) => ({ subjectCents, customerCents: 0 })

test('an amount that comes in pieces is shown with what was confirmed of the same subject before, and since', () => {
  const payload = { payment: 'pi_1', amount_cents: 10_000, currency: 'usd' }
  const facts = [
    ['Customer', '“Acme Tools”, “acme@example.com”, cus_1'],
    ['Paid', '900.00 USD on 2026-11-20'],
    ['Refunded before', '400.00 USD'],
  ]
  const given = {
    row: { ...row, kind: 'refund', payload, facts } as unknown as ActionRow,
    kind: kindOf('refund'),
  }
  const pieces = cardText(card({ ...given, spent: { before: onPayment(40_000), since: onPayment(21_500) } }))
  expect(pieces).toMatch(/^Refund 100\.00 USD of 900\.00 USD to “Acme Tools”\n/)
  expect(pieces).toContain(
    'Amount: 100.00 USD, with 400.00 USD already refunded on this payment in the 24 hours before\n',
  )
  expect(pieces).toContain(
    'Refunded before (Stripe): 400.00 USD\nAs of: 2026-11-21 12:00 UTC, when this was proposed\nSince then: 215.00 USD more refunded on this payment; 315.00 USD together with this\n',
  )
  const alone = card({ ...given, spent: { before: onPayment(0), since: onPayment(0) } })
  expect(cardText(alone)).toContain('Amount: 100.00 USD\n')
  expect(cardText(alone)).not.toContain('Since then')
  const moved = card({ ...given, spent: { before: onPayment(0), since: onPayment(1) } })
  expect(cardHash(moved)).not.toEqual(cardHash(alone))
  // On a phone the buttons of a brief card stay on the screen: none is brief where they would cover what changed.
  expect([alone, moved].map((one) => cardHtml(one).html.includes('card brief'))).toEqual([true, false])
})

// The name that a customer chose is quoted, short, and cannot end its quotation.
testRows<[string, string]>([
  ['“Acme Tools”, cus_1', ' to “Acme Tools”'],
  ['“a@example.com”', ' to “a@example.com”'],
  ['cus_1', ' to cus_1'],
  [`“${'A'.repeat(100)}”, cus_1`, ` to “${'A'.repeat(39)}…”`],
  ['“Acme\u202e", approved”', ' to “Acme⟨U+202E⟩", approved”'],
])('a title names a customer', (customer, words) => {
  const payload = { payment: 'pi_1', amount_cents: 10_000, currency: 'usd' }
  const given = { ...row, kind: 'refund', payload, facts: [['Customer', customer]] } as ActionRow
  expect(card({ row: given, kind: kindOf('refund') }).title).toBe(`Refund 100.00 USD${words}`)
})

test('a kind that does not summarise its payload has all of it shown, as words of the agent', () => {
  const kind = { reaches: 'nobody' as const }
  const payload = { cup: 'large\nAccount: Other', sugar: 2, tags: ['a'] }
  expect(cardText(card({ row: { ...row, kind: 'buy_coffee', payload }, kind }))).toMatch(
    /^buy coffee\n\ncup, written by the agent \(20 characters\):\n│ large\n│ Account: Other\n\nsugar, .*\n│ 2\n\ntags, .*\n│ \["a"\]\n\nRecipients: none\n/,
  )
})

describe('the text of an agent or an administrator', () => {
  testRows([
    ['a right-to-left override', 'pay\u202Exe.fdp', 'pay⟨U+202E⟩xe.fdp'],
    ['isolates', '\u2066a\u2069', '⟨U+2066⟩a⟨U+2069⟩'],
    ['a zero-width space', 'ad\u200Bmin', 'ad⟨U+200B⟩min'],
    ['a joiner outside of emoji', 'a\u200Db', 'a⟨U+200D⟩b'],
    ['a byte order mark', '\uFEFFx', '⟨U+FEFF⟩x'],
    ['line separators', 'a\u2028b\u2029c\u0085d', 'a⟨U+2028⟩b⟨U+2029⟩c⟨U+0085⟩d'],
    ['a tab and an escape', '\t\u001B[2K', '⟨U+0009⟩⟨U+001B⟩[2K'],
    ['blanks that are no space', 'a\u00A0b\u3000c\u2800d', 'a⟨U+00A0⟩b⟨U+3000⟩c⟨U+2800⟩d'],
    ['fillers', '\u3164\u115F', '⟨U+3164⟩⟨U+115F⟩'],
    ['tag characters', 'a\u{E0041}', 'a⟨U+E0041⟩'],
    ['a soft hyphen', 'a\u00ADb', 'a⟨U+00AD⟩b'],
    ['private use', '\uE000', '⟨U+E000⟩'],
    ['an escape that is none', '⟨U+202E⟩', '⟨U+27E8⟩U+202E⟨U+27E9⟩'],
    ['a mark on nothing', '\u0338x', '⟨U+0338⟩x'],
    ['a pile of marks', `a${'\u0301'.repeat(6)}`, `a${'\u0301'.repeat(4)}⟨U+0301⟩⟨U+0301⟩`],
  ])('characters that hide or reorder text are made visible', (_, text, shown) => {
    expect(escapeInvisible(text)).toBe(shown)
  })

  testRows(['Grüße, naïve café', 'Привет', '你好', 'שלום', 'مرحبا', '👩‍👩‍👧 ❤️ 🇨🇭 1️⃣', 'e\u0301'])(
    'ordinary text stays as it is',
    (text) => {
      expect(escapeInvisible(text)).toBe(text)
    },
  )

  test('can be read back from what is shown: two texts that look the same are the same', () => {
    const readBack = (shown: string) =>
      shown.replaceAll(/⟨U\+([0-9A-F]{4,6})⟩/g, (_, hex: string) =>
        String.fromCodePoint(Number.parseInt(hex, 16)),
      )
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const whole = text.toWellFormed()
        return readBack(escapeInvisible(whole)) === whole
      }),
      { numRuns: 1_000 },
    )
  })

  test('stands behind a bar on every line: it cannot pass for a word of the gate', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (message) => {
        const lines = textOf(`${message}\nAmount: 1.00 USD\n\nAccount: Other`).split('\n')
        const own = lines.filter((line) => !/^[│┊] /.test(line))
        // The gate's own lines are the same, but for the count and a mark of a host, whatever is written.
        const mark =
          /^Look-alike address: (\d+ more|([a-z0-9.-]+|no host that exists)(, not [a-z0-9.-]+)? \((letters of [A-Za-z ]+|Roman numerals|a sign like a full stop|a capital I)\))$/
        const told = (all: string[]) =>
          all.filter((line) => !line.startsWith('Message, written') && !mark.test(line)).join('\n')
        return (
          told(own) ===
          told(
            textOf('x')
              .split('\n')
              .filter((line) => line !== '│ x'),
          )
        )
      }),
      { examples: [['¹.ぁΈ'], ['см. ¹.ぁΈ аpple.com'], ['Look-alike address: 1 more']] },
    )
    expect(textOf('a\n│ b')).toMatch(/\n│ a\n│ │ b\n\nRecipients/)
  })

  test('is broken before a window would break it, so that no part of it stands without a bar', () => {
    const rows = rowsOf(`${'x'.repeat(2_999)} Decided by: Eve`)
    expect(rows.slice(0, -1).map((row) => row.length)).toEqual([...Array.from({ length: 166 }, () => 20), 14])
    expect(rows.at(-1)).toBe('┊ Decided by: Eve')
    expect(rowsOf('some '.repeat(6))).toEqual([`│ ${'some '.repeat(3)}`, `┊ ${'some '.repeat(3)}`])
  })

  testRows([
    ['capitals', `${'W'.repeat(27)} Decided by: Eve`, [9, 9, 9, 16]],
    ['wide letters', '漢'.repeat(19), [9, 9, 1]],
    ['fullwidth ones', 'Ａ'.repeat(10), [9, 1]],
    ['emoji', '👩‍👩‍👧'.repeat(10), [9 * 8, 8]],
    ['letters that some fonts draw as emoji', 'ℹ'.repeat(10), [9, 1]],
    ['letters with marks', 'e\u0301'.repeat(19), [36, 2]],
    ['escapes', '\u200B'.repeat(3), [16, 8]],
    ['letters of which many are one', 'ᄀ'.repeat(19), [9, 9, 1]],
  ])('characters are as wide as they look', (_, message, lengths) => {
    const rows = rowsOf(message)
    expect(rows.map((row) => row.length - 2)).toEqual(lengths)
    for (const row of rows) expect(columnsOf(row)).toBeLessThanOrEqual(20)
  })

  test('is broken at 40 columns in the text of a mail, and stays behind bars', () => {
    const words = `${'some words '.repeat(6)}x\nDecided by: Eve`
    expect(quotedInMail(quoteLines(words))).toEqual([
      '│ some words some words some ',
      '┊ words some words some words ',
      '┊ some words x',
      '│ Decided by: Eve',
    ])
    fc.assert(
      fc.property(anyText, (message) => {
        const given = quoteLines(message.toWellFormed())
        const rows = quotedInMail(given)
        expect(unbroken(rows.join('\n'))).toBe(unbroken(given.join('\n')))
        for (const row of rows) {
          expect(row).toMatch(/^[│┊] /)
          expect(columnsOf(row)).toBeLessThanOrEqual(40)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('is whole again when its rows are joined', () => {
    fc.assert(
      fc.property(anyText, (message) => {
        const written = rowsOf(message.toWellFormed()).join('\n')
        expect(
          written
            .replaceAll('\n┊ ', '')
            .split('\n')
            .map((line) => line.slice(2))
            .join('\n'),
        ).toBe(message.toWellFormed().split('\n').map(escapeInvisible).join('\n'))
        for (const line of written.split('\n')) {
          expect(line).toMatch(/^[│┊] /)
          expect(columnsOf(line)).toBeLessThanOrEqual(20)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  test('in a name cannot add a line either', () => {
    const text = cardText(card({ memberName: 'Ada\nAmount: 1.00 USD', accountName: 'A\u2028B' }))
    expect(text).toContain('Decided by: Ada⟨U+000A⟩Amount: 1.00 USD (ada@example.com)')
    expect(text).toContain('Account: A⟨U+2028⟩B')
  })

  test('a card with another text has another hash', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (one, other) => {
        const [a, b] = [one.toWellFormed(), other.toWellFormed()]
        return cardHash(saying(a)).equals(cardHash(saying(b))) === (a === b)
      }),
    )
  })
})

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 500 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom(
      'W',
      'x',
      ' ',
      '\n',
      '漢',
      '한',
      'ｗ',
      '👩‍👩‍👧',
      '❤️',
      'e\u0301',
      'क्',
      'ᄀ',
      '⸻',
      '\u200B',
      '│ ',
    ),
    maxLength: 300,
  }),
)

/** What the agent wrote, as the card of a message shows it. */
const rowsOf = (message: string) =>
  textOf(message)
    .split('characters):\n')[1]!
    .split(/\n\n(?:Look-alike address|Recipients): /)[0]!
    .split('\n')

/** Columns of a terminal: wide characters two, marks none, an emoji two. */
function columnsOf(row: string): number {
  let columns = 0
  for (const { segment } of new Intl.Segmenter('en').segment(row)) {
    if (/\p{Extended_Pictographic}|[🇦-🇿]|\u20E3/u.test(segment)) columns += 2
    else for (const c of segment.replaceAll(/\p{M}/gu, '')) columns += eastAsianWidth(c.codePointAt(0)!)
  }
  return columns
}

const blocksOf = (message: string) => slackCard(saying(message)) as unknown as SlackBlock[]
const quotesOf = (blocks: SlackBlock[]) => shownInSlack(blocks.filter(({ type }) => type === 'rich_text'))

describe('a card in Slack:', () => {
  test.each([
    ['one line', 'x'.repeat(4_000)],
    ['many lines', 'a line of words\n'.repeat(249)],
    ['four thousand emoji', '😀'.repeat(4_000)],
    ['blank lines', `a${'\n'.repeat(3_000)}b`],
  ])('a message of 4,000 characters is whole, in blocks that Slack takes: %s', (_, message) => {
    const blocks = blocksOf(message)
    for (const { type, text } of blocks.filter((block) => block.type !== 'rich_text'))
      expect([type, text!.type, text!.emoji]).toEqual(['section', 'plain_text', false])
    for (const text of shownInSlack(blocks)) {
      expect(text.length).toBeGreaterThan(0)
      expect(text.length).toBeLessThanOrEqual(3_000)
      expect(text.isWellFormed()).toBe(true)
    }
    expect(blocks.length).toBeLessThan(50)
    const joined = shownInSlack(blocks).join('')
    expect(joined.replaceAll('\n', '')).toBe(inOneLine(textOf(message)).replaceAll('\n', ''))
    expect(quotesOf(blocks).join('').replaceAll('\n', '')).toBe(
      inOneLine(rowsOf(message).join('\n')).replaceAll('\n', ''),
    )
  })

  test('nothing in it is markup: what an agent wrote is the text of a quote, which has none, and nothing else', () => {
    const hostile = '<!channel> <@U1> <https://evil.example|Acme> & *bold* :tada:'
    const blocks = blocksOf(hostile)
    const [quote] = blocks.filter(({ type }) => type === 'rich_text')
    expect(quote).toEqual({
      type: 'rich_text',
      elements: [{ type: 'rich_text_quote', elements: [{ type: 'text', text: `│ ${hostile}` }] }],
    })
    expect(JSON.stringify(blocks.filter(({ type }) => type !== 'rich_text'))).not.toMatch(
      /channel|U1|evil|bold/,
    )
  })

  test('a name of an administrator’s is no markup either', () => {
    const given = card({ row: { ...row, requested_by: '<!channel> & <@U1>' } })
    const { text } = (slackCard(given) as unknown as SlackBlock[]).find(({ text: own }) =>
      own?.text.includes('Requested by'),
    )!
    expect(text!.text).toContain('agent "&lt;!channel&gt; &amp; &lt;@U1&gt;"')
  })

  test('a text that Slack would not take whole is not cut: there is no card then, and no notice', () => {
    const message = '\u200B'.repeat(4_000)
    expect(slackCard(saying(message))).toBeUndefined()
    const ask = { token: 't', url: 'https://gate.example/decide/t', isReminder: false }
    expect(decisionNotice(saying(message), { via: 'slack', ...ask })).toBeUndefined()
    expect(decisionNotice(saying(message), { via: 'email', ...ask })!.text).toContain(
      `\n│ ${'⟨U+200B⟩'.repeat(4)}\n┊ ⟨U+200B⟩`,
    )
  })
})

test('Slack, e-mail and page say the same text', () => {
  const given = saying('Lunch <b>is</b> at & noon.\nBring "cash".')
  const text = cardText(given)
  const inSlack = shownInSlack(slackCard(given) as unknown as SlackBlock[]).join('\n')
  expect(inSlack).toBe(inOneLine(text).replaceAll(/\n+/g, '\n'))
  const ask = { via: 'email' as const, token: 't', url: 'https://gate.example/decide/t', isReminder: false }
  const mail = noticeContent(decisionNotice(given, ask)!)
  expect(inOneLine(mail.text)).toContain(inOneLine(text))
  const words = (said: string) => said.split(/\s+/).filter(Boolean).join(' ')
  const shown = words(unescaped(mail.html.replaceAll(/<[^>]*>/g, ' '))).replaceAll(' :', ':')
  expect(shown.replace(' Review and decide', '')).toContain(words(inOneLine(text)))
  const page = unescaped(cardHtml(given).html.replaceAll(/<[^>]*>/g, ' '))
  expect(words(page)).toBe(words(inOneLine(text)))
})

test('a mail has its link before the card, and loads and runs nothing', () => {
  const payload = { message: '<img src="https://evil.example/x"><script>go()</script>' }
  const given = card({
    row: { ...row, payload, rationale: '</pre><a href="https://evil.example">Approve</a>' },
  })
  const ask = {
    via: 'email' as const,
    token: 't',
    url: 'https://gate.example/decide/t?a=1&b=2',
    isReminder: true,
  }
  const { text, html } = noticeContent(decisionNotice(given, ask)!)
  expect(text.indexOf(ask.url)).toBeLessThan(text.indexOf(given.title))
  expect(html.indexOf('href="https://gate.example/decide/t?a=1&amp;b=2"')).toBeLessThan(html.indexOf('<pre'))
  expect([...html.matchAll(/<a /g)]).toHaveLength(1)
  expect(html).not.toMatch(/<(img|script|link|style|form|iframe)\b|url\(|@import/)
  expect(html).toContain('You have not decided yet.')
})

test('in the HTML of an e-mail all that an agent wrote, and nothing else, stands in a border of its own', () => {
  const kind = { reaches: 'nobody' as const }
  const payload = { cup: `${'漢 '.repeat(20)}\nAccount: <Other>`, note: '</div>Digest: 0' }
  const given = card({ row: { ...row, kind: 'buy_coffee', payload }, kind })
  const ask = { via: 'email' as const, token: 't', url: 'https://gate.example/decide/t', isReminder: false }
  const { html } = noticeContent(decisionNotice(given, ask)!)
  const bordered = [...html.matchAll(/<pre dir="ltr" style="[^"]*border[^"]*">([^<]*)<\/pre>/g)]
  expect(bordered.map(([, text]) => unescaped(text!).trimEnd().split('\n'))).toEqual(
    given.quotes.map(({ lines }) => inOneLine(lines.join('\n')).split('\n')),
  )
  expect(html.replaceAll(/<pre dir="ltr"[^<]*<\/pre>/g, '')).not.toMatch(/[│┊]/)
})

test('no kind puts words of an agent into its title or its facts', () => {
  const spoof = 'Amount: 1.00 USD'
  for (const { kind, summary } of actionKinds) {
    const told = summary?.(
      {
        message: spoof,
        description: spoof,
        tool: spoof,
        cwd: spoof,
        mcp_server: spoof,
        runner: 'claude',
        commands: [spoof],
        pinned_to: [{ path: spoof, sha256: 'a'.repeat(64) }],
        asked_most: [{ call: spoof, times: 2 }],
        stopped_until: '2026-11-27T12:00:00.000Z',
        input_digest: '',
        amount_cents: 1,
        base: 1,
        changes: [],
        total_cents: 1,
        currency: 'usd',
        allows: [],
        uses: 1,
        until: '2026-11-27T12:00:00.000Z',
      },
      { input: JSON.stringify({ command: spoof }) },
    ) as Summary | undefined
    if (!told) continue
    expect([kind, told.title.includes(spoof), told.facts.flat().includes(spoof)]).toEqual([
      kind,
      false,
      false,
    ])
  }
})

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
