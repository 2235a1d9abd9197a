import { expect, test } from '@jest/globals'
import type { RunnerRule } from '../../src/gate/runner-calls/rules.ts'
import { limits } from '../../src/limits.ts'
import { reviewPolicy } from '../../src/operations/policy/policy-review.ts'
import { useGate } from '../support/use-gate.ts'
import { testHook } from '../support/runner.ts'

const gate = useGate()

async function scene() {
  const account = await gate.account()
  const grace = await account.addMember({ name: 'Grace', slack: 'U0000GRACE', tier: 'guarded_write' })
  return {
    ...account,
    grace,
    hook: await testHook(gate, account, grace),
    review: (...rules: RunnerRule[]) =>
      reviewPolicy(gate.deps, account.account, { runner: { rules, record: 'refused' } }),
  }
}

const denyAll: RunnerRule = { tool: '*', decision: 'deny', note: 'No tools.' }

test('a review decides the past tool calls by both policies, and tells the rules that would decide', async () => {
  const { hook, review } = await scene()
  for (const file_path of ['/work/project/a', '/work/project/b'])
    await hook.ask({ file_path }, { tool: 'Read' })
  await hook.ask({ file_path: '/root/.ssh/id_ed25519' }, { tool: 'Read' })
  const { toolCalls, kinds } = await review(denyAll)
  expect(toolCalls).toEqual({
    calls: 3,
    unknown: 0,
    counts: { denied: 2, allowed: 0, asked: 0, stronger: 0, weaker: 0 },
    changed: [
      {
        tool: 'Read',
        change: 'denied',
        why: 'Rule 1: any tool: denied (No tools.)',
        matchedOn: null,
        calls: 2,
      },
    ],
    isCut: false,
  })
  // Tool calls are not counted a second time as proposals.
  expect(kinds).toEqual([])
})

test('a call is judged with the tier that its member had when it was made', async () => {
  const { hook, review, grace, setTier } = await sceneWithTier()
  await hook.ask({ file_path: '/work/project/a' }, { tool: 'Read' })
  await setTier(grace.memberId)
  const fromGuarded: RunnerRule = { tool: '*', tier: 'guarded_write', decision: 'allow', note: 'All.' }
  expect((await review(fromGuarded)).toolCalls!.counts).toMatchObject({ denied: 0 })
})

test('a call whose input was too long to be kept counts as unknown', async () => {
  const { hook, review } = await scene()
  const content = 'x'.repeat(limits.toolInputReadAgainCharsMax)
  await hook.ask({ file_path: '/work/project/a', content }, { tool: 'Write' })
  expect((await review(denyAll)).toolCalls).toMatchObject({ calls: 1, unknown: 1, counts: { denied: 0 } })
})

test('the test call of a hook is not counted, and where the rules stay the same nothing is', async () => {
  const { hook, account } = await scene()
  await hook.ask({}, { tool: 'gate_canary' })
  const unchanged = { kinds: { broadcast: { tier: 'write', consent: 'chat' } } } as const
  expect((await reviewPolicy(gate.deps, account, unchanged)).toolCalls).toBeNull()
  const floor = { kinds: { runner_tool: { tier: 'write', consent: 'page' } } } as const
  expect((await reviewPolicy(gate.deps, account, floor)).toolCalls).toMatchObject({ calls: 0 })
})

test('a rule that only changed its place is told as moved', async () => {
  const { review, inForce } = await sceneWithPolicy()
  const [first, second, ...rest] = inForce
  const { lines } = await review(second!, first!, ...rest)
  const changed = lines.filter(({ change }) => change !== 'same')
  expect(changed.map(({ change, text }) => [change, text.split(', ').at(-1)])).toEqual(
    expect.arrayContaining([
      ['added', 'moved here'],
      ['removed', 'moved from here'],
    ]),
  )
  expect(changed).toHaveLength(2)
})

async function sceneWithTier() {
  const made = await scene()
  return {
    ...made,
    setTier: (memberId: string) =>
      gate.database.asSuperuser(
        `update gate.member set admin_tier = 'read_only', version = version + 1 where member_id = '${memberId}'`,
      ),
  }
}

async function sceneWithPolicy() {
  const made = await scene()
  const { inForce } = await made.review()
  return { ...made, inForce: inForce.runner.rules }
}
