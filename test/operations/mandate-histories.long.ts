import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { freezeMandateNow } from '../../src/operations/mandates/mandates.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { ceilings, mandateScene, strict } from '../support/mandate-scene.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate()
}, 60_000)
afterAll(() => gate.stop())

const command = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ does: fc.constant('use' as const), cents: fc.integer({ min: 100, max: 5_500 }) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('freeze' as const), byAdmin: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('resume' as const), byAdmin: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('expire' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('day' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('policy' as const),
      uses: fc.integer({ min: 1, max: 60 }),
      cents: fc.integer({ min: 5_000, max: 50_000 }),
      each: fc.integer({ min: 500, max: 10_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('sign' as const), uses: fc.integer({ min: 1, max: 9 }) }),
  },
)
type Command = typeof command extends fc.Arbitrary<infer One> ? One : never

/** What one command says of the budgets of each mandate; all of one step run at once. */
async function history(steps: Command[][]): Promise<void> {
  const scene = await mandateScene(gate)
  const { account, session, sign, payOut, setPolicy } = scene
  const { db } = gate.deps
  const ids = [await sign()]
  const admin = { account, adminId: 'admin', memberId: null, tokenHash: null }
  const newest = () => ids.at(-1)!
  const run = async (one: Command): Promise<unknown> => {
    switch (one.does) {
      case 'use':
        return payOut(one.cents)
      case 'freeze':
      case 'resume':
        return freezeMandateNow(db, one.byAdmin ? admin : session, newest(), one.does === 'freeze')
      case 'expire':
        return gate.database.asSuperuser(
          `update gate.mandate set expires_at = clock_timestamp() where account_id = '${account}' and action_id = ${newest()}`,
        )
      case 'day':
        return gate.database.asSuperuser(
          `update gate.mandate_debit set at = at - interval '1 day' where account_id = '${account}'`,
        )
      case 'policy':
        return setPolicy({
          ...strict,
          mandates: {
            payout: {
              ...ceilings.payout,
              uses: one.uses,
              cents: { usd: one.cents },
              cents_each: { usd: one.each },
            },
          },
        })
      case 'sign':
        ids.push(
          await sign({
            uses: one.uses,
            uses_per_day: one.uses,
            cents: { usd: 5_000 },
            cents_per_day: { usd: 5_000 },
            allows: [{ kind: 'payout', cents_each: { usd: 500 } }],
          } as never),
        )
        return undefined
    }
  }
  for (const step of steps) await Promise.allSettled(step.map(run))
  await expectWithinBudgets(account)
  // The ends that the test moved are put back: nothing else differs from the ledger.
  await gate.database.asSuperuser(
    `update gate.mandate m set expires_at = (a.result ->> 'in_force_until')::timestamptz from gate.action a
     where m.account_id = '${account}' and a.account_id = m.account_id and a.id = m.action_id and m.expires_at is not null`,
  )
  const verified = (await scene.verify())!
  expect(verified.ok ? null : [verified.place, verified.problem]).toBeNull()
}

async function expectWithinBudgets(account: string): Promise<void> {
  const over = await gate.database.asSuperuser(`
    with spent as (
      select d.mandate_id, count(*) as uses, sum(d.cents) as cents from gate.mandate_debit d
      where d.account_id = '${account}' group by 1
    ), days as (
      select d.mandate_id, date_trunc('day', d.at, 'UTC') as day, count(*) as uses, sum(d.cents) as cents
      from gate.mandate_debit d where d.account_id = '${account}' group by 1, 2
    )
    select a.id from gate.action a
    left join spent s on s.mandate_id = a.id
    left join days y on y.mandate_id = a.id
    where a.account_id = '${account}' and a.kind = 'mandate' and (
      s.uses > (a.payload ->> 'uses')::int or s.cents > (a.payload #>> '{cents,usd}')::bigint
      or y.uses > (a.payload ->> 'uses_per_day')::int or y.cents > (a.payload #>> '{cents_per_day,usd}')::bigint)`)
  expect(over).toEqual([])
  const unpaired = await gate.database.asSuperuser(`
    select a.id from gate.action a where a.account_id = '${account}' and a.kind = 'payout' and (
      (select count(*) from gate.mandate_debit d where d.account_id = a.account_id and d.action_id = a.id and d.mandate_id = a.mandate_id)
        <> (a.mandate_id is not null)::int
      or (select count(*) from gate.ledger l where l.account_id = a.account_id and l.kind = 'mandate_used'
            and l.entry::jsonb #>> '{data,used_for}' = a.id::text) <> (a.mandate_id is not null)::int)`)
  expect(unpaired).toEqual([])
}

test('in every history of uses, freezes, ends, days and policies no budget is passed, and each use has one debit and one entry', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(command, { minLength: 1, maxLength: 5 }), { minLength: 4, maxLength: 14 }),
      history,
    ),
    { numRuns: 25, endOnFailure: true },
  )
}, 600_000)
