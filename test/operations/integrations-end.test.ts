import { expect, test } from '@jest/globals'
import { createActivities } from '../../activities/index.ts'
import postgres from 'postgres'
import { activateIntegration, disconnectIntegration } from '../../src/db/queries/integrations/integrations.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { overtake, waiting } from '../support/ledger-entries.ts'
import {
  bring,
  browser,
  connect,
  connectAsMember,
  goodForm,
  hiddenFields,
  linkFor,
  ringOf,
  signedInFor,
} from '../support/connect.ts'
import { useGate } from '../support/use-gate.ts'
import { until } from '../support/until.ts'

const gate = useGate({ env: { SECRETS_KEYS: ringOf('k1') } })

const ada = { email: 'ada@example.com' }

async function accountOfAda(tier: 'guarded_write' | 'write' = 'write') {
  const account = await gate.account()
  const member = await account.addMember({ name: 'Ada Lovelace', ...ada, tier })
  return { ...account, member, link: (provider: string) => linkFor(account.client, ada, provider) }
}

const stored = (account: string) =>
  gate.database.asSuperuser(
    `select i.provider, i.state, count(s.field)::int as secrets from gate.integration i
     left join gate.integration_secret s using (account_id, integration_id)
     where account_id = '${account}' group by i.integration_id, i.provider, i.state, i.created_at order by i.created_at`,
  )

/** Moves the end of a link and its row. */
const endAt = (account: string, id: number, when: string) =>
  Promise.all(
    ['action', 'link', 'open'].map((what) =>
      gate.database.asSuperuser(
        {
          action: `update gate.action set expires_at = ${when} where account_id = '${account}' and id = ${id}`,
          link: `update gate_private.connect_link set expires_at = ${when} where account_id = '${account}' and action_id = ${id}`,
          open: `update gate_private.open_action set expires_at = ${when} where account_id = '${account}' and action_id = ${id}`,
        }[what]!,
      ),
    ),
  )

test('an expired link connects nothing, its row ends as expired, and an hour later it is not known', async () => {
  const { account, client, link } = await accountOfAda()
  const { url, id } = await link('stripe')
  await endAt(account, id, `now() - interval '1 second'`)
  for (const page of [await browser().open(url), await connectAsMember(gate, url, goodForm.stripe)])
    expect([page.status, page.text]).toEqual([410, expect.stringContaining('has expired')])
  expect((await client.confirm(id, ada)).status).toBe(409)
  expect((await client.get(id)).body).toMatchObject({ status: 'cancelled', closed_reason: 'expired' })
  expect((await browser().open(url)).text).toContain('has expired')
  await endAt(account, id, `now() - interval '2 hours'`)
  await createActivities(gate.deps).reconcile()
  expect((await browser().open(url)).status).toBe(404)
  expect(await stored(account)).toEqual([])
})

test('a link that expires while its key is checked connects nothing', async () => {
  const { account, client, link } = await accountOfAda()
  const { url, id } = await link('stripe')
  const visitor = await signedInFor(gate, url)
  const fields = hiddenFields(await bring(visitor, url, goodForm.stripe))
  const page = await overtake(
    gate.database,
    account,
    () => visitor.send(url, fields),
    `update gate.action set expires_at = now() - interval '1 second' where account_id = '${account}' and id = ${id}`,
  )
  expect(page.status).toBe(410)
  expect((await client.get(id)).body).toMatchObject({ status: 'cancelled', closed_reason: 'expired' })
  expect(await stored(account)).toEqual([])
})

