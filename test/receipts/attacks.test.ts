import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { verifyReceipt } from '#receipts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { setTier } from '../../src/db/queries/members/members.ts'
import { limits } from '../../src/limits.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { eraseAsAdmin } from '../../src/operations/actions/erase-payload.ts'
import { recheckLateConfirm } from '../../src/operations/decisions/recheck-late-confirm.ts'
import { isReceipted } from '../../src/receipts/receipt.ts'
import type { TestMember } from '../support/account.ts'
import { ringOf } from '../support/connect.ts'
import { moveExpiry } from '../support/expiry.ts'
import { useGate } from '../support/use-gate.ts'
import { callTool } from '../support/mcp-tool.ts'

// Without workers nothing is executed: what is confirmed goes on running.
const gate = useGate({ workers: false, env: { SECRETS_KEYS: ringOf('k1'), CONFIRM_WAIT_MS: '0' } })

let people = 0
async function scene() {
  const account = await gate.account()
  const email = `ada${++people}@example.com`
  const ada = await account.addMember({ name: 'Ada', email, slack: `U00ATT${people}`, tier: 'guarded_write' })
  const { body } = await account.client.propose({ email }, 'Lunch is at noon.')
  const id = body.id as number
  return {
    ...account,
    ada,
    actor: { email },
    id,
    proposed: body,
    confirm: (options = {}) => account.client.confirm(id, { email }, options),
    row: async () => (await account.client.get(id)).body,
  }
}

const jwks = async () => (await fetch(`${gate.api.url}/.well-known/gate-receipts.json`)).json() as any

describe('there is no receipt of what nobody consented to, or what came to nothing', () => {
  test('an open proposal, and one that its agent cancelled', async () => {
    const { row, client, id, actor } = await scene()
    expect(await row()).not.toHaveProperty('receipt')
    expect((await client.cancel(id, actor)).body).not.toHaveProperty('receipt')
    expect(await row()).toMatchObject({ status: 'cancelled', closed_reason: 'proposer' })
    expect(await row()).not.toHaveProperty('receipt')
  })

  test('a confirm of another digest', async () => {
    const { confirm, row } = await scene()
    expect((await confirm({ digest: '0'.repeat(64) })).status).toBe(409)
    expect(await row()).toMatchObject({ status: 'proposed' })
    expect(await row()).not.toHaveProperty('receipt')
  })

  test('one that expired, also where a confirm came too late', async () => {
    const { account, confirm, row } = await scene()
    await moveExpiry(gate.database, account, -8)
    expect((await confirm()).status).toBe(409)
    expect(await row()).toMatchObject({ closed_reason: 'expired' })
    expect(await row()).not.toHaveProperty('receipt')
  })

  test('one that was denied at its confirm', async () => {
    const { account, ada, confirm, row } = await scene()
    await setTier(gate.deps.db, { ...adminWrite(account), memberId: ada.memberId, tier: 'read_only' })
    expect((await confirm()).body.status).toBe('denied')
    expect(await row()).not.toHaveProperty('receipt')
  })

  test('one that was denied after its confirm had waited too long, though it had a receipt before', async () => {
    const { account, ada, id, confirm, row } = await scene()
    expect((await confirm()).body.receipt).toEqual(expect.any(String))
    await setTier(gate.deps.db, { ...adminWrite(account), memberId: ada.memberId, tier: 'read_only' })
    const denied = await recheckLateConfirm(gate.deps, await stored(account, id))
    expect(denied).toMatchObject({ status: 'denied', consent_tier: null, consent_policy_version: null })
    expect(await row()).not.toHaveProperty('receipt')
    expect(await verifyLedger(gate.deps.db, account)).toMatchObject({ ok: true })
  })

  test('a check, and a proposal that was denied at once', async () => {
    const { client, account, actor, addMember } = await scene()
    await addMember({ name: 'Rea', email: `rea${people}@example.com`, tier: 'read_only' })
    const denied = await client.propose({ email: `rea${people}@example.com` }, 'Hello.')
    expect(denied.body).toMatchObject({ status: 'denied' })
    await client.capability(actor)
    const { actions } = (await client.list()).body
    for (const { id } of actions) expect((await client.get(id)).body).not.toHaveProperty('receipt')
    expect(await verifyLedger(gate.deps.db, account)).toMatchObject({ ok: true })
  })

  test('one whose payload was erased: a hash of it could be guessed', async () => {
    const { account, id, confirm, row } = await scene()
    await confirm()
    await gate.database.asSuperuser(`
      update gate.action set status = 'executed', result = '{}', executed_at = now()
      where account_id = '${account}' and id = ${id}`)
    expect(await row()).toHaveProperty('receipt')
    await eraseAsAdmin({ db: gate.deps.db, account, session: null }, id, 'asked for')
    expect(await row()).not.toHaveProperty('receipt')
  })

  test('one that a provider refused', async () => {
    const { account, id, confirm, row } = await scene()
    await confirm()
    await gate.database.asSuperuser(`
      update gate.action set status = 'cancelled', closed_reason = 'refused'
      where account_id = '${account}' and id = ${id}`)
    expect(await row()).not.toHaveProperty('receipt')
  })

  test.each([
    ['payload', `'{"message":"Lunch is at one."}'`],
    ['rationale', `'Everybody asked for it.'`],
    ['digest', `repeat('0', 64)`],
  ])(
    'one whose %s was changed in the database: the answer says so, and a signed one is not shown again',
    async (column, value) => {
      const [early, late] = [await scene(), await scene()]
      expect((await early.confirm()).body).toHaveProperty('receipt')
      await late.confirm()
      for (const { account, id, row } of [early, late]) {
        await gate.database.asSuperuser(
          `update gate.action set ${column} = ${value} where account_id = '${account}' and id = ${id}`,
        )
        expect(await row()).not.toHaveProperty('receipt')
        expect(await row()).toHaveProperty('receipt_problem', 'payload_changed')
      }
    },
  )

  test('one that is older than a receipt lasts, and one from before there were receipts', async () => {
    const { account, id, confirm } = await scene()
    await confirm()
    const row = await stored(account, id)
    const at = row.decided_at!.getTime()
    expect(isReceipted(row, at + limits.receiptLastsMs - 1)).toBe(true)
    expect(isReceipted(row, at + limits.receiptLastsMs)).toBe(false)
    expect(isReceipted({ ...row, consent_tier: null }, at)).toBe(false)
  })

  test('after a confirm and a cancel at once there is a receipt where the confirm won', async () => {
    const { account, id, actor, client, confirm, row } = await scene()
    await Promise.all([confirm(), client.cancel(id, actor), confirm(), client.cancel(id, actor)])
    const { decision } = await stored(account, id)
    expect(['confirm', 'cancel']).toContain(decision)
    expect('receipt' in (await row())).toBe(decision === 'confirm')
  })

  test('after two confirms at once there is one receipt', async () => {
    const { confirm, row } = await scene()
    await Promise.all([confirm(), confirm({ key: randomUUID() }), confirm()])
    const read = await Promise.all([row(), row()])
    expect(new Set(read.map(({ receipt }) => receipt)).size).toBe(1)
    expect(read[0]).toHaveProperty('receipt')
  })
})

