import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createPublicKey, verify } from 'node:crypto'
import { eventTypes, withoutEvent } from '../../src/gate/event-types.ts'
import { entryKinds } from '../../src/gate/lifecycle.ts'
import { fullAccount } from '../ledger/full-account.ts'
import { replayEvents } from '../../src/operations/events/deliveries.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { changeEndpoint, readEndpoint, rotateEndpoint } from '../../src/operations/events/endpoints.ts'
import { endDelegation, startDelegation } from '../../src/operations/delegations/delegations.ts'
import type { Session } from '../../src/operations/sign-in/session.ts'
import { sessionOf } from '../support/session.ts'
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
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
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
  // A receipt lets an executor act: it is read from the gate alone.
  await client.confirm(body.id, actor)
  await scene.deliver()
  expect((await client.get(body.id)).body.receipt).toEqual(expect.any(String))
  const approved = receiver.told().find(({ type }) => type === 'action.approved')!
  expect(approved.data.object).toMatchObject({ id: body.id, consent: { strength: 'agent_attested' } })
  expect(approved.data.object).not.toHaveProperty('receipt')
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
  await account.mintKey({ powers: ['read'] })
  await scene.deliver()
  const minted = receiver.told().find(({ type }) => type === 'key.minted')!
  expect(minted.data.object).toMatchObject({ data: { key: minted.data['key'] } })
  expect(JSON.stringify(minted)).not.toContain('key_hash')
  expect(receiver.told().find(({ type }) => type === 'member.tier_set')).toMatchObject({
    data: {
      member: account.ada.memberId,
      object: { actor: 'admin', data: { member: account.ada.memberId, tier: 'read_only' } },
    },
  })
})

test('signatures are v1 and v1a, by both secrets for 24 hours after a rotation, by the new one alone then, and never by a third', async () => {
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
  // The second rotation in a day ends the first secret.
  const again = await rotateEndpoint(scene.context(account), service, receiver.endpoint)
  const all = [receiver, rotated, again]
  const signers = async (message: string) => {
    await client.propose(actor, message)
    await scene.deliver()
    const sent = receiver.server.received.at(-1)!
    for (const { secret, public_key: key } of all)
      if (isSignedBy(sent, key)) expect(verified(sent, secret).type).toBe('action.proposed')
      else expect(() => verified(sent, secret)).toThrow('No matching signature')
    return all.map(({ public_key: key }) => isSignedBy(sent, key))
  }
  expect(await signers('Two')).toEqual([false, true, true])
  await pass(scene.gate, 86_400_000)
  expect(await signers('Three')).toEqual([false, false, true])
  // None is anywhere in the database.
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

test('every kind of ledger entry is an event of the type that the table says, or of none for a reason', async () => {
  const typed = Object.entries(eventTypes).filter(([, { entry }]) => entry !== null)
  const told = typed.map(([, { entry }]) => entry)
  expect([...new Set([...told, ...Object.keys(withoutEvent)])].toSorted()).toEqual(entryKinds.toSorted())
  expect(Object.keys(withoutEvent).filter((kind) => told.includes(kind as never))).toEqual([])
  const typeOf = async (kind: string, data: object) => {
    const [row] = await scene.gate.database.asSuperuser(
      `select gate_private.event_type('${kind}', '${JSON.stringify({ data })}') as type`,
    )
    return row!['type']
  }
  for (const [type, { entry, ...one }] of typed) {
    const where = 'where' in one ? one.where : undefined
    for (const value of where?.is ?? ['another']) {
      const data = {
        [where?.field ?? 'closed_reason']: JSON.parse(/^false$/.test(value) ? value : `"${value}"`),
      }
      expect([entry, value, await typeOf(entry!, data)]).toEqual([entry, value, type])
    }
  }
  for (const kind of Object.keys(withoutEvent)) expect([kind, await typeOf(kind, {})]).toEqual([kind, null])
})

test('of an account where everything happened, each entry arrives that is an event, with the ids that it names', async () => {
  const { account } = await fullAccount(scene.gate.deps)
  const all = { ...(await scene.account()), account }
  const receiver = await scene.receiver(all, { isFull: true })
  await replayEvents(scene.context(all), receiver.endpoint, { since: new Date(Date.now() - 600_000) })
  await scene.deliver()
  const entries = (await scene.gate.database.asSuperuser(
    `select seq, kind, action_id, entry from gate.ledger where account_id = '${account}' order by seq`,
  )) as { seq: string; kind: string; action_id: string | null; entry: string }[]
  const told = receiver.told().toSorted((a, b) => a.data.seq! - b.data.seq!)
  expect(told.map(({ data }) => data.seq)).toEqual(
    entries.filter(({ kind }) => !Object.hasOwn(withoutEvent, kind)).map(({ seq }) => Number(seq)),
  )
  const types = told.map(({ type }) => type)
  for (const type of ['group.changed', 'account.suspended', 'account.resumed']) expect(types).toContain(type)
  for (const { type, data } of told) {
    const entry = entries.find(({ seq }) => Number(seq) === data.seq)!
    expect([type, data.action ?? null]).toEqual([type, entry.action_id && Number(entry.action_id)])
    expect([type, eventTypes[type as keyof typeof eventTypes].entry]).toEqual([type, entry.kind])
    const { member, group } = JSON.parse(entry.entry).data
    expect([type, data]).toMatchObject([type, JSON.parse(JSON.stringify({ member, group }))])
  }
  expect(JSON.stringify(told)).not.toMatch(/"(key_hash|receipt|salt)"/)
})

test('who names a deputy, and ends it, is told with both members', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { types: ['delegation.started', 'delegation.ended'] })
  const bob = await account.addMember({ email: 'bob@example.com', tier: 'write' })
  const { deps } = scene.gate
  const tokenHash = await sessionOf(deps, account.account, account.actor.email)
  const session = { account: account.account, tokenHash, memberId: account.ada.memberId } as Session
  const until = new Date(Date.now() + 86_400_000)
  const deputy = { email: 'bob@example.com' }
  const delegation = await startDelegation(deps, session, { deputy, kinds: null, until, reason: 'Away' })
  await endDelegation(scene.context(account), delegation)
  await scene.deliver()
  // Without an action, they come in any order.
  const told = receiver.told().toSorted((a, b) => a.data.seq! - b.data.seq!)
  expect(told.map(({ type, data }) => ({ type, ...data }))).toMatchObject([
    { type: 'delegation.started', delegation, from: account.ada.memberId, to: bob.memberId },
    { type: 'delegation.ended', delegation },
  ])
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
