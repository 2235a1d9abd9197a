import { expect, test } from '@jest/globals'
import { reconcileActivities } from '../../activities/reconcile.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { limits } from '../../src/limits.ts'
import { useGate } from '../support/use-gate.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { testHook } from '../support/runner.ts'

const gate = useGate({ workers: false })

let people = 0
async function scene() {
  const account = await gate.account()
  const grace = await account.addMember({
    name: 'Grace',
    email: `grace.counts${++people}@example.com`,
    tier: 'read_only',
  })
  const hook = await testHook(gate, account, grace)
  const of = (what: string) => `${what} where account_id = '${account.account}'`
  return {
    ...account,
    grace,
    hook,
    reconcile: () => reconcileActivities(gate.deps).reconcile(),
    /** Makes the calls look as if they had been made that long ago. */
    age: (time: string) =>
      gate.database.asSuperuser(
        `${of(`update gate.tool_count set hour = hour - interval '${time}'`)};
         ${of(`update gate.tool_call set at = at - interval '${time}'`)}`,
      ),
    counted: async () =>
      (await entriesOf(gate.database, account.account))
        .filter(({ kind }) => kind === 'tool_calls_counted')
        .map(({ entry }) => entry.data),
    rows: async (table: 'tool_call' | 'tool_count') =>
      gate.database.asSuperuser(of(`select * from gate.${table}`)),
    verify: () => verifyLedger(gate.database.db, account.account),
  }
}

const read = { tool: 'Read' }
const readme = { file_path: '/work/project/README.md' }

test('the calls of an hour that is over are counted in the ledger once, by member, key and tool', async () => {
  const { hook, grace, reconcile, age, counted, verify } = await scene()
  await hook.ask(readme, read)
  await hook.ask(readme, read)
  await hook.ask('rm -rf build')
  await reconcile()
  expect(await counted()).toEqual([])
  await age('2 hours')
  await reconcile()
  await reconcile()
  expect(await counted()).toEqual([
    {
      hour: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/),
      counts: [
        [grace.memberId, hook.keyId, 'Bash', 0, 1, 0],
        [grace.memberId, hook.keyId, 'Read', 2, 0, 0],
      ],
    },
  ])
  expect(await verify()).toMatchObject({ ok: true })
})

test('calls and counts are deleted after their time, and the entries stay', async () => {
  const { hook, reconcile, age, counted, rows } = await scene()
  await hook.ask(readme, read)
  await age(`${limits.toolCallsKeptDays + 1} days`)
  await hook.ask(readme, read)
  await reconcile()
  expect(await counted()).toHaveLength(1)
  expect([(await rows('tool_call')).length, (await rows('tool_count')).length]).toEqual([1, 1])
})
