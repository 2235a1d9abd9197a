import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createPublicKey, verify } from 'node:crypto'
import { eventTypes } from '../../src/gate/event-types.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { changeEndpoint, readEndpoint, rotateEndpoint } from '../../src/operations/events/endpoints.ts'
import { shorten } from '../support/shorten.ts'
import { type EventScene, answering, eventScene, pass, verified } from './scene.ts'

let scene: EventScene
beforeAll(async () => {
  scene = await eventScene()
}, 60_000)
afterAll(() => scene.stop())

test('an account is told what its ledger records, ids alone, and nobody else is', async () => {
  const [account, other] = [await scene.account(), await scene.account()]
  const [all, chosen] = [
    await scene.receiver(account),
    await scene.receiver(account, { types: ['action.cancelled'] }),
  ]
  const stranger = await scene.receiver(other)
  const { client, actor } = account
  const { body } = await client.propose(actor, 'Lunch is at noon.')
  await client.cancel(body.id, actor)
  expect(await scene.deliver()).toBe(3)
  const entries = (await scene.gate.database.asSuperuser(
    `select seq, kind, at from gate.ledger where account_id = '${account.account}' and action_id = ${body.id} order by seq`,
  )) as { seq: number; at: Date }[]
  expect(all.told()).toEqual(
    ['action.proposed', 'action.cancelled'].map((type, n) => ({
      id: `evt_${account.account.slice(5)}_${entries[n]!.seq}`,
      type,
      timestamp: entries[n]!.at.toISOString(),
      data: { account: account.account, seq: Number(entries[n]!.seq), action: body.id },
    })),
  )
  expect(chosen.told()).toEqual([all.told()[1]])
  expect(stranger.told()).toEqual([])
  // Nothing is sent again.
  expect(await scene.deliver()).toBe(0)
})

test('a full event has the action as REST shows it when it is sent, without receipt, and ids alone where that is too large', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { isFull: true })
  const { client, actor } = account
  const { body } = await client.propose(actor, 'Lunch is at noon.')
  await scene.deliver()
  const { receipt_problem: _none, ...shown } = (await client.get(body.id)).body
  expect(receiver.told().map(({ data }) => data.object)).toEqual([shown])
  const restore = shorten({ eventBytesMax: 4_000 })
  const { id } = (await client.propose(actor, '"'.repeat(2_000))).body
  await account.setTier(account.ada, 'read_only')
  await scene.deliver()
  restore()
  expect(receiver.told().find(({ data }) => data.action === id)!.data).toEqual({
    account: account.account,
    seq: expect.any(Number),
    action: id,
    left_out: 'too_large',
  })
  expect(receiver.told().find(({ type }) => type === 'member.tier_set')).toMatchObject({
    data: {
      member: account.ada.memberId,
      object: { actor: 'admin', data: { member: account.ada.memberId, tier: 'read_only' } },
    },
  })
})

test('signatures are v1 and v1a, by both secrets for 24 hours after a rotation, and by the new one alone then', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account)
  const { client, actor } = account
  const service = { keys: scene.gate.deps.secretsKeys, allowed: scene.gate.deps.network.allowed }
  const rotated = await rotateEndpoint(scene.context(account), service, receiver.endpoint)
  expect(rotated.secret).not.toBe(receiver.secret)
  await client.propose(actor, 'One')
  await scene.deliver()
  const [both] = receiver.server.received
  for (const { secret, public_key: key } of [receiver, rotated]) {
    expect(verified(both!, secret).type).toBe('action.proposed')
    expect(isSignedBy(both!, key)).toBe(true)
  }
  await pass(scene.gate, 86_400_000)
  await client.propose(actor, 'Two')
  await scene.deliver()
  const [, alone] = receiver.server.received
  expect(verified(alone!, rotated.secret).type).toBe('action.proposed')
  expect(() => verified(alone!, receiver.secret)).toThrow('No matching signature')
  expect([receiver, rotated].map((one) => isSignedBy(alone!, one.public_key))).toEqual([false, true])
  // Neither is anywhere in the database.
  const [{ found }] = (await scene.gate.database.asSuperuser(
    `select count(*) as found from gate.endpoint_secret where ciphertext::text like '%' || encode('whsec_', 'hex') || '%'`,
  )) as [{ found: string }]
  expect(Number(found)).toBe(0)
})

function isSignedBy(
  { headers, body }: { headers: NodeJS.Dict<string | string[]>; body: string },
  key: string,
): boolean {
  const x = Buffer.from(key.replace('whpk_', ''), 'base64').toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((one) => one.startsWith('v1a,'))
    .some((one) => verify(null, signed, publicKey, Buffer.from(one.slice(4), 'base64')))
}

test('every type of event is the type that the database gives to its entry', async () => {
  for (const [type, { entry, ...one }] of Object.entries(eventTypes)) {
    if (entry === null) continue
    const where = 'where' in one ? one.where : undefined
    for (const value of where?.is ?? ['another']) {
      const data = { [where?.field ?? 'closed_reason']: value }
      const [row] = await scene.gate.database.asSuperuser(
        `select gate_private.event_type('${entry}', '${JSON.stringify({ data })}') as type`,
      )
      expect([entry, value, row!['type']]).toEqual([entry, value, type])
    }
  }
  const [row] = await scene.gate.database.asSuperuser(
    `select count(distinct t) as types from gate.ledger l, gate_private.event_type(l.kind, l.entry) t where t <> all ('{${Object.keys(eventTypes).join()}}')`,
  )
  expect(Number(row!['types'])).toBe(0)
})

test('an endpoint is in the ledger, and a change of its row behind the gate is found', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account)
  const context = scene.context(account)
  const { allowed } = scene.gate.deps.network
  await changeEndpoint(context, { allowed }, receiver.endpoint, {
    url: `${receiver.server.url}/other`,
    description: 'Other',
    types: ['policy.changed'],
    isFull: true,
  })
  const verdict = () => verifyLedger(scene.gate.database.db, account.account)
  expect(await verdict()).toMatchObject({ ok: true })
  expect(await readEndpoint(context, receiver.endpoint)).toMatchObject({
    description: 'Other',
    types: ['policy.changed'],
  })
  await scene.gate.database.asSuperuser(
    `update gate.endpoint set url = 'https://evil.example' where endpoint_id = '${receiver.endpoint}'`,
  )
  expect(JSON.stringify(await verdict())).toContain(receiver.endpoint)
})

test('a transaction that is rolled back tells nothing', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { answer: answering(200) })
  await expect(
    scene.gate.database.asSuperuser(`
      do $$ begin
        perform set_config('gate.account', '${account.account}', true);
        perform gate_private.note('${account.account}', gen_random_uuid(), 'tier_set', null, 'admin', null, '{}');
        if (select count(*) from gate.event_delivery where endpoint_id = '${receiver.endpoint}') <> 1 then
          raise exception 'not queued with its entry';
        end if;
        raise exception 'rolled back';
      end $$`),
  ).rejects.toThrow('rolled back')
  await scene.deliver()
  expect(receiver.server.received).toEqual([])
})
