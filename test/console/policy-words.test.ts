import { describe, expect, test } from '@jest/globals'
import { consentLines, dayLimitLines, hoursWords, tierLines } from '../../src/console/policies/rule-words.ts'
import { type MarkedLine, markChanges } from '../../src/console/policies/word-diff.ts'
import { defaultPolicy } from '../../src/gate/policy.ts'
import { diffPolicies } from '../../src/operations/policy/diff-policies.ts'

/** A line with its changed words in brackets. */
const shown = ({ change, parts }: MarkedLine): string =>
  `${change}: ${parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')}`

describe('the words that differ', () => {
  const refund = (upTo: number) => ({
    ...defaultPolicy,
    kinds: {
      ...defaultPolicy.kinds,
      refund: {
        bands: { usd: [{ up_to_cents: upTo, tier: 'write' as const, consent: 'page' as const }] },
        velocity: 'off' as const,
      },
    },
  })

  test('are marked in both sentences, which stand together; an amount is one word', () => {
    const lines = markChanges(diffPolicies(refund(125_000), refund(102_550)))
    expect(lines.map(shown)).toEqual([
      'removed: refund up to [1,250.00] USD: write, consent page',
      'added: refund up to [1,025.50] USD: write, consent page',
      'removed: refund above [1,250.00] USD: denied for every tier',
      'added: refund above [1,025.50] USD: denied for every tier',
    ])
  })

  test('are not marked in a sentence that has no counterpart', () => {
    const lines = markChanges([
      { change: 'removed', text: 'refund of any EUR amount: write, consent page' },
      { change: 'added', text: 'each member can have at most 5 open proposals' },
      { change: 'same', text: 'proposals expire after 168 hours' },
      { change: 'added', text: 'refund of any EUR amount: read_only, consent page' },
    ])
    expect(lines.map(shown)).toEqual([
      'removed: refund of any EUR amount: write, consent page',
      'added: each member can have at most 5 open proposals',
      'added: refund of any EUR amount: read_only, consent page',
    ])
  })

  test('lose none of the text', () => {
    const [before, after] = [refund(1), { ...defaultPolicy, expires_after_hours: 5 }]
    const lines = diffPolicies(before, after)
    const text = ({ parts }: MarkedLine) => parts.map((part) => part.text).join('')
    expect(markChanges(lines).map(text).toSorted()).toEqual(
      lines.flatMap((line) => (line.change === 'same' ? [] : [line.text])).toSorted(),
    )
  })
})

describe('a rule in words', () => {
  const { kinds } = defaultPolicy

  test('names every amount, and leaves nothing blank', () => {
    expect(tierLines(kinds['refund']!)).toEqual([
      { amounts: 'up to 100.00 USD', requires: 'guarded_write' },
      { amounts: 'up to 10,000.00 USD', requires: 'write' },
      { amounts: 'above 10,000.00 USD', requires: null },
      { amounts: 'other currencies', requires: 'same amounts as USD' },
    ])
    expect(tierLines(kinds['broadcast']!)).toEqual([{ amounts: '', requires: 'guarded_write' }])
    expect(dayLimitLines('broadcast', kinds['broadcast']!)).toEqual(['no limit'])
    expect(dayLimitLines('refund', kinds['refund']!)).toEqual([
      'one member: 50 actions',
      'one member: 100,000.00 USD; the same in other currencies',
    ])
    const off = { bands: { usd: [{ tier: 'write', consent: 'page' }] }, velocity: 'off' } as const
    expect(dayLimitLines('refund', off as never)).toEqual(['one member: any number of actions'])
  })

  test('says the consent once where it is the same for every amount, and else by amount', () => {
    expect(consentLines('refund', kinds['refund']!)).toEqual([{ amounts: '', requires: 'the agent’s word' }])
    expect(consentLines('preview', kinds['preview']!)).toEqual([
      { amounts: '', requires: 'none: it starts without a confirmation' },
    ])
    const usd = [
      { up_to_cents: 100, tier: 'write', consent: 'chat' },
      { tier: 'write', consent: 'page' },
    ]
    expect(consentLines('refund', { bands: { usd } } as never)).toEqual([
      { amounts: 'up to 1.00 USD', requires: 'own consent in Slack (chat)' },
      { amounts: 'above 1.00 USD', requires: 'own consent on a page (page)' },
      { amounts: 'other currencies', requires: 'same amounts as USD' },
    ])
  })

  test('gives days where they are whole', () => {
    expect([1, 24, 168, 168.5].map(hoursWords)).toEqual([
      '1 hour',
      '24 hours',
      '168 hours (7 days)',
      '168.5 hours',
    ])
  })
})
