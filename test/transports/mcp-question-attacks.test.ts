import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { claimDecision } from '../../src/db/queries/actions/decide.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { hashKey } from '../../src/keys/api-key.ts'
import { openQuestion, sealQuestion } from '../../src/operations/consent/client-question.ts'
import type { ClientQuestion } from '../../src/operations/operation.ts'
import { parsePolicyDocument } from '../../src/operations/policy/parse-policy-document.ts'
import { ruleDocument } from '../../src/operations/upstreams/rule-document.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { apiClient } from '../support/api-client.ts'
import {
  askingScene,
  call,
  confirm,
  errorOf,
  forms,
  inputResponses,
  questionTo,
  untouched,
} from '../support/asking-client.ts'
import { billingScene } from '../support/billing.ts'
import { startConsole } from '../support/console.ts'
import { creditNote, declare } from '../support/declared-kind.ts'
import { modernRpc } from '../support/mcp-tool.ts'
import { ringOf } from '../support/connect.ts'
import type { TestGate } from '../support/gate.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { testRows } from '../support/rows.ts'

// Answers to the question of a client that decide nothing.

let gate: TestGate
beforeAll(async () => {
  gate = await startConsole({ workers: true, env: { SECRETS_KEYS: ringOf('k1') } })
}, 60_000)
afterAll(() => gate.stop())

const scene = (consent?: string) => askingScene(gate, consent)

describe('nothing is decided by an answer', () => {
  testRows([
    ['without content', { consent: { action: 'accept' } }],
    ['with empty content', { consent: { action: 'accept', content: {} } }],
    ['with another choice', { consent: { action: 'accept', content: { decision: 'yes' } } }],
    ['with a truth value', { consent: { action: 'accept', content: { decision: true } } }],
    ['with a further field', { consent: { action: 'accept', content: { decision: 'approve', all: true } } }],
    ['with a further field beside', { consent: { ...inputResponses.consent, by: 'Grace' } }],
    ['to another question', { other: inputResponses.consent }],
    ['to two questions', { ...inputResponses, other: inputResponses.consent }],
    ['of another action', { consent: { action: 'approve', content: { decision: 'approve' } } }],
    ['that is a list', [inputResponses.consent]],
    ['that is absent', undefined],
  ])('%s', async (_what, wrong) => {
    const one = await scene()
    const { requestState } = await questionTo(one.client, one.args)
    const result = await confirm(one.client, one.args, { inputResponses: wrong, requestState })
    expect(errorOf(result)).toMatchObject({ code: 'invalid', param: 'inputResponses' })
    expect(await untouched(one)).toBe(true)
  })

  type Scene = Awaited<ReturnType<typeof scene>>
  /** A state that the gate sealed for this call, of another question than the one it asked. */
  const sealedAs = async ({ account, key, client, args }: Scene, changed: Partial<ClientQuestion>) => {
    const { requestState } = await questionTo(client, args)
    const asked = { context: { account, keyHash: hashKey(key) }, call: { name: 'confirm_action', args } }
    const question = await openQuestion(gate.deps.secretsKeys!, asked, requestState)
    return sealQuestion(gate.deps.secretsKeys!, asked, { ...question!, ...changed })
  }
  const flipped = (text: string, at: number) => {
    const [kid, ...parts] = text.split('.')
    const bytes = Buffer.from(parts[at]!, 'base64url')
    bytes[20]! ^= 1
    parts[at] = bytes.toString('base64url')
    return [kid, ...parts].join('.')
  }

  testRows<[string, string, (one: Scene) => Promise<unknown>]>([
    [
      'of another key',
      'question',
      async (one) => {
        const other = apiClient(gate.api.url, (await one.mintKey()).key)
        return (await questionTo(other, one.args)).requestState
      },
    ],
    [
      'of another account',
      'question',
      async () => {
        const other = await scene()
        return (await questionTo(other.client, other.args)).requestState
      },
    ],
    [
      'of another action',
      'question',
      async (one) => {
        const other = { ...one.args, id: await one.propose() }
        return (await questionTo(one.client, other)).requestState
      },
    ],
    [
      'of a call with other arguments',
      'question',
      async (one) => (await questionTo(one.client, { ...one.args, idempotency_key: 'other' })).requestState,
    ],
    ['of another action, sealed for this call', 'question', (one) => sealedAs(one, { uuid: randomUUID() })],
    ['of more than ten minutes ago', 'question', (one) => sealedAs(one, { until: new Date(Date.now() - 1) })],
    ['of another digest', 'digest', (one) => sealedAs(one, { digest: '0'.repeat(64) })],
    ['of another card', 'card', (one) => sealedAs(one, { card: Buffer.alloc(32, 7) })],
    [
      'of a ring that is not the gate’s',
      'question',
      async (one) => {
        const asked = {
          context: { account: one.account, keyHash: hashKey(one.key) },
          call: { name: 'confirm_action', args: one.args },
        }
        const row = (await readAction(gate.database.db, one.account, one.id))!
        const ring = parseKeyRing(`k1:${Buffer.alloc(32, 9).toString('base64')}`)
        const until = new Date(Date.now() + 60_000)
        return sealQuestion(ring, asked, {
          uuid: row.uuid,
          digest: row.digest!,
          card: Buffer.alloc(32),
          until,
        })
      },
    ],
    [
      'with a changed key',
      'question',
      async (one) => flipped((await questionTo(one.client, one.args)).requestState, 0),
    ],
    [
      'with a changed text',
      'question',
      async (one) => flipped((await questionTo(one.client, one.args)).requestState, 1),
    ],
    [
      'that is cut',
      'question',
      async (one) => (await questionTo(one.client, one.args)).requestState.slice(0, -3),
    ],
    ['that is made up', 'question', async () => 'k1.AAAA.AAAA'],
    ['that is empty', 'question', async () => ''],
    ['that is long', 'question', async () => 'k1.'.repeat(100_000)],
    ['that is a number', 'question', async () => 7],
    ['that is absent', 'question', async () => undefined],
  ])('under a state %s', async (_what, reason, stateOf) => {
    const one = await scene()
    const requestState = await stateOf(one)
    const result = await confirm(one.client, one.args, { inputResponses, requestState })
    expect(errorOf(result)).toMatchObject({ code: reason === 'digest' ? 'digest_mismatch' : 'conflict' })
    expect(await untouched(one)).toBe(true)
    const refused = (await entriesOf(gate.database, one.account, one.id)).at(-1)!
    expect([refused.kind, refused.entry.data]).toEqual([
      'decision_refused',
      { decision: 'confirm', reason, source: 'mcp' },
    ])
  })

  test('by a key without the power to confirm, or that was revoked meanwhile', async () => {
    const one = await scene()
    const weak = await one.mintKey({ powers: ['read', 'propose'] })
    const { requestState } = await questionTo(one.client, one.args)
    const given = { inputResponses, requestState }
    const ofWeak = await confirm(apiClient(gate.api.url, weak.key), one.args, given)
    expect(errorOf(ofWeak)).toMatchObject({ code: 'key_power_missing' })
    await one.revokeKey(one.keyId)
    const { status } = await modernRpc(
      one.client,
      'tools/call',
      { name: 'confirm_action', arguments: one.args, ...given },
      forms,
    )
    expect(status).toBe(401)
    const row = await readAction(gate.database.db, one.account, one.id)
    expect([row!.status, row!.decision]).toEqual(['proposed', null])
  })

  test('to a call of another tool: it proposes nothing', async () => {
    const one = await scene()
    const { requestState } = await questionTo(one.client, one.args)
    const proposal = { kind: 'broadcast', actor: one.actor, payload: { message: 'Once.' } }
    const result = await call(one.client, 'request_action', proposal, { inputResponses, requestState })
    expect(errorOf(result)).toMatchObject({ code: 'conflict' })
    expect((await one.client.get(one.id + 1)).status).toBe(404)
  })
})