test('with the workers down the page says that it is confirmed, and it is in use once they are back', async () => {
  const { account, client, link } = await accountOfAda()
  await gate.stopWorkers()
  try {
    const { url, id } = await link('stripe')
    const page = await connectAsMember(gate, url, goodForm.stripe)
    expect([page.status, page.text]).toEqual([202, expect.stringContaining('in a moment')])
    expect(await stored(account)).toEqual([{ provider: 'stripe', state: 'pending', secrets: 1 }])
    const again = await connectAsMember(gate, url, goodForm.stripe)
    expect([again.status, again.text]).toEqual([
      410,
      expect.stringContaining('This link was already used: Stripe is being connected.'),
    ])
    await gate.startWorkers()
    await until('it is executed', async () => (await client.get(id)).body.status === 'executed')
    expect(await stored(account)).toEqual([{ provider: 'stripe', state: 'connected', secrets: 1 }])
  } finally {
    await gate.startWorkers()
  }
}, 60_000)

test('a credential of a confirm that came to nothing is deleted with its link', async () => {
  const { account, client, link, member, setTier } = await accountOfAda()
  await gate.stopWorkers()
  try {
    const { url, id } = await link('stripe')
    const { expires_at: expiresAt } = (await client.get(id)).body
    await connectAsMember(gate, url, goodForm.stripe)
    await endAt(account, id, `now() - interval '2 hours'`)
    await createActivities(gate.deps).reconcile()
    expect(await stored(account)).toEqual([{ provider: 'stripe', state: 'pending', secrets: 1 }])
    await setTier(member, 'read_only')
    await gate.startWorkers()
    await until('it is denied', async () => (await client.get(id)).body.status === 'denied')
    await createActivities(gate.deps).reconcile()
    expect(await stored(account)).toEqual([])
    await endAt(account, id, `'${expiresAt}'`)
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
  } finally {
    await gate.startWorkers()
  }
}, 60_000)

test('connecting again replaces: one is in use, and the secret of the other is gone', async () => {
  const { account, client } = await accountOfAda()
  const version = async () =>
    (
      await gate.database.asSuperuser(
        `select integrations_version::int as v from gate.account where account_id = '${account}'`,
      )
    )[0]!['v']
  expect(await version()).toBe(0)
  await connect(gate, client, ada, 'stripe')
  await connect(gate, client, ada, 'resend')
  expect(await version()).toBe(2)
  await connect(gate, client, ada, 'stripe')
  expect(await version()).toBe(3)
  expect(await stored(account)).toEqual([
    { provider: 'stripe', state: 'disconnected', secrets: 0 },
    { provider: 'resend', state: 'connected', secrets: 1 },
    { provider: 'stripe', state: 'connected', secrets: 1 },
  ])
})

test('a disconnect while another connection takes its place: both are done, neither waits for the other for good', async () => {
  const { account, client, link } = await accountOfAda()
  await connect(gate, client, ada, 'stripe')
  await gate.stopWorkers()
  const holder = postgres(gate.database.superuserUrl, { max: 1, onnotice: () => {} })
  try {
    const { url, id } = await link('stripe')
    expect((await connectAsMember(gate, url, goodForm.stripe)).status).toBe(202)
    const waitFor = (n: number) =>
      until(`${n} wait for a lock`, async () => (await waiting(gate.database)) === n)
    await holder.unsafe('begin')
    const [old] = await holder.unsafe(
      `select integration_id from gate.integration where account_id = '${account}' and state = 'connected' for update`,
    )
    const integrationId = old!['integration_id'] as string
    const disconnected = disconnectIntegration(gate.database.db, { ...adminWrite(account), integrationId })
    await waitFor(1)
    const activated = activateIntegration(gate.database.db, account, id)
    await waitFor(2)
    await holder.unsafe('commit')
    const results = await Promise.allSettled([disconnected, activated])
    expect(results).toEqual([
      { status: 'fulfilled', value: true },
      { status: 'fulfilled', value: undefined },
    ])
    expect(await stored(account)).toEqual([
      { provider: 'stripe', state: 'disconnected', secrets: 0 },
      { provider: 'stripe', state: 'connected', secrets: 1 },
    ])
  } finally {
    await holder.end({ timeout: 2 })
    await gate.startWorkers()
  }
}, 60_000)
