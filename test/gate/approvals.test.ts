import { expect, test } from '@jest/globals'
import { mayApproveFor } from '../../src/gate/approvals/deputies.ts'
import { type ApprovalRule, mayApprove, sourcesNow } from '../../src/gate/approvals/rule.ts'

const minutesAfter = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes))
const situation = {
  proposerId: 'ada',
  ownerIds: ['ada', 'bea'],
  isShort: false,
  consentedAt: minutesAfter(0),
  now: minutesAfter(1),
}
const rule: ApprovalRule = {
  needed: 2,
  from: { group: 'leads' },
  distinct_from: ['proposer', 'agent_owner'],
  min_strength: 'page',
}
const lead = (memberId: string) => ({ memberId, tier: 'write' as const, groups: ['leads'] })

test('nobody approves their own action, or for themselves by a deputy, and no owner of the agent where the rule says so', () => {
  const everyone: ApprovalRule = { ...rule, distinct_from: [] }
  for (const each of [rule, everyone]) {
    expect(mayApprove(each, lead('ada'), situation)).toBe(false)
    expect(mayApproveFor(each, 'ada', lead('cy'), situation)).toBe(false)
    expect(mayApproveFor(each, 'cy', lead('ada'), situation)).toBe(false)
    expect(mayApprove(each, lead('cy'), situation)).toBe(true)
  }
  expect(mayApprove(rule, lead('bea'), situation)).toBe(false)
  expect(mayApproveFor(rule, 'bea', lead('cy'), situation)).toBe(false)
  expect(mayApproveFor(rule, 'cy', lead('bea'), situation)).toBe(false)
  expect(mayApprove(everyone, lead('bea'), situation)).toBe(true)
})

test('an escalation and a fallback add people, and take nobody away', () => {
  const wider: ApprovalRule = {
    ...rule,
    fallback: { members: ['dan'] },
    escalate_after_minutes: 60,
    escalate_to: { tier: 'write' },
  }
  const late = { ...situation, now: minutesAfter(60) }
  expect(sourcesNow(wider, situation)).toEqual([wider.from])
  expect(sourcesNow(wider, { ...situation, isShort: true })).toEqual([wider.from, wider.fallback])
  expect(sourcesNow(wider, late)).toEqual([wider.from, wider.escalate_to])
  // Nobody consented: there is nothing that could be late.
  expect(sourcesNow(wider, { ...late, consentedAt: null })).toEqual([wider.from])
  // A tier is earned: nobody has it as a deputy.
  const stranger = { ...lead('eve'), groups: [] }
  expect(mayApprove(wider, stranger, late)).toBe(true)
  expect(mayApproveFor(wider, 'cy', stranger, late)).toBe(false)
})
