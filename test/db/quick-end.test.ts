import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from '@jest/globals'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import type { SliceRecord } from '../../src/db/queries/actions/deliveries.ts'
import { finishAction } from '../../src/db/queries/actions/execution.ts'
import type { Deps } from '../../src/deps.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type Lived, openAccount } from '../ledger/lived-account.ts'
import type { TestDatabase } from '../support/database.ts'
import { beginBroadcast, claimSlice, sliceStates } from './confirmed-broadcast.ts'
import { ofThisFile } from '../ledger/file-scene.ts'

let database: TestDatabase
let deps: Deps
let lived: Lived
let id: number
ofThisFile((made) => ({ database, deps } = made))

/** Both slices of a confirmed broadcast are claimed, as if they were being sent. */
beforeEach(async () => {
  lived = await openAccount(deps)
  id = await lived.propose()
  await beginBroadcast(deps.db, lived, id)
})

const claim = (channel: 'slack' | 'email') => claimSlice(deps.db, lived, id, channel)

const ok = (channel: 'slack' | 'email', attempt = 1): { channel: string } & SliceRecord => ({
  channel,
  slice: 0,
  attempt,
  states: ['ok'],
  provider_ids: [`sent by ${channel}`],
  codes: [''],
})

const finish = (records: Parameters<typeof finishAction>[1]['records']) =>
  finishAction(deps.db, {
    account: lived.account,
    id,
    status: 'executed',
    result: JSON.stringify({ outcome: 'done', slack: 1, email: 1, unreachable: 0 }),
    closedReason: null,
    eventId: randomUUID(),
    delivered: [
      { eventId: randomUUID(), step: 'slack:0-1' },
      { eventId: randomUUID(), step: 'email:0-1' },
    ],
    records,
  })

const states = () => sliceStates(deps.db, lived, id)

test('claims that come together are each answered with their own slice', async () => {
  const [slack, email] = await Promise.all([claim('slack'), claim('email')])
  expect(slack).toMatchObject({ outcome: 'send', delivery: { channel: 'slack', message: { to: 'slack' } } })
  expect(email).toMatchObject({ outcome: 'send', delivery: { channel: 'email', message: { to: 'email' } } })
})

test('the end of an action records its slices in the same statement, before their entries', async () => {
  await Promise.all([claim('slack'), claim('email')])
  expect(await finish([ok('email'), ok('slack')])).toMatchObject({
    outcome: 'finished',
    action: { status: 'executed' },
  })
  expect(await states()).toEqual(['email ok', 'slack ok'])
  expect(await verifyLedger(deps.db, lived.account)).toMatchObject({ ok: true })
})

test.each([
  ['a slice is sent by another attempt', () => [ok('slack', 2), ok('email')]],
  ['a slice is missing', () => [ok('slack')]],
  ['there is no such slice', () => [ok('slack'), { ...ok('email'), slice: 7 }]],
])('an end whose records do not fit changes nothing: %s', async (_, records) => {
  await Promise.all([claim('slack'), claim('email')])
  expect((await finish(records())).outcome).toBe('moved')
  expect(await states()).toEqual(['email sending', 'slack sending'])
  expect(await readAction(deps.db, lived.account, id)).toMatchObject({ status: 'proposed', result: null })
})

test('a slice of which nobody is left to be sent to is recorded as it is', async () => {
  await database.asSuperuser(
    `update gate.member set is_active = false where account_id = '${lived.account}' and slack is not null`,
  )
  await Promise.all([claim('slack'), claim('email')])
  const unreachable = { ...ok('slack'), states: ['unreachable' as const], provider_ids: [''] }
  expect((await finish([unreachable, ok('email')])).outcome).toBe('finished')
  expect(await states()).toEqual(['email ok', 'slack unreachable'])
})

test('a repeated end changes no outcome that is recorded', async () => {
  await Promise.all([claim('slack'), claim('email')])
  await finish([ok('email'), ok('slack')])
  const failed = { ...ok('slack'), states: ['failed' as const] }
  expect((await finish([failed, ok('email')])).outcome).toBe('ended')
  expect(await states()).toEqual(['email ok', 'slack ok'])
})
