import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from '@jest/globals'
import { adminWrite } from '../../src/db/admin-write.ts'
import {
  type DeliveryState,
  layOutDeliveries,
  stepDelivery,
} from '../../src/db/queries/actions/deliveries.ts'
import { finishAction } from '../../src/db/queries/actions/execution.ts'
import { listUndelivered } from '../../src/db/queries/actions/timeline.ts'
import { addMember } from '../../src/db/queries/members/members.ts'
import type { Deps } from '../../src/deps.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type Lived, openAccount } from '../ledger/lived-account.ts'
import type { TestDatabase } from '../support/database.ts'
import { beginBroadcast, claimSlice, sliceStates } from './confirmed-broadcast.ts'
import { ofThisFile } from '../ledger/file-scene.ts'

// A worker that was frozen, or cut off from Temporal alone, goes on after the end of its action.
let database: TestDatabase
let deps: Deps
let lived: Lived
let id: number
ofThisFile((made) => ({ database, deps } = made))
beforeEach(async () => {
  lived = await openAccount(deps)
  id = await lived.propose()
})

const layOut = () => layOutDeliveries(deps.db, lived.account, id, { slack: 20, email: 100 })

const begin = () => beginBroadcast(deps.db, lived, id)

const claim = (channel: 'slack' | 'email') => claimSlice(deps.db, lived, id, channel)

const record = (channel: 'slack' | 'email', state: DeliveryState, code: string) =>
  stepDelivery(deps.db, {
    account: lived.account,
    id,
    channel,
    record: { slice: 0, attempt: 1, states: [state], provider_ids: ['sent'], codes: [code] },
    claim: null,
  })

const recordSent = (channel: 'slack' | 'email') => record(channel, 'ok', '')

const finish = (counts: { slack: number; email: number; unknown?: object }) =>
  finishAction(deps.db, {
    account: lived.account,
    id,
    status: 'executed',
    result: JSON.stringify({ outcome: 'partial', ...counts }),
    closedReason: null,
    eventId: randomUUID(),
    delivered: [{ eventId: randomUUID(), step: 'email:0-1' }],
  })

const left = async () => ({
  states: await sliceStates(deps.db, lived, id),
  messages: await database.asSuperuser(
    `select channel from gate.delivery where account_id = '${lived.account}' and message is not null`,
  ),
})

test('a slice that waits when its action ends has failed: it is not claimed later, and no message is stored', async () => {
  await begin()
  await layOut()
  await claim('slack')
  expect((await finish({ slack: 0, email: 0, unknown: { slack: 1 } })).outcome).toBe('finished')
  expect(await claim('email')).toEqual({ outcome: 'done' })
  expect(await left()).toEqual({
    states: ['email failed', 'slack unknown'],
    messages: [{ channel: 'slack' }],
  })
  expect(await verifyLedger(deps.db, lived.account)).toMatchObject({ ok: true })
})

test('a slice that was not laid out when its action ended is not made later', async () => {
  await begin()
  expect((await finish({ slack: 0, email: 0 })).outcome).toBe('finished')
  expect(await claim('email')).toEqual({ outcome: 'done' })
  expect(await layOut()).toEqual([])
  expect((await left()).states).toEqual([])
})

test('a slice that was under way when its action ended is not sent again, and its outcome is recorded late', async () => {
  await begin()
  await Promise.all([claim('slack'), claim('email')])
  expect((await finish({ slack: 0, email: 0, unknown: { slack: 1, email: 1 } })).outcome).toBe('finished')
  expect(await claim('email')).toEqual({ outcome: 'done' })
  await recordSent('email')
  expect((await left()).states).toEqual(['email ok', 'slack unknown'])
  expect(await verifyLedger(deps.db, lived.account)).toMatchObject({ ok: true })
})

test('recipients who were perhaps sent to when the action ended are named as such, as are those who were not', async () => {
  await begin()
  await layOut()
  await claim('slack')
  expect((await finish({ slack: 0, email: 0, unknown: { slack: 1 } })).outcome).toBe('finished')
  expect(await listUndelivered(deps.db, lived.account, id, 10)).toMatchObject([
    { channel: 'slack', state: 'unknown', code: 'not_recorded' },
    { channel: 'email', state: 'failed', code: 'not_sent' },
  ])
})

