import { expect, test } from '@jest/globals'
import { billingScene } from '../support/billing.ts'
import { useGate } from '../support/use-gate.ts'

const gate = useGate()

const bands = { usd: [{ up_to_cents: 100_000, tier: 'guarded_write', consent: 'agent_attested' }] }

async function limitedTo(velocity: Record<string, unknown>) {
  const scene = await billingScene(gate)
  await scene.account.setPolicy({ kinds: { refund: { bands, velocity } } })
  const propose = async (cents: number, member = scene.guarded) =>
    (await scene.tool('issue_refund', { payment: 'pi_Sandbox06', amount_cents: cents }, member)).body
  const confirm = async (id: number, member = scene.guarded) =>
    (await scene.tool('confirm_action', { id }, member)).body
  return { scene, propose, confirm }
}

test('when more confirms come at once than a day allows, only so many execute; the others become denied rows', async () => {
  const { scene, propose, confirm } = await limitedTo({ actions_per_day: 2 })
  const rows = await Promise.all(Array.from({ length: 5 }, () => propose(10)))
  expect(rows.map((row) => row.status)).toEqual(Array(5).fill('proposed'))
  const ended = await Promise.all(rows.map((row) => confirm(row.id)))
  expect(ended.map((row) => row.status).toSorted()).toEqual([
    'denied',
    'denied',
    'denied',
    'executed',
    'executed',
  ])
  expect(ended.find((row) => row.status === 'denied').denial_reason).toBe(
    'The limit is 2 refund actions in 24 hours for one member (2 already confirmed). Wait, or ask an administrator.',
  )
  const again = await propose(10)
  expect(again).toMatchObject({ status: 'denied', denial_code: 'velocity' })
  expect(again).not.toHaveProperty('needed_tier')
  expect((await propose(10, scene.writer)).status).toBe('proposed')
})

test('many confirms at once that all have room are all executed', async () => {
  const { propose, confirm } = await limitedTo({ actions_per_day: 20 })
  const rows = await Promise.all(Array.from({ length: 12 }, () => propose(1)))
  const ended = await Promise.all(rows.map((row) => confirm(row.id)))
  expect(ended.map((row) => row.status ?? row.error)).toEqual(Array(12).fill('executed'))
})

test('the cents of a day are those confirmed in it', async () => {
  const { propose, confirm } = await limitedTo({ cents_per_day: { usd: 1_000 } })
  const [first, second] = [await propose(600), await propose(600)]
  expect((await confirm(first.id)).status).toBe('executed')
  expect((await confirm(second.id)).denial_reason).toContain('plus the 6.00 USD of the last 24 hours')
  expect((await propose(401)).status).toBe('denied')
  const third = await propose(400)
  expect((await confirm(third.id)).status).toBe('executed')
})