describe('a receipt is of one action, and of what was consented to', () => {
  test("another action's, another account's and a changed payload's are refused", async () => {
    const [one, other] = [await scene(), await scene()]
    const { body } = await one.confirm()
    const own = { jwks: await jwks(), issuer: new URL(gate.api.url).origin, account: one.account }
    await expect(verifyReceipt(body.receipt, { ...own, payload: body.payload })).resolves.toMatchObject({
      action: 1,
    })
    for (const [demand, code] of [
      [{ account: other.account }, 'wrong_account'],
      [{ payload: { message: 'Lunch is at one.' } }, 'wrong_payload'],
      [{ payload: { ...body.payload, channel: 'all' } }, 'wrong_payload'],
      [{ kind: 'refund' }, 'wrong_kind'],
      [{ issuer: 'https://gate.example.com' }, 'wrong_issuer'],
      [{ minStrength: 'page' }, 'too_weak'],
    ] as const)
      await expect(verifyReceipt(body.receipt, { ...own, ...demand })).rejects.toMatchObject({ code })
  })

  test('a key of other members sees neither the action nor its receipt', async () => {
    const { addMember, mintKey, id, confirm, client } = await scene()
    const receipt = (await confirm()).body.receipt as string
    const bob: TestMember = await addMember({ name: 'Bob', email: `bob${people}@example.com` })
    const { key } = await mintKey({ actors: [bob] })
    const answer = await client.request('GET', `/api/v1/actions/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([404, expect.not.stringContaining(receipt)])
  })

  test('the tier and the policy are those of the consent, not of later', async () => {
    const { account, ada, confirm, row, setPolicy } = await scene()
    const { receipt } = (await confirm()).body
    await setPolicy({ kinds: {} })
    await setTier(gate.deps.db, { ...adminWrite(account), memberId: ada.memberId, tier: 'write' })
    expect((await row()).receipt).toBe(receipt)
    const claims = await verifyReceipt(receipt, { jwks: await jwks() })
    expect(claims).toMatchObject({ tier: 'guarded_write', policy_version: 1 })
  })

  test.each([
    ['consent_tier', `'write'`],
    ['consent_tier', 'null'],
    ['consent_policy_version', '99'],
  ])('a row whose %s says %s is found by the verification of the ledger', async (column, value) => {
    const { account, id, confirm } = await scene()
    await confirm()
    await gate.database.asSuperuser(
      `update gate.action set ${column} = ${value} where account_id = '${account}' and id = ${id}`,
    )
    expect(await verifyLedger(gate.deps.db, account)).toMatchObject({
      ok: false,
      place: `action ${id}`,
      problem: expect.stringContaining('of the consent does not match the ledger'),
    })
  })
})

describe('the published keys', () => {
  const path = '/.well-known/gate-receipts.json'

  test('need no key, may be cached for five minutes and read from other origins, and hold nothing private', async () => {
    const answer = await fetch(gate.api.url + path)
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    })
    const { keys } = (await answer.json()) as { keys: object[] }
    expect(keys.length).toBeGreaterThan(0)
    for (const key of keys)
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  })

  test.each(['POST', 'PUT', 'DELETE'])('are not changed by %s', async (method) => {
    expect((await fetch(gate.api.url + path, { method })).status).toBe(405)
  })

  test('many requests at once get one answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, async () => (await fetch(gate.api.url + path)).text()),
    )
    expect(new Set(answers).size).toBe(1)
  })
})

test('no list and no overview has a receipt: REST, MCP, events of the ledger', async () => {
  const { account, client, confirm, id } = await scene()
  const { receipt } = (await confirm()).body
  const signature = receipt.split('.')[2]
  const answers = [(await client.list()).body, (await callTool(client, 'list_actions')).body]
  expect(JSON.stringify(answers)).toContain(`"id":${id}`)
  expect(JSON.stringify(answers)).not.toContain(signature)
  const entries = await gate.database.asSuperuser(
    `select entry from gate.ledger where account_id = '${account}'`,
  )
  expect(JSON.stringify(entries)).not.toContain(signature)
})

const stored = async (account: string, id: number) => (await readAction(gate.deps.db, account, id))!