test.each<[DeliveryState, string, string]>([
  ['failed', 'channel_not_found', 'failed channel_not_found'],
  ['unknown', 'timeout', 'unknown timeout'],
  // Certainly not sent, and not sent again.
  ['pending', 'ratelimited', 'failed ratelimited'],
  ['sending', 'timeout', 'unknown timeout'],
])('an outcome that comes after the end as %s leaves nothing to be sent', async (state, code, recorded) => {
  await begin()
  await claim('email')
  expect((await finish({ slack: 0, email: 0, unknown: { email: 1 } })).outcome).toBe('finished')
  await record('email', state, code)
  const [only] = await listUndelivered(deps.db, lived.account, id, 10)
  expect(`${only?.state} ${only?.code}`).toBe(recorded)
  await recordSent('email')
  expect(await listUndelivered(deps.db, lived.account, id, 10)).toEqual([only])
  expect(await verifyLedger(deps.db, lived.account)).toMatchObject({ ok: true })
})

test('a slice that waits for its repeat when its action ends keeps the reason, and takes no other outcome', async () => {
  await begin()
  await claim('email')
  await record('email', 'sending', 'timeout')
  expect((await finish({ slack: 0, email: 0, unknown: { email: 1 } })).outcome).toBe('finished')
  await recordSent('email')
  expect(await listUndelivered(deps.db, lived.account, id, 10)).toMatchObject([
    { state: 'unknown', code: 'timeout' },
  ])
  expect(await verifyLedger(deps.db, lived.account)).toMatchObject({ ok: true })
})

test('a slice that is repeated when its action ends takes its outcome, whatever the try before came to', async () => {
  await begin()
  await claim('email')
  await record('email', 'sending', 'timeout')
  await claim('email')
  expect((await finish({ slack: 0, email: 0, unknown: { email: 1 } })).outcome).toBe('finished')
  expect(await listUndelivered(deps.db, lived.account, id, 10)).toMatchObject([{ code: 'not_recorded' }])
  await stepDelivery(deps.db, {
    account: lived.account,
    id,
    channel: 'email',
    record: { slice: 0, attempt: 2, states: ['ok'], provider_ids: ['sent'], codes: [''] },
    claim: null,
  })
  expect((await left()).states).toEqual(['email ok'])
  expect(await verifyLedger(deps.db, lived.account)).toMatchObject({ ok: true })
})

test.each([
  ['was claimed', async () => void (await claim('email')), { slack: 1, email: 0 }],
  [
    'was sent',
    async () => void (await claim('email').then(() => recordSent('email'))),
    { slack: 1, email: 0 },
  ],
])('an action does not end by counts from before a slice %s', async (_, meanwhile, counted) => {
  await begin()
  await layOut()
  await claim('slack')
  await recordSent('slack')
  await meanwhile()
  expect((await finish(counted)).outcome).toBe('moved')
  expect((await left()).states).not.toContain('email failed')
})

test('nothing is laid out or claimed before the confirm', async () => {
  expect(await layOut()).toEqual([])
  expect(await claim('slack')).toEqual({ outcome: 'done' })
  expect((await left()).states).toEqual([])
})

test('a late outcome changes no recipient who has failed with the end', async () => {
  const bob = { memberId: 'mem_Bob0000000000000', name: 'Bob', email: null, slack: 'U0BOB' }
  await addMember(deps.db, { ...adminWrite(lived.account), ...bob })
  id = await lived.propose()
  await begin()
  await stepDelivery(deps.db, {
    account: lived.account,
    id,
    channel: 'slack',
    record: null,
    claim: { slice: 0, sliceMax: 20, message: '{}', most: 1 },
  })
  expect((await finish({ slack: 0, email: 0, unknown: { slack: 1 } })).outcome).toBe('finished')
  await stepDelivery(deps.db, {
    account: lived.account,
    id,
    channel: 'slack',
    record: { slice: 0, attempt: 1, states: ['ok', 'pending'], provider_ids: ['sent', ''], codes: ['', ''] },
    claim: null,
  })
  expect((await left()).states).toEqual(['slack failed', 'slack ok'])
  expect(await verifyLedger(deps.db, lived.account)).toMatchObject({ ok: true })
})
