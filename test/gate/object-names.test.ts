import { expect } from '@jest/globals'
import { anyOf, subjectOf } from '../../src/gate/action-words.ts'
import { dryRun } from '../../src/gate/dry-run.ts'
import { belowEveryBand, channelChoice, clearance, defaultPolicy, ruleOfKind } from '../../src/gate/policy.ts'
import { defaultChannels } from '../../src/gate/reach.ts'
import { resultWords } from '../../src/gate/result-words.ts'
import { spentText } from '../../src/gate/subject.ts'
import { testRows } from '../support/rows.ts'

// JavaScript finds these names in every object: a look-up of a kind must not take them for an entry.
const names = ['constructor', 'toString', '__proto__']

testRows(names)(
  'a kind with a name that every object has is a kind like any other in every sentence',
  (kind) => {
    expect([subjectOf(kind), anyOf(kind)]).toEqual([`This ${kind}`, `A ${kind}`])
    expect(spentText(kind, { subjectCents: 100, customerCents: 0 }, 'usd')).toBe(
      'with 1.00 USD already confirmed for the same subject in the last 24 hours',
    )
    expect(resultWords(kind, { outcome: 'done' })).toBe('outcome: done')
  },
)

testRows(names)('a policy has no rule for a kind with such a name unless it names it', (kind) => {
  expect(ruleOfKind(defaultPolicy, kind)).toBeUndefined()
  expect(clearance(defaultPolicy, { kind }, 'write')).toMatchObject({ allowed: false, code: 'kind_off' })
  expect(belowEveryBand(defaultPolicy, kind, 'read_only')).toBeUndefined()
  expect(channelChoice(defaultPolicy, kind)).toBe(defaultChannels)
  const rule = { tier: 'write', consent: 'page' } as const
  const kinds = Object.fromEntries([[kind, rule]])
  expect(ruleOfKind({ kinds }, kind)).toEqual(rule)
  expect(clearance({ ...defaultPolicy, kinds }, { kind }, 'write')).toMatchObject({ allowed: true })
  expect(dryRun(defaultPolicy, { ...defaultPolicy, kinds }, []).kinds).toBeDefined()
})
