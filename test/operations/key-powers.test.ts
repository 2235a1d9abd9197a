import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { claimDecision } from '../../src/db/queries/actions/decide.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { hashKey } from '../../src/keys/api-key.ts'
import { eventId } from '../../src/ledger/digest.ts'
import { expiryEvent } from '../../src/operations/clearance/expiry.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { callTool, rpc } from '../support/mcp-tool.ts'

let gate: TestGate
let open: OpenBroadcast
beforeAll(async () => {
  gate = await startGate()
})
afterAll(() => gate.stop())
beforeEach(async () => {
  open = await gate.openBroadcast()
})

type Rights = NonNullable<Parameters<OpenBroadcast['account']['mintKey']>[0]>

async function clientWith(rights: Rights): Promise<ApiClient> {
  const { key } = await open.account.mintKey(rights)
  return apiClient(gate.api.url, key)
}

const entries = () => entriesOf(gate.database, open.account.account, open.id)
const refusals = async (kind: string) =>
  (await entriesOf(gate.database, open.account.account)).filter((entry) => entry.kind === kind)

describe('a key that may read and propose', () => {
  let client: ApiClient
  beforeEach(async () => {
    client = await clientWith({ powers: ['read', 'propose'] })
  })

  test('does not confirm, and the refusal is an entry of the row', async () => {
    const { status, body } = await client.confirm(open.id, open.actor)
    expect(status).toBe(403)
    expect(body.error).toContain('lacks the power "confirm"')
    expect((await open.client.get(open.id)).body.status).toBe('proposed')
    expect((await entries()).at(-1)).toMatchObject({
      kind: 'decision_refused',
      entry: { data: { decision: 'confirm', reason: 'no_power', source: 'api' } },
    })
  })

  test('does not confirm by repeating the Idempotency-Key of a key that may', async () => {
    const idempotencyKey = randomUUID()
    await open.client.confirm(open.id, open.actor, { key: idempotencyKey })
    const answer = await client.confirm(open.id, open.actor, { key: idempotencyKey })
    expect(answer.status).toBe(403)
  })

  test('has nobody asked where the policy asks for the member', async () => {
    await open.account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'page' } } })
    expect((await client.confirm(open.id, open.actor)).status).toBe(403)
    expect((await open.client.get(open.id)).body).not.toHaveProperty('consent_request')
    expect((await entries()).map(({ kind }) => kind)).not.toContain('consent_requested')
  })

  test('does not claim a decision in the database either', async () => {
    const row = (await readAction(gate.deps.db, open.account.account, open.id))!
    const claim = claimDecision(gate.deps.db, {
      account: open.account.account,
      id: open.id,
      decision: 'confirm',
      commandId: randomUUID(),
      eventId: eventId(row.uuid, 'confirmed'),
      ...expiryEvent(row.uuid),
      dueMs: 60_000,
      versions: null,
      consent: { strength: 'agent_attested', channel: 'api' },
      credential: { apiKey: hashKey(client.key) },
      idempotency: null,
    })
    await expect(claim).rejects.toMatchObject({ code: 'forbidden' })
    expect((await open.client.get(open.id)).body.status).toBe('proposed')
  })

  test('sees over MCP the tools that it may call, and is told why another is refused', async () => {
    const listed = await rpc(client, 'tools/list')
    const names = listed.body.result.tools.map(({ name }: { name: string }) => name)
    expect(names).toContain('request_action')
    expect(names).not.toContain('confirm_action')
    const { isError, body } = await callTool(client, 'confirm_action', { id: open.id, actor: open.actor })
    expect(isError).toBe(true)
    expect(body.error).toContain('lacks the power "confirm"')
    expect((await open.client.get(open.id)).body.status).toBe('proposed')
  })

  test('proposes what another key confirms, and the row names the key that asked', async () => {
    const proposed = await client.propose(open.actor, 'Dinner is at eight.')
    expect(proposed.body).toMatchObject({ status: 'proposed', requested_by: 'test' })
    const confirmed = await open.client.confirm(proposed.body.id, open.actor)
    expect(confirmed.body).toMatchObject({ status: 'executed', requested_by: 'test' })
  })
})

