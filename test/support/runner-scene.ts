import { cancelAsAdmin } from '../../src/operations/decisions/cancel-as-admin.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import type { TestMember } from './account.ts'
import { askedInSlack, pressInSandbox } from './consent.ts'
import type { TestGate } from './gate.ts'
import { testHook } from './runner.ts'
import { until } from './until.ts'

let people = 0

/** An account whose member has Slack and a hook before Claude Code. */
export async function runnerScene(gate: TestGate, tier: 'read_only' | 'guarded_write' = 'guarded_write') {
  const account = await gate.account()
  const slack = `U0000RUN${++people}`
  const grace = await account.addMember({
    name: 'Grace Hopper',
    email: `grace${people}@example.com`,
    slack,
    tier,
  })
  const hook = await testHook(gate, account, grace)
  return {
    ...account,
    grace,
    slack,
    hook,
    anotherHook: (member: TestMember = grace) => testHook(gate, account, member),
    row: async (id: number) => (await account.client.get(id)).body,
    rows: async () => (await account.client.list({ kind: 'runner_tool' })).body.actions,
    /** Presses a button of the last request that the member got in Slack. */
    async decide(button: 'approve' | 'decline', times = 1) {
      const { message } = await askedInSlack(gate, slack, times)
      await pressInSandbox(gate, message, button === 'approve' ? 'gate_approve' : 'gate_decline')
    },
    isGranted: (id: number) =>
      until('the call is approved', async () => (await account.client.get(id)).body.status === 'executed'),
    /** An administrator cancels the request for a call. */
    cancel: (id: number) =>
      cancelAsAdmin({ db: gate.database.db, account: account.account, session: null }, id, 'Not today.'),
    /** The calls of this account are so much older. */
    passed: (time: string) =>
      gate.database.asSuperuser(
        `update gate.tool_call set at = at - interval '${time}' where account_id = '${account.account}'`,
      ),
    counted: async () => {
      const [count] = await gate.database.asSuperuser(
        `select sum(allowed)::int as allowed, sum(denied)::int as denied, sum(asked)::int as asked
        from gate.tool_count where account_id = '${account.account}'`,
      )
      return count
    },
    verify: () => verifyLedger(gate.database.db, account.account),
  }
}
