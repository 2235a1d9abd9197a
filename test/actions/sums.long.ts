import { describe, expect, test } from '@jest/globals'
import type { Fields } from '../../src/actions/kind.ts'
import { actionKinds } from '../../src/actions/registry.ts'
import type { TestMember } from '../support/account.ts'
import { apiClient } from '../support/api-client.ts'
import { entriesOf, overtake } from '../support/ledger-entries.ts'
import { billingScene } from '../support/billing.ts'
import { browser } from '../support/connect.ts'
import { askedByMail, shownOn } from '../support/consent.ts'
import { useGate } from '../support/use-gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { until } from '../support/until.ts'

const gate = useGate()

const band = (up_to_cents: number, consent = 'agent_attested') => ({
  up_to_cents,
  tier: 'guarded_write',
  consent,
})

/** An account whose refunds have these bands, two members of it, and a second key. */
async function refunding(bands: unknown[] | null, velocity?: unknown) {
  const scene = await billingScene(gate)
  const refund = { bands: { usd: bands }, ...(velocity === undefined ? {} : { velocity }) }
  if (bands) await scene.account.setPolicy({ kinds: { refund } })
  const { key } = await scene.account.mintKey()
  const other = apiClient(gate.api.url, key)
  const as = (member: TestMember) => ({ actor: { email: member.email } })
  const propose = async (
    cents: number,
    member = scene.guarded,
    payment = 'pi_Sandbox05',
    client = scene.client,
  ) => (await callTool(client, 'issue_refund', { ...as(member), payment, amount_cents: cents })).body
  const confirm = async (id: number, member = scene.guarded, client = scene.client) =>
    (await callTool(client, 'confirm_action', { ...as(member), id })).body
  return { ...scene, other, propose, confirm }
}

const ofPayment = (amount: string) =>
  `with ${amount} USD already refunded on this payment in the last 24 hours`

describe('five refunds of 100.00 of one payment', () => {
  const amounts = Array<number>(5).fill(10_000)

  test('are stopped at the second by the floor for what is above 100.00: the member is asked', async () => {
    const { propose, confirm, writer } = await refunding([band(10_000), band(1_000_000, 'page')])
    const rows = []
    for (const cents of amounts) rows.push(await propose(cents, writer))
    expect(rows.map((row) => row.status)).toEqual(Array(5).fill('proposed'))
    expect((await confirm(rows[0].id, writer)).status).toBe('executed')
    for (const row of rows.slice(1))
      expect(await confirm(row.id, writer)).toMatchObject({
        status: 'proposed',
        consent_request: { required: 'page' },
      })
    const mail = await askedByMail(gate, writer.email!)
    expect(mail.text.replaceAll(/\s+/g, ' ')).toContain(
      'Since then: 100.00 USD more refunded on this payment; 200.00 USD together with this',
    )
  })

  test('are stopped at the second by the tier, with the sum in the reason; one that is proposed later is denied at once', async () => {
    const { propose, confirm } = await refunding(null)
    const rows = [
      await propose(10_000, undefined, 'pi_Sandbox06'),
      await propose(10_000, undefined, 'pi_Sandbox06'),
    ]
    expect((await confirm(rows[0].id)).status).toBe('executed')
    const reason = `This 100.00 USD refund, ${ofPayment('100.00')}, requires \`write\` (up to 10,000.00 USD); the member has \`guarded_write\`. To qualify, ask an administrator.`
    expect(await confirm(rows[1].id)).toMatchObject({ status: 'denied', denial_reason: reason })
    expect(await propose(10_000, undefined, 'pi_Sandbox06')).toMatchObject({
      status: 'denied',
      denial_reason: reason,
    })
    expect((await propose(10_000, undefined, 'pi_Sandbox05')).status).toBe('proposed')
  })

  test('are stopped at the second over two members and two keys too', async () => {
    const { propose, confirm, writer, other } = await refunding([band(100)])
    const [mine, theirs] = [await propose(100), await propose(100, writer)]
    expect((await confirm(mine.id)).status).toBe('executed')
    expect(await confirm(theirs.id, writer, other)).toMatchObject({
      status: 'denied',
      denial_reason: `This 1.00 USD refund, ${ofPayment('1.00')}, is above the highest amount that the policy allows. Wait, or ask an administrator.`,
    })
  })
})

