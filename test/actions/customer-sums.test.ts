import { expect, test } from '@jest/globals'
import { billingScene } from '../support/billing.ts'
import { useGate } from '../support/use-gate.ts'
import { overtake } from '../support/ledger-entries.ts'

const gate = useGate()

// Two payments of Acme, one of Elm.
const [first, second, foreign] = ['pi_Sandbox01', 'pi_Sandbox05', 'pi_Sandbox06'] as const
const band = (up_to_cents: number, consent = 'agent_attested') => ({
  up_to_cents,
  tier: 'guarded_write',
  consent,
})

async function refunding(bands: unknown[]) {
  const scene = await billingScene(gate)
  await scene.account.setPolicy({ kinds: { refund: { bands: { usd: bands } } } })
  const propose = async (payment: string, amount_cents: number, member = scene.guarded) =>
    (await scene.tool('issue_refund', { payment, amount_cents }, member)).body
  const confirm = async (id: number, member = scene.guarded) =>
    (await scene.tool('confirm_action', { id }, member)).body
  return { ...scene, propose, confirm }
}

test('refunds of two payments of one customer pass a band only together', async () => {
  const { propose, confirm, writer, account } = await refunding([band(100)])
  const rows = [await propose(first, 60), await propose(second, 60, writer), await propose(foreign, 60)]
  expect(rows.map(({ status, payload }) => [status, payload.customer])).toEqual([
    ['proposed', 'cus_SandboxAcme'],
    ['proposed', 'cus_SandboxAcme'],
    ['proposed', 'cus_SandboxElm'],
  ])
  expect((await confirm(rows[0].id)).status).toBe('executed')
  const sum = 'with 0.60 USD already refunded to this customer in the last 24 hours'
  // Another member, and another payment.
  expect(await confirm(rows[1].id, writer)).toMatchObject({
    status: 'denied',
    denial_reason: `This 0.60 USD refund, ${sum}, is above the highest amount that the policy allows. Wait, or ask an administrator.`,
  })
  expect(await propose(second, 41)).toMatchObject({
    status: 'denied',
    denial_reason: expect.stringContaining(sum),
  })
  expect((await propose(second, 40)).status).toBe('proposed')
  expect((await confirm(rows[2].id)).status).toBe('executed')
  const stored = await gate.database.asSuperuser(
    `select customer, count(*)::int as n from gate.action where account_id = '${account.account}' group by 1 order by 1`,
  )
  expect(stored).toEqual([
    { customer: 'cus_SandboxAcme', n: 4 },
    { customer: 'cus_SandboxElm', n: 1 },
  ])
})

test('a floor counts them together, and the card says so', async () => {
  const { propose, confirm, tool } = await refunding([band(100), band(10_000, 'page')])
  await confirm((await propose(second, 90)).id)
  const next = await propose(first, 20)
  expect(next).toMatchObject({ status: 'proposed', consent_required: 'page' })
  expect(next.card.replaceAll(/\s+/g, ' ')).toContain(
    'Amount: 0.20 USD, with 0.90 USD already refunded to this customer in the 24 hours before',
  )
  const { body } = await tool('confirm_action', { id: next.id })
  expect(body).toMatchObject({ status: 'proposed', consent_request: { required: 'page' } })
})

test('a claim whose sum of the customer has moved is decided again', async () => {
  const { account, propose, confirm } = await refunding([band(100)])
  const [one, other] = [await propose(first, 60), await propose(second, 60)]
  const overtaken = await overtake(
    gate.database,
    account.account,
    () => confirm(other.id),
    `update gate.action set decision = 'confirm', decided_at = clock_timestamp() where account_id = '${account.account}' and id = ${one.id}`,
  )
  expect(overtaken.denial_reason).toContain('already refunded to this customer')
})