test('a key that may only read does not propose; the try is an entry of the account', async () => {
  const client = await clientWith({ powers: ['read'] })
  const { status, body } = await client.propose(open.actor, 'Dinner is at eight.')
  expect(status).toBe(403)
  expect(body.error).toContain('lacks the power "propose"')
  expect(await refusals('write_refused')).toMatchObject([
    { entry: { data: { operation: 'request_action', reason: 'no_power_propose', source: 'api' } } },
  ])
  expect((await client.cancel(open.id, open.actor)).status).toBe(403)
  expect((await client.get(open.id)).status).toBe(200)
})

test('a key that may propose, and one that may confirm, cancels', async () => {
  for (const powers of [['propose'], ['confirm']] as const) {
    const { body } = await open.client.propose(open.actor, `By ${powers[0]}`)
    const client = await clientWith({ powers: [...powers] })
    expect((await client.cancel(body.id, open.actor)).body).toMatchObject({ status: 'cancelled' })
  }
})

test('a key that may only propose does not read', async () => {
  const client = await clientWith({ powers: ['propose'] })
  const answers = await Promise.all([client.get(open.id), client.list(), client.capability(open.actor)])
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
  expect((await client.propose(open.actor, 'Dinner is at eight.')).status).toBe(201)
})

test('a key for other kinds neither proposes nor confirms this one', async () => {
  const client = await clientWith({ kinds: ['refund'] })
  const proposed = await client.propose(open.actor, 'Dinner is at eight.')
  expect(proposed.status).toBe(403)
  expect(proposed.body.error).toContain('does not allow the kind broadcast')
  expect((await client.confirm(open.id, open.actor)).status).toBe(403)
  expect((await entries()).at(-1)).toMatchObject({
    kind: 'decision_refused',
    entry: { data: { reason: 'other_kind' } },
  })
  const listed = await rpc(client, 'tools/list')
  const names = listed.body.result.tools.map(({ name }: { name: string }) => name)
  expect(names).toContain('issue_refund')
  expect(names).not.toContain('request_action')
})

test('a key for other networks is refused, and one for this network is not', async () => {
  const far = await clientWith({ networks: ['10.0.0.0/8', '2001:db8::/32'] })
  const { status, body } = await far.get(open.id)
  expect([status, body.error]).toEqual([403, expect.stringContaining('from your network')])
  expect((await far.propose(open.actor, 'Dinner is at eight.')).status).toBe(403)
  const near = await clientWith({ networks: ['10.0.0.0/8', '127.0.0.0/8'] })
  expect((await near.get(open.id)).status).toBe(200)
})

describe('the ceilings of a key', () => {
  test('count what it proposed, whichever key confirms, and over all members', async () => {
    const grace = { email: 'grace@example.com' }
    await open.account.addMember({ name: 'Grace', ...grace, tier: 'guarded_write' })
    const client = await clientWith({ powers: ['read', 'propose'], actionsPerDay: 2 })
    const ids: number[] = []
    for (const actor of [open.actor, grace, open.actor])
      ids.push((await client.propose(actor, `For ${actor.email}`)).body.id)
    expect((await open.client.confirm(ids[0]!, open.actor)).body.status).toBe('executed')
    expect((await open.client.confirm(ids[1]!, grace)).body.status).toBe('executed')
    const third = await open.client.confirm(ids[2]!, open.actor)
    expect(third.body).toMatchObject({
      status: 'denied',
      denial_reason: expect.stringContaining(
        'This API key is limited to 2 actions in 24 hours (2 already confirmed)',
      ),
    })
    const fourth = await client.propose(open.actor, 'One more.')
    expect(fourth.body).toMatchObject({ status: 'denied', denial_code: 'key_limit' })
    expect((await open.client.propose(open.actor, 'By another key.')).body.status).toBe('proposed')
  })

  test('of confirms that race, no more than they say are claimed', async () => {
    for (let n = 0; n < 20; n++) {
      const client = await clientWith({ actionsPerDay: 1 })
      const ids = await Promise.all(
        [0, 1].map(async (i) => (await client.propose(open.actor, `Race ${n} ${i}`)).body.id as number),
      )
      const answers = await Promise.all(ids.map((id) => client.confirm(id, open.actor)))
      expect(answers.map(({ body }) => body.status).toSorted()).toEqual(['denied', 'executed'])
    }
  }, 120_000)
})
