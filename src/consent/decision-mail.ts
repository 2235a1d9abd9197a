import { escapeHtml } from '../text/escape.ts'
import { quotedInMail, unbroken } from '../text/quote-lines.ts'
import { type Card, type CardFact, cardText } from './card.ts'

/**
 * The mail that asks for a decision. Its button, or link, stands below the title: it is reached on a telephone without scrolling.
 * Without HTML or styles it says the same. Pure.
 * @param ask.opening  stands above the card
 * @param ask.closing  stands below it
 */
export function decisionMail(
  card: Card,
  ask: { url: string; opening: string; closing: string },
): { text: string; html: string } {
  return { text: mailText(card, ask), html: mailHtml(card, ask) }
}

const label = 'Review and decide'

const mailText = (card: Card, { url, opening, closing }: Parts): string =>
  [opening, '', `${label}: ${url}`, '', cardText(inMail(card)), '', closing, ''].join('\n')

const inMail = (card: Card): Card => ({
  ...card,
  quotes: card.quotes.map(({ label: name, lines }) => ({ label: name, lines: quotedInMail(lines) })),
})

interface Parts {
  url: string
  opening: string
  closing: string
}

// The colours of the page behind the link. Each style stands at its element: many mail programs read no other.
const [paper, surface, ink, soft, line, accent] = [
  '#fbfbfa',
  '#ffffff',
  '#1d2129',
  '#555d6b',
  '#dcdfe4',
  '#3d42c4',
]
const font = 'font-family:system-ui,-apple-system,Segoe UI,sans-serif'

function mailHtml({ title, quotes, facts, details }: Card, { url, opening, closing }: Parts): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light">',
    `<title>${escapeHtml(title)}</title></head>`,
    `<body style="margin:0;padding:16px;background:${paper};color:${ink};${font};font-size:16px;line-height:1.5">`,
    `<div style="max-width:600px;margin:0 auto">`,
    `<p style="margin:0 0 12px">${escapeHtml(opening)}</p>`,
    `<div style="padding:4px 16px 16px;border:1px solid ${line};border-left:5px solid ${accent};border-radius:8px;background:${surface};overflow-wrap:anywhere">`,
    `<h1 style="margin:12px 0;font-size:19px;line-height:1.3">${escapeHtml(title)}</h1>`,
    `<p style="margin:0 0 4px"><a href="${escapeHtml(url)}" style="display:inline-block;padding:11px 22px;border-radius:6px;background:${accent};color:#ffffff;font-weight:600;text-decoration:none">${label}</a></p>`,
    ...quotes.map(quoteHtml),
    factsHtml(facts),
    factsHtml(details, 'font-size:14px'),
    `</div><p style="margin:12px 0 0;color:${soft};font-size:14px">${escapeHtml(closing)}</p></div></body></html>`,
  ].join('\n')
}

/** An agent's words: behind their bars also without styles, and in a border that stays where a window wraps them. */
const quoteHtml = ({ label: name, lines }: Card['quotes'][number]): string =>
  `<p style="margin:14px 0 4px;color:${soft};font-size:15px">${escapeHtml(name)}</p><pre dir="ltr" style="margin:0;padding:8px 12px;border-left:3px solid ${soft};background:${paper};${font};font-size:16px;white-space:pre-wrap;overflow-wrap:anywhere">${escapeHtml(unbroken(lines.join('\n')))}</pre>`

const factsHtml = (facts: CardFact[], style = 'font-size:16px'): string =>
  `<div style="margin:14px 0 0;${style}">${facts
    .map(
      ({ label: name, value }) =>
        `<div><span style="color:${soft}">${escapeHtml(name)}:</span> <span style="unicode-bidi:isolate">${escapeHtml(value)}</span></div>`,
    )
    .join('')}</div>`
