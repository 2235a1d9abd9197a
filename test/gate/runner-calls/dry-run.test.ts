import { expect, test } from '@jest/globals'
import { type Policy, defaultPolicy } from '../../../src/gate/policy.ts'
import { type PastToolCall, addToolCalls, noToolCalls } from '../../../src/gate/runner-calls/dry-run.ts'
import { ruleOnCall } from '../../../src/gate/runner-calls/rule-on-call.ts'
import type { RunnerRule } from '../../../src/gate/runner-calls/rules.ts'
import type { Tier } from '../../../src/gate/tier.ts'
import { testRows } from '../../support/rows.ts'
import { toolCall } from './tool-call.ts'

const call = (command: string) => toolCall('Bash', { command }, { cwd: '/work/project' })
const floor = { tier: 'read_only', consent: 'chat' } as const
const policyWith = (...rules: RunnerRule[]): Policy => ({
  ...defaultPolicy,
  kinds: { ...defaultPolicy.kinds, runner_tool: floor },
  runner: { rules, record: 'refused' },
})
const rule = (decision: RunnerRule['decision'], more: Partial<RunnerRule> = {}): RunnerRule => ({
  tool: '*',
  decision,
  note: `Rule to ${decision}.`,
  ...more,
})
const past = (command: string, tier: Tier = 'write'): PastToolCall => ({
  tool: 'Bash',
  tier,
  call: call(command),
})
const run = (now: Policy, next: Policy, ...calls: PastToolCall[]) =>
  addToolCalls({ now, next }, noToolCalls(), calls)

testRows<[RunnerRule, RunnerRule, string | null]>([
  [rule('allow'), rule('deny'), 'denied'],
  [rule('consent'), rule('deny'), 'denied'],
  [rule('deny'), rule('allow'), 'allowed'],
  [rule('consent'), rule('allow'), 'allowed'],
  [rule('allow'), rule('consent'), 'asked'],
  [rule('deny'), rule('consent'), 'asked'],
  [rule('consent'), rule('consent', { consent: 'page' }), 'stronger'],
  [rule('consent', { consent: 'page' }), rule('consent'), 'weaker'],
  [rule('allow'), rule('allow', { note: 'Other words.' }), null],
])('a call counts by its decisions before and after', (before, after, change) => {
  const { calls, unknown, counts, changed } = run(policyWith(before), policyWith(after), past('ls'))
  expect([calls, unknown]).toEqual([1, 0])
  expect(Object.entries(counts).filter(([, count]) => count > 0)).toEqual(
    change === null ? [] : [[change, 1]],
  )
  expect(changed.map((group) => group.change)).toEqual(change === null ? [] : [change])
})

test('a call is judged with the tier that its member had, and what is not known counts nowhere else', () => {
  const next = policyWith(rule('allow', { tier: 'write' }))
  const { counts, unknown, calls } = run(
    policyWith(rule('allow')),
    next,
    past('ls', 'guarded_write'),
    past('ls', 'write'),
    { tool: 'Bash', tier: 'read_only', call: null },
  )
  expect(counts).toMatchObject({ denied: 1, allowed: 0, asked: 0 })
  expect({ unknown, calls }).toEqual({ unknown: 1, calls: 3 })
})

test('calls with the same change by the same rule are one line, the most frequent first, over all pages', () => {
  const next = policyWith(rule('consent', { match: { command: 'git *' } }), rule('deny'))
  const versions = { now: policyWith(rule('allow')), next }
  const first = addToolCalls(versions, noToolCalls(), [past('git push'), past('ls')])
  const { changed } = addToolCalls(versions, first, [past('cat a'), past('pwd')])
  expect(changed).toEqual([
    {
      tool: 'Bash',
      change: 'denied',
      why: 'Rule 2: any tool: denied (Rule to deny.)',
      matchedOn: null,
      calls: 3,
    },
    {
      tool: 'Bash',
      change: 'asked',
      why: 'Rule 1: any tool, input "command" is like "git *": consent chat (Rule to consent.)',
      matchedOn: 'git push',
      calls: 1,
    },
  ])
})

test('the policy’s requirement of every consent to a call counts beside the rule', () => {
  const policy = policyWith(rule('consent'))
  const withFloor = (tier: Tier, consent: 'chat' | 'page'): Policy => ({
    ...policy,
    kinds: { ...policy.kinds, runner_tool: { tier, consent } },
  })
  expect(ruleOnCall(policy, call('ls'), 'read_only')).toMatchObject({ decision: 'consent', consent: 'chat' })
  expect(ruleOnCall(withFloor('read_only', 'page'), call('ls'), 'read_only')).toMatchObject({
    consent: 'page',
  })
  expect(ruleOnCall(withFloor('write', 'chat'), call('ls'), 'guarded_write')).toMatchObject({
    decision: 'deny',
    consent: null,
    denialCode: 'tier_insufficient',
    neededTier: 'write',
  })
  const allowing = { ...withFloor('write', 'page'), runner: policyWith(rule('allow')).runner }
  expect(ruleOnCall(allowing, call('ls'), 'read_only')).toMatchObject({ decision: 'allow', consent: null })
})

test('a call that no rule matches requires consent', () => {
  expect(ruleOnCall(policyWith(), call('ls'), 'read_only')).toMatchObject({
    decision: 'consent',
    ruleNumber: null,
    rule: 'No rule matches: the call requires consent chat',
  })
})
