import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from '@jest/globals'
import { adminWrite } from '../../src/db/admin-write.ts'
import { suspendAccount } from '../../src/db/queries/accounts/accounts.ts'
import { type Step, stepDelivery } from '../../src/db/queries/actions/deliveries.ts'
import { beginExecution } from '../../src/db/queries/actions/execution.ts'
import { propose } from '../../src/db/queries/actions/propose.ts'
import { freezeCall, recordCall } from '../../src/db/queries/actions/provider-calls.ts'
import type { Deps } from '../../src/deps.ts'
import { sampleProposal } from '../ledger/sample-proposal.ts'
import { type Lived, confirm, factVersions, openAccount } from '../ledger/lived-account.ts'
import type { TestDatabase } from '../support/database.ts'
import { beginBroadcast } from './confirmed-broadcast.ts'
import { ofThisFile } from '../ledger/file-scene.ts'

// A statement was stuck on its way, its repeat was answered, and what it allowed is under way or over when it comes.
let database: TestDatabase
let deps: Deps
let lived: Lived
ofThisFile((made) => ({ database, deps } = made))
beforeEach(async () => {
  lived = await openAccount(deps)
})

const suspend = () => suspendAccount(deps.db, { ...adminWrite(lived.account), suspend: true })

/** A confirmed refund whose call is stored. */
async function refund() {
  const { account, ada, keyHash: apiKey } = lived
  const facts = await factVersions(deps.db, account, ada)
  const made = sampleProposal({ kind: 'refund', ttl_ms: 3_600_000, member_id: ada, api_key: apiKey, facts })
  const { id, uuid } = (await propose(deps.db, account, [made]))[0]!.action
  await confirm(deps.db, account, id, apiKey)
  await beginExecution(deps.db, { account, id, uuid: null }, true)
  const call = { account, id, step: 'call' }
  await freezeCall(deps.db, { ...call, provider: 'stripe', request: '{}', key: `act_${uuid}_call` })
  return {
    start: async (attempt: string) => {
      const [row] = await database.db.run<{ outcome: string; was_sending: boolean; is_suspended: boolean }>(
        (sql) => sql`
          select r.outcome, r.was_sending, r.is_suspended from gate.begin_call(
            p_account => ${account}, p_id => ${id}, p_step => 'call', p_credential => 'sandbox', p_attempt => ${attempt}) r`,
      )
      return { ...row }
    },
    record: (state: 'ok' | 'pending') =>
      recordCall(deps.db, { ...call, attempt: 1, state, code: null, answer: null }),
    stored: async () => {
      const rows = await database.asSuperuser(
        `select state, code, attempt from gate.provider_call where account_id = '${account}'`,
      )
      return { ...rows[0] }
    },
  }
}

test('a call that is under way in an account that is suspended meanwhile is not recorded as not done: its outcome is recorded', async () => {
  const { start, record, stored } = await refund()
  const attempt = randomUUID()
  expect(await start(attempt)).toMatchObject({ outcome: 'send', was_sending: false })
  await suspend()
  expect(await start(attempt)).toEqual({ outcome: 'send', was_sending: false, is_suspended: true })
  expect(await stored()).toEqual({ state: 'sending', code: null, attempt: 1 })
  await record('ok')
  expect(await stored()).toEqual({ state: 'ok', code: null, attempt: 1 })
})

test('a call that waits for its next attempt does not become one that was perhaps made', async () => {
  const { start, record, stored } = await refund()
  const attempt = randomUUID()
  await start(attempt)
  await record('pending')
  expect(await start(attempt)).toMatchObject({ outcome: 'settled' })
  expect(await stored()).toEqual({ state: 'pending', code: null, attempt: 1 })
  expect(await start(randomUUID())).toMatchObject({ outcome: 'send', was_sending: false })
})

test('a call that waits for its next attempt is not made once the account is suspended', async () => {
  const { start, record, stored } = await refund()
  await start(randomUUID())
  await record('pending')
  await suspend()
  expect(await start(randomUUID())).toMatchObject({ outcome: 'settled' })
  expect(await stored()).toEqual({ state: 'not_done', code: 'account_suspended', attempt: 1 })
})

test('a call whose outcome is recorded is not made again by a late attempt', async () => {
  const { start, record, stored } = await refund()
  const attempt = randomUUID()
  await start(attempt)
  await record('ok')
  for (const late of [attempt, randomUUID()]) expect(await start(late)).toMatchObject({ outcome: 'settled' })
  expect(await stored()).toEqual({ state: 'ok', code: null, attempt: 1 })
})

test('recipients that wait for their next claim do not become ones that perhaps got the message', async () => {
  const id = await lived.propose()
  await beginBroadcast(deps.db, lived, id)
  const of = { account: lived.account, id, channel: 'slack' as const }
  const claim = (): Step => ({
    ...of,
    record: null,
    claim: { slice: 0, sliceMax: 20, message: JSON.stringify({ text: 'x', claim: randomUUID() }) },
  })
  const stuck = claim()
  await stepDelivery(deps.db, stuck)
  const record = {
    slice: 0,
    attempt: 1,
    states: ['pending' as const],
    provider_ids: [''],
    codes: ['ratelimited'],
  }
  await stepDelivery(deps.db, { ...of, record, claim: null })
  await stepDelivery(deps.db, stuck)
  const rows = await database.asSuperuser(
    `select states, attempt from gate.delivery where account_id = '${lived.account}' and channel = 'slack'`,
  )
  expect(rows).toEqual([{ states: ['pending'], attempt: 1 }])
  expect(await stepDelivery(deps.db, claim())).toMatchObject({ outcome: 'send', wasSending: false })
})
