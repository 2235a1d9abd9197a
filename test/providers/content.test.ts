import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { emailContent } from '../../src/providers/email-content.ts'
import { escapeHtml, escapeSlackText } from '../../src/text/escape.ts'
import { anyCharacter } from '../support/any-character.ts'
import { testRows } from '../support/rows.ts'

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({
    unit: fc.constantFrom(
      '<',
      '>',
      '&',
      '!',
      '@',
      '|',
      '"',
      "'",
      ';',
      'lt',
      'amp',
      'channel',
      '\n',
      'é',
      '👩‍🚀',
    ),
  }),
)
const slackShows = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

describe('escaping', () => {
  test('Slack text holds no markup, and Slack shows exactly what was given', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeSlackText(text)
        expect(escaped).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
        expect(slackShows(escaped)).toBe(text)
      }),
    )
  })

  test('HTML text ends no element and no attribute', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeHtml(text)
        expect(escaped).not.toMatch(/[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/)
        expect(slackShows(escaped.replaceAll('&quot;', '"').replaceAll('&#39;', "'"))).toBe(text)
      }),
    )
  })
})

describe('the e-mail', () => {
  const subjectFor = (proposerName: string) => emailContent({ text: 'x', proposerName }).subject

  test('its subject is one bounded line, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 500 }), (name) => {
        const subject = subjectFor(name)
        expect(subject).toMatch(/^Message from \S/)
        // oxlint-disable-next-line no-control-regex
        expect(subject).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/)
        expect([...subject].length).toBeLessThanOrEqual(113)
        expect(subject.isWellFormed()).toBe(true)
      }),
    )
  })

  testRows([
    ['Ada Lovelace', 'Message from Ada Lovelace'],
    ['Ada\r\nBcc: all@example.com', 'Message from Ada Bcc: all@example.com'],
    ['\u202egnirts\u0000', 'Message from gnirts'],
    ['Zoë 👩‍🚀', 'Message from Zoë 👩‍🚀'],
    [' \n\t', 'Message from a member'],
  ])('has a sender that names the account', (name, subject) => expect(subjectFor(name)).toBe(subject))

  test('its text is as given, its HTML shows the same, and its subject takes nothing of it', () => {
    const text = '<img src=x onerror=alert(1)>\n"quoted" & <b>bold</b>'
    const content = emailContent({ text, proposerName: 'Ada' })
    expect(content.text).toBe(text)
    expect(content.subject).toBe('Message from Ada')
    expect(content.html).not.toMatch(/<(?!div style=|\/div>)/)
    expect(content.html).toContain('&lt;img src=x onerror=alert(1)&gt;\n&quot;quoted&quot; &amp; &lt;b&gt;')
  })
})