test('payouts sum by their destination, and one that the provider refused does not count', async () => {
  const { tool, done, writer } = await refunding(null)
  const payout = (amount_cents: number, currency = 'usd') =>
    tool('send_payout', { amount_cents, currency }, writer).then(({ body }) => body)
  // The stand-in has less than that in euros.
  expect(await done('send_payout', { amount_cents: 900_000, currency: 'eur' }, writer)).toMatchObject({
    status: 'cancelled',
  })
  expect((await payout(900_000, 'eur')).status).toBe('proposed')
  expect((await done('send_payout', { amount_cents: 600_000 }, writer)).status).toBe('executed')
  expect((await payout(400_000)).status).toBe('proposed')
  expect((await payout(400_001)).denial_reason).toBe(
    'This 4,000.01 USD payout, with 6,000.00 USD already paid out to this destination in the last 24 hours, is above the highest amount that the policy allows. Wait, or ask an administrator.',
  )
})

test('a page that was opened before another refund of the payment is shown again, with the new sum', async () => {
  const { propose, confirm, guarded, writer } = await refunding([band(100), band(1_000, 'page')])
  const [large, small] = [await propose(150), await propose(50, writer)]
  await confirm(large.id)
  const asked = gate.sandbox.messages(1_000).filter(({ to }) => to === guarded.email).length
  const { link } = await askedByMail(gate, guarded.email!, asked || 1)
  const visitor = browser()
  const shown = shownOn((await visitor.open(link)).html)
  expect((await confirm(small.id, writer)).status).toBe('executed')
  const refused = await visitor.send(link, { does: 'confirm', shown })
  expect(refused.status).toBe(409)
  const again = (await visitor.open(link)).html
  expect(again).toContain('0.50 USD more refunded on this payment; 2.00 USD together with this')
  await visitor.send(link, { does: 'confirm', shown: shownOn(again) })
  await until('it is executed', async () => (await propose(801)).denial_reason?.includes(ofPayment('2.00')))
})

test('a confirm that is executed late counts neither itself nor what was confirmed after it', async () => {
  const { account, propose, confirm, client } = await refunding([band(400)])
  await account.setPolicy({
    expires_after_hours: 3 / 3_600,
    kinds: { refund: { bands: { usd: [band(400)] } } },
  })
  const [first, second] = [await propose(200), await propose(200)]
  await gate.stopWorkers()
  // Nobody executes them: both confirms are accepted, and wait.
  await Promise.all([first, second].map(({ id }) => overSoon(() => confirm(id))))
  const order = (await entriesOf(gate.database, account.account)).filter(({ kind }) => kind === 'confirmed')
  expect(order).toHaveLength(2)
  await account.setPolicy({
    expires_after_hours: 3 / 3_600,
    kinds: { refund: { bands: { usd: [band(200)] } } },
  })
  await until('both are late', async () => Date.now() > Date.parse(second.expires_at))
  await gate.startWorkers()
  const ended = (id: number) =>
    until('it has ended', async () => {
      const { body } = await client.get(id)
      return body.status !== 'proposed' && body
    })
  expect((await ended(order[0]!.actionId!)).status).toBe('executed')
  expect((await ended(order[1]!.actionId!)).denial_reason).toContain(ofPayment('2.00'))
}, 60_000)

/** Waits for an answer, but not longer than it takes to be recorded. */
async function overSoon(ask: () => Promise<unknown>): Promise<void> {
  await Promise.race([ask().catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 1_000))])
}

test('a claim whose sum has moved is decided again: one that lost the race is denied', async () => {
  const { account, propose, confirm } = await refunding([band(100)])
  const [first, second] = [await propose(60), await propose(60)]
  await confirm(first.id)
  const moved = await overtake(
    gate.database,
    account.account,
    () => confirm(second.id),
    // Nothing changes: the confirm of before is counted.
    'select 1',
  )
  expect(moved.denial_reason).toContain('is above the highest amount that the policy allows')
})

