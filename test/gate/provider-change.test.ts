import { expect, test } from '@jest/globals'
import type { Clearance } from '../../src/gate/policy.ts'
import { afterProviderChange } from '../../src/gate/provider-change.ts'
import { testRows } from '../support/rows.ts'

const at = new Date('2026-11-22T05:12:00Z')
const day = 86_400_000
const later = (ms: number) => new Date(at.getTime() + ms)
const change = { provider: 'Stripe', change: 'connected', at } as const
const allowed: Clearance = {
  allowed: true,
  rule: 'This 45.00 USD refund requires `guarded_write`',
  needed: 'guarded_write',
  consent: 'agent_attested',
}

test('within a day of a change the floor is page, and the rule says why and until when', () => {
  expect(afterProviderChange(allowed, change, later(3 * 3_600_000 + 1), day)).toEqual({
    ...allowed,
    consent: 'page',
    rule: 'This 45.00 USD refund requires `guarded_write`; Stripe was connected 3 hours ago, so `page` consent is required until 2026-11-23 05:12 UTC',
  })
})

testRows([
  ['a chat floor is raised too', { ...allowed, consent: 'chat' as const }, change, later(1), 'page'],
  ['a page floor stays as it is', { ...allowed, consent: 'page' as const }, change, later(1), 'page'],
  ['nothing was changed', allowed, undefined, later(1), 'agent_attested'],
  ['the last millisecond of the day', allowed, change, later(day - 1), 'page'],
  ['the day is over', allowed, change, later(day), 'agent_attested'],
  ["a change by a clock that is ahead of the reader's", allowed, change, later(-5_000), 'page'],
] as const)(
  'a change of the provider demands a stronger consent for its time',
  (_, cleared, changed, now, consent) => {
    expect(afterProviderChange(cleared, changed, now, day).consent).toBe(consent)
  },
)

test('a denied action stays denied, with its own reason', () => {
  const denied: Clearance = {
    allowed: false,
    code: 'velocity',
    rule: 'refund needs write',
    needed: 'write',
    consent: 'page',
  }
  expect(afterProviderChange({ ...denied, consent: 'chat' }, change, later(1), day)).toEqual({
    ...denied,
    consent: 'chat',
  })
})

testRows([
  [0, 'less than a minute ago'],
  [60_000, '1 minute ago'],
  [3_599_999, '59 minutes ago'],
  [3_600_000, '1 hour ago'],
  [23 * 3_600_000, '23 hours ago'],
])('the rule says how long ago the change was', (ms, words) => {
  expect(afterProviderChange(allowed, change, later(ms), day).rule).toContain(
    `Stripe was connected ${words}, so`,
  )
})