describe('about money', () => {
  test('never about money: not set, not asked, not claimed', async () => {
    const known = await gate.deps.kinds.now((await gate.account()).account)
    const bands = { usd: [{ tier: 'write', consent: 'client_attested' }] }
    const one = { tier: 'write', consent: 'client_attested' }
    for (const kind of ['refund', 'payout', 'checkout', 'subscription_cancellation'])
      for (const rule of [one, { bands }])
        expect(() => parsePolicyDocument(known, { kinds: { [kind]: rule } })).toThrow(/never.*about money/)
    const amount = { cents: '/cents', currency: { always: 'usd' } }
    expect(ruleDocument.safeParse({ rule: 'confirm', requires: one }).success).toBe(true)
    expect(ruleDocument.safeParse({ rule: 'confirm', requires: one, amount }).success).toBe(false)
    expect(ruleDocument.safeParse({ rule: 'confirm', requires: { bands }, amount }).success).toBe(false)

    // As if a policy of another version of the gate said so.
    const { account, writer } = await billingScene(gate)
    await account.setPolicy({ kinds: { refund: one } })
    const actor = { email: writer.email! }
    const args = { actor, payment: 'pi_Sandbox01', amount_cents: 100 }
    const { structuredContent: refund } = await call(account.client, 'issue_refund', args)
    expect(refund).toMatchObject({ status: 'proposed', consent_required: 'chat' })
    const asked = await confirm(account.client, { id: refund.id, actor })
    expect(asked.structuredContent).toMatchObject({ status: 'proposed', consent_request: expect.anything() })
    await expect(claimAsClient(account, refund.id)).rejects.toThrow(/client_attested does not come this way/)

    await declare(
      gate.database.db,
      account.account,
      creditNote({ default_rule: { tier: 'write', consent: 'page' } }),
    )
    await account.setPolicy({ kinds: { credit_note: one } })
    const note = await call(account.client, 'propose_credit_note', { actor, ...creditNotePayload })
    expect(note.structuredContent).toMatchObject({ status: 'proposed', consent_required: 'chat' })
    await expect(claimAsClient(account, note.structuredContent.id)).rejects.toThrow(/does not come this way/)
  })

  test('the database claims nothing by the word of a client that no rule takes', async () => {
    const one = await scene('agent_attested')
    await expect(claimAsClient(one, one.id)).rejects.toThrow(/client_attested does not come this way/)
  })
})

const creditNotePayload = { customer: 'cus_1', cents: 100, currency: 'usd' }

/** The claim of a service that has lost its mind. */
async function claimAsClient({ account, key }: { account: string; key: string }, id: number) {
  const [versions] = await gate.database.asSuperuser(
    `select m.version as member, c.curricula_version as curricula, c.policy_version as policy
     from gate.action a join gate.member m using (account_id, member_id) join gate.account c using (account_id)
     where a.account_id = '${account}' and a.id = ${id}`,
  )
  return claimDecision(gate.deps.db, {
    account,
    id,
    decision: 'confirm',
    commandId: randomUUID(),
    eventId: randomUUID(),
    expireEventId: randomUUID(),
    dueMs: 1_000,
    versions: {
      member: Number(versions!['member']),
      curricula: Number(versions!['curricula']),
      policy: Number(versions!['policy']),
    },
    tier: 'write',
    consent: { strength: 'client_attested', channel: 'mcp' },
    credential: { apiKey: hashKey(key) },
    idempotency: null,
  })
}
