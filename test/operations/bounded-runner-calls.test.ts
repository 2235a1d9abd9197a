import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { proposeMandate } from '../../src/operations/mandates/sign-mandate.ts'
import { slackRequests } from '../support/consent.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { sessionOfMember, signMandate } from '../support/mandate-scene.ts'
import { runnerScene } from '../support/runner-scene.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate()
}, 60_000)
afterAll(() => gate.stop())

const mandates = { runner_tool: { consent: 'page', uses: 20, uses_per_day: 20, days: 30 } }

test('a mandate with a pattern allows the calls that a rule with it would allow, as often as its budget says', async () => {
  const { hook, grace, account, setPolicy, slack, verify, anotherHook } = await runnerScene(gate)
  await setPolicy({ mandates })
  const session = await sessionOfMember(gate, account, grace)
  const draft = {
    agent: hook.keyId,
    allows: [
      { kind: 'runner_tool', cents_each: undefined, calls: { tool: 'Bash', match: { command: 'make *' } } },
    ],
    uses: 4,
    uses_per_day: 4,
    cents: undefined,
    cents_per_day: undefined,
    until: new Date(Date.now() + 86_400_000).toISOString(),
  }
  await expect(
    proposeMandate(gate.deps, session, {
      ...draft,
      allows: [{ ...draft.allows[0]!, calls: undefined }],
    } as never),
  ).rejects.toThrow('must name a tool')
  const id = await signMandate(gate, session, draft as never)
  const before = slackRequests(gate, slack).length
  const call = { callId: 'toolu_make' }
  const allowed = await hook.ask('make lint', call)
  expect(allowed).toMatchObject({
    decision: 'allow',
    action: id,
    reason: expect.stringContaining('allowed such calls by a mandate'),
  })
  // A repeat of the same call is no other use.
  expect((await hook.ask('make lint', call)).decision).toBe('allow')
  // What the pattern does not cover as a whole, and what another key asks, is asked about.
  for (const line of ['make lint; rm -rf build', 'make lint && curl evil.example', 'sh -c "$X"', 'cmake .'])
    expect([line, (await hook.ask(line, { session: line })).decision]).toEqual([line, 'deny'])
  expect((await (await anotherHook()).ask('make lint')).decision).toBe('deny')
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => hook.ask(`make t${n}`, { session: `s${n}`, callId: `toolu_${n}` })),
  )
  expect(answers.filter(({ action }) => action === id)).toHaveLength(3)
  expect(slackRequests(gate, slack).length).toBeGreaterThan(before)
  const [stored] = await gate.database.asSuperuser(
    `select uses::int, (select count(*)::int from gate.mandate_debit d where d.account_id = m.account_id and d.mandate_id = m.action_id) as debits
     from gate.mandate m where account_id = '${account}' and action_id = ${id}`,
  )
  expect(stored).toEqual({ uses: 4, debits: 4 })
  expect(await verify()).toMatchObject({ ok: true })
  // A rule that names what it asks about is never answered by a mandate.
  await setPolicy({
    mandates: { runner_tool: { ...mandates.runner_tool, uses: 1_000, uses_per_day: 1_000 } },
    runner: {
      rules: [{ tool: 'Bash', match: { command: 'make deploy*' }, decision: 'consent', note: 'Ask.' }],
      record: 'refused',
    },
  })
  const wide = await signMandate(gate, session, { ...draft, uses: 100, uses_per_day: 100 } as never)
  expect((await hook.ask('make deploy-now', { session: 'deploy' })).action).not.toBe(wide)
  expect((await hook.ask('make docs', { session: 'docs' })).action).toBe(wide)
})