test('two refunds at once, by two members and two keys, never confirm more than the band', async () => {
  const tries = 50
  for (let n = 0; n < tries; n += 5) await Promise.all(Array.from({ length: 5 }, () => oneRace()))

  async function oneRace() {
    const { account, propose, confirm, guarded, writer, client, other } = await refunding([band(100)])
    const rows = [await propose(60, guarded, 'pi_Sandbox01'), await propose(60, writer, 'pi_Sandbox01')]
    await Promise.all([confirm(rows[0].id, guarded, client), confirm(rows[1].id, writer, other)])
    const chain = (await entriesOf(gate.database, account.account)).filter(
      ({ actionId }) => actionId !== null,
    )
    const told = chain.map(({ kind }) => kind).filter((kind) => kind === 'confirmed' || kind === 'denied')
    expect(told).toEqual(['confirmed', 'denied'])
  }
}, 300_000)

describe('limits of more than a member', () => {
  test('hold for the account over all members', async () => {
    const velocity = { actions_per_day: null, account: { actions_per_day: 1 } }
    const { propose, confirm, writer } = await refunding([band(10_000)], velocity)
    const [mine, theirs] = [await propose(1), await propose(1, writer, 'pi_Sandbox06')]
    expect((await confirm(mine.id)).status).toBe('executed')
    expect((await confirm(theirs.id, writer)).denial_reason).toBe(
      'The limit is 1 refund action in 24 hours for the whole account (1 already confirmed). Wait, or ask an administrator.',
    )
  })

  test('hold for each key by itself', async () => {
    const velocity = { key: { cents_per_day: { usd: 2 } } }
    const { propose, confirm, other } = await refunding([band(10_000)], velocity)
    const rows = [await propose(2), await propose(2), await propose(2, undefined, undefined, other)]
    expect((await confirm(rows[0].id)).status).toBe('executed')
    expect((await confirm(rows[1].id)).denial_reason).toContain('for one API key')
    expect((await confirm(rows[2].id, undefined, other)).status).toBe('executed')
  })
})

test('a member confirms 50 refunds a day where nobody set a limit', async () => {
  const { account, propose, confirm } = await refunding([band(10_000)])
  const { id } = await propose(1)
  expect((await confirm(id)).status).toBe('executed')
  // So many actions fill a day, without waiting for each.
  await gate.database.asSuperuser(
    `insert into gate.action (account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload,
       created_at, requires_confirmation, decision, decided_at, result, executed_at)
     select account_id, 1000 + n, gen_random_uuid(), kind, status, member_id, member, tier_at_request, source,
       json_build_object('payment', 'pi_' || n, 'amount_cents', 1, 'currency', 'usd'),
       created_at, requires_confirmation, decision, decided_at, result, executed_at
     from gate.action, generate_series(1, 49) n where account_id = '${account.account}' and id = ${id}`,
  )
  expect((await propose(1)).denial_reason).toBe(
    'The limit is 50 refund actions in 24 hours for one member (50 already confirmed). Wait, or ask an administrator.',
  )
})

test('the database and the kinds agree what an amount is about', async () => {
  const samples: Record<string, Fields[]> = {
    refund: [{ payment: 'pi_1', amount_cents: 1, currency: 'usd' }],
    payout: [{ amount_cents: 1, currency: 'usd', credential: 'c' }],
    checkout: [
      { customer: 'cus_1', total_cents: 1, currency: 'usd' },
      { total_cents: 1, currency: 'usd' },
    ],
    subscription_cancellation: [{ subscription: 'sub_1', amount_cents: 1, currency: 'usd' }],
    broadcast: [{ message: 'Hi' }],
    integration: [{ provider: 'stripe' }],
    upstream_tool: [
      { upstream: 'shop', tool: 'refund', arguments: {}, subject: 'cus_1' },
      { upstream: 'shop', tool: 'refund', arguments: {} },
    ],
  }
  for (const kind of actionKinds)
    for (const payload of samples[kind.kind] ?? []) {
      const [row] = await gate.database.asSuperuser(
        `select gate_private.subject_of('${kind.kind}', '${JSON.stringify(payload)}') as subject`,
      )
      expect([kind.kind, row!['subject']]).toEqual([kind.kind, kind.subject?.(payload) ?? null])
    }
  expect(actionKinds.filter((kind) => kind.weigh && !samples[kind.kind])).toEqual([])
})
