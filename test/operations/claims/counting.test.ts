import { expect, test } from '@jest/globals'
import { reviewPolicy } from '../../../src/operations/policy/policy-review.ts'
import { apiClient } from '../../support/api-client.ts'
import { creditNote, declare } from '../../support/declared-kind.ts'
import { useGate } from '../../support/use-gate.ts'
import { until } from '../../support/until.ts'
import { claim, report } from './scene.ts'

const gate = useGate()

/** An account whose credit notes are executed by claim, and the agent of a member that may claim them. */
async function crediting() {
  const account = await gate.account()
  await account.addMember({ name: 'Ada', email: 'ada@example.com', tier: 'guarded_write' })
  await declare(gate.deps.db, account.account, creditNote())
  const { key } = await account.mintKey({ centsPerDay: { usd: 10_000 } })
  const actor = { email: 'ada@example.com' }
  const over = (client = account.client) => ({
    propose: async (cents: number, customer: string) =>
      (
        await client.request('POST', '/api/v1/actions', {
          body: { kind: 'credit_note', actor, payload: { customer, cents, currency: 'usd' } },
        })
      ).body,
  })
  const confirmed = async (cents: number, customer: string, client = account.client): Promise<number> => {
    const { id } = await over(client).propose(cents, customer)
    expect((await client.confirm(id, actor)).status).toBe(202)
    return id
  }
  const refused = async (id: number, client = account.client) => {
    const { body } = await claim(client, id)
    const { status } = (await report(client, id, { claim: body.claim, outcome: 'refused' })).body
    expect(status).toBe('cancelled')
  }
  return { ...account, limited: apiClient(gate.api.url, key), ...over(), over, confirmed, refused }
}

test('what an agent claimed and reported as refused counts towards the sum of its subject', async () => {
  const { confirmed, refused, propose } = await crediting()
  await refused(await confirmed(6_000, 'cus_1'))
  expect((await propose(6_000, 'cus_1')).denial_reason).toContain(
    '60.00 USD already confirmed for the same subject',
  )
  expect((await propose(6_000, 'cus_2')).status).toBe('proposed')
})

test('what an agent claimed and reported as refused counts towards the limits of its member and of its key', async () => {
  const { setPolicy, confirmed, refused, propose, limited, over } = await crediting()
  await refused(await confirmed(6_000, 'cus_1', limited), limited)
  expect(await over(limited).propose(6_000, 'cus_2')).toMatchObject({
    status: 'denied',
    denial_code: 'key_limit',
  })
  const { default_rule: rule } = creditNote() as { default_rule: object }
  await setPolicy({ kinds: { credit_note: { ...rule, velocity: { actions_per_day: 1 } } } })
  expect(await propose(1, 'cus_3')).toMatchObject({ status: 'denied', denial_code: 'velocity' })
})

test('a policy under review is tried with what an agent claimed and reported as refused', async () => {
  const { account, confirmed, refused } = await crediting()
  await refused(await confirmed(6_000, 'cus_1'))
  await confirmed(1, 'cus_2')
  const { default_rule: rule } = creditNote() as { default_rule: object }
  const kinds = { credit_note: { ...rule, velocity: { actions_per_day: 1 } } }
  const { changed } = await reviewPolicy(gate.deps, account, { kinds } as never)
  expect(changed).toMatchObject([{ change: 'denied', denialCode: 'velocity' }])
})

test('an action that nobody claimed does not count', async () => {
  const { account, client, confirmed, propose } = await crediting()
  const id = await confirmed(6_000, 'cus_1')
  expect((await propose(6_000, 'cus_1')).status).toBe('denied')
  const within = `where account_id = '${account}' and`
  // A day passes after the consent, and the workflow takes its hourly look.
  await gate.database.asSuperuser(
    `update gate.action set decided_at = decided_at - interval '1 day' ${within} id = ${id};
     update gate_private.open_action set wake = 'wake', due_at = now() ${within} action_id = ${id}`,
  )
  await until('it ended', async () => (await client.get(id)).body.status === 'cancelled')
  await gate.database.asSuperuser(`update gate.action set decided_at = now() ${within} id = ${id}`)
  expect((await propose(6_000, 'cus_1')).status).toBe('proposed')
})
