import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import type { ActionKind } from '../../src/actions/kind.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { rotateKey } from '../../src/db/queries/accounts/keys.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { claimDecision } from '../../src/db/queries/actions/decide.ts'
import { hashKey, mintKey, randomBase62 } from '../../src/keys/api-key.ts'
import { eventId } from '../../src/ledger/digest.ts'
import { authenticateRunner, keptCaller } from '../../src/operations/authenticate.ts'
import { expiryEvent } from '../../src/operations/clearance/expiry.ts'
import { recordProposal } from '../../src/operations/proposals/record-proposal.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { moveExpiry } from '../support/expiry.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { entriesOf, waiting } from '../support/ledger-entries.ts'
import { rpc } from '../support/mcp-tool.ts'
import { type TestHook, testHook } from '../support/runner.ts'
import { until } from '../support/until.ts'
import { testRows } from '../support/rows.ts'

// Without workers, an expired row is closed by nobody else.
let gate: TestGate
let open: OpenBroadcast
beforeAll(async () => {
  gate = await startGate({ workers: false, env: { CONFIRM_WAIT_MS: '100' } })
}, 60_000)
afterAll(() => gate.stop())
const setUp = async () => {
  open = await gate.openBroadcast()
}
beforeEach(setUp)

type Minted = Awaited<ReturnType<OpenBroadcast['account']['mintKey']>>
type Rights = NonNullable<Parameters<OpenBroadcast['account']['mintKey']>[0]>

/** A key that the process has read just now, and keeps. */
async function keptKey(rights: Rights = {}): Promise<Minted & { client: ApiClient }> {
  const minted = await open.account.mintKey(rights)
  const client = apiClient(gate.api.url, minted.key)
  expect((await client.list()).status).toBe(200)
  expect(keptOf(minted.key)).toBeDefined()
  return { ...minted, client }
}

const keptOf = (key: string) => keptCaller(gate.deps, hashKey(key), '127.0.0.1')

/** The writes of an agent, over either way; each answers its status. */
const ways = {
  REST: ({ propose, confirm, cancel }: ApiClient) => ({
    propose: async (actor: unknown, key?: string) => (await propose(actor, 'Lunch is at one.', key)).status,
    confirm: async (id: number, actor: unknown, key?: string) =>
      (await confirm(id, actor, key === undefined ? {} : { key })).status,
    cancel: async (id: number, actor: unknown, key?: string) => (await cancel(id, actor, key)).status,
  }),
  MCP: (client: ApiClient) => {
    const call = async (name: string, given: object, key?: string) => {
      const args = { ...given, ...(key === undefined ? {} : { idempotency_key: key }) }
      return (await rpc(client, 'tools/call', { name, arguments: args })).status
    }
    return {
      propose: (actor: unknown, key?: string) =>
        call('request_action', { kind: 'broadcast', actor, payload: { message: 'Lunch is at one.' } }, key),
      confirm: (id: number, actor: unknown, key?: string) => call('confirm_action', { id, actor }, key),
      cancel: (id: number, actor: unknown, key?: string) => call('cancel_action', { id, actor }, key),
    }
  },
}

/** Everything that a refused write could change. */
async function changeable() {
  const ofAccount = `where account_id = '${open.account.account}'`
  const [rows] = await gate.database.asSuperuser(`
    select (select json_agg(a order by id) from gate.action a ${ofAccount}) as actions,
      (select json_agg(r order by sha256) from gate.recipient_set r ${ofAccount}) as recipients,
      (select json_agg(q) from gate.consent_request q ${ofAccount}) as requests,
      (select json_agg(o order by uuid) from gate_private.open_action o ${ofAccount}) as outbox,
      (select json_agg(i order by key) from gate.idempotency i ${ofAccount}) as keys`)
  return { ...rows, messages: gate.sandbox.messages().length }
}

const entries = () => entriesOf(gate.database, open.account.account)

/** Revokes a key, and demands that a write with it is refused, changes nothing and is noted once. */
async function expectRefusedOnceRevoked(
  { keyId }: Pick<Minted, 'keyId'>,
  write: () => Promise<number>,
): Promise<void> {
  await open.account.revokeKey(keyId)
  const [before, told] = [await changeable(), await entries()]
  expect(await write()).toBe(401)
  await gate.deps.background.idle()
  expect(await changeable()).toEqual(before)
  const added = (await entries()).slice(told.length)
  expect(added).toMatchObject([
    {
      kind: 'write_refused',
      entry: { key: keyId, data: { operation: 'request', source: 'api', reason: 'key_revoked' } },
    },
  ])
}

describe.each(Object.entries(ways))(
  'over %s, a key that was revoked since its last request',
  (_way, over) => {
    const otherActor = async () => {
      await open.account.addMember({ email: 'bob@example.com', tier: 'write' })
      return { email: 'bob@example.com' }
    }

    test('proposes nothing', async () => {
      const key = await keptKey()
      await expectRefusedOnceRevoked(key, () => over(key.client).propose(open.actor))
      expect(keptOf(key.key)).toBeUndefined()
    })

    test('stores no recipients', async () => {
      await open.account.addMember({ email: 'new@example.com' })
      const key = await keptKey()
      await expectRefusedOnceRevoked(key, () => over(key.client).propose(open.actor))
    })

    test('gets no first answer to a repeated proposal', async () => {
      const key = await keptKey()
      const idempotencyKey = randomUUID()
      expect(await over(key.client).propose(open.actor, idempotencyKey)).toBeLessThan(300)
      await expectRefusedOnceRevoked(key, () => over(key.client).propose(open.actor, idempotencyKey))
    })

    test('gets none where the member has left', async () => {
      const key = await keptKey()
      const idempotencyKey = randomUUID()
      await over(key.client).propose(open.actor, idempotencyKey)
      await open.account.setActive(open.proposer, false)
      await expectRefusedOnceRevoked(key, () => over(key.client).propose(open.actor, idempotencyKey))
    })

    test('confirms nothing', async () => {
      const key = await keptKey()
      await expectRefusedOnceRevoked(key, () => over(key.client).confirm(open.id, open.actor))
    })

    test('denies nothing that its member may no longer do', async () => {
      const key = await keptKey()
      await open.account.setTier(open.proposer, 'read_only')
      await expectRefusedOnceRevoked(key, () => over(key.client).confirm(open.id, open.actor))
    })

    test('cancels nothing', async () => {
      const key = await keptKey()
      await expectRefusedOnceRevoked(key, () => over(key.client).cancel(open.id, open.actor))
    })

    test.each(['confirm', 'cancel'] as const)('gets no first answer to a repeated %s', async (verb) => {
      const key = await keptKey()
      const idempotencyKey = randomUUID()
      expect(await over(key.client)[verb](open.id, open.actor, idempotencyKey)).toBeLessThan(300)
      await expectRefusedOnceRevoked(key, () => over(key.client)[verb](open.id, open.actor, idempotencyKey))
    })

    test.each(['confirm', 'cancel'] as const)(
      'leaves no entry of a refused decision by a %s',
      async (verb) => {
        const key = await keptKey()
        const bob = await otherActor()
        await expectRefusedOnceRevoked(key, () => over(key.client)[verb](open.id, bob))
        const next = await keptKey()
        await open.client.cancel(open.id, open.actor)
        await expectRefusedOnceRevoked(next, () => over(next.client)[verb](open.id, open.actor))
      },
    )

    test.each(['confirm', 'cancel'] as const)('closes no expired action by a %s', async (verb) => {
      const key = await keptKey()
      await moveExpiry(gate.database, open.account.account, -8)
      await expectRefusedOnceRevoked(key, () => over(key.client)[verb](open.id, open.actor))
    })

    test('leaves no entry about a power that it lacks', async () => {
      const [proposing, confirming] = [
        await keptKey({ powers: ['read', 'propose'] }),
        await keptKey({ powers: ['read', 'confirm'] }),
      ]
      await expectRefusedOnceRevoked(proposing, () => over(proposing.client).confirm(open.id, open.actor))
      await expectRefusedOnceRevoked(confirming, () => over(confirming.client).propose(open.actor))
    })

    test('leaves no entry about a kind that it does not allow', async () => {
      const [one, other] = [await keptKey({ kinds: ['refund'] }), await keptKey({ kinds: ['refund'] })]
      await expectRefusedOnceRevoked(one, () => over(one.client).propose(open.actor))
      await expectRefusedOnceRevoked(other, () => over(other.client).confirm(open.id, open.actor))
    })

    test('has no member asked', async () => {
      const key = await keptKey()
      await open.account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'page' } } })
      await expectRefusedOnceRevoked(key, () => over(key.client).confirm(open.id, open.actor))
    })

    test('learns nothing from a request that cannot be read', async () => {
      const key = await keptKey()
      await expectRefusedOnceRevoked(key, () => over(key.client).propose({ emial: 'x' }))
      const next = await keptKey()
      await expectRefusedOnceRevoked(next, () => over(next.client).confirm(999, open.actor))
    })
  },
)

describe('the key of a runner that was revoked since its last request', () => {
  /** A hook whose key and member the process has read just now, and keeps. */
  async function keptHook(): Promise<TestHook> {
    const hook = await testHook(gate, open.account, open.proposer)
    expect((await hook.ask('ls')).status).toBe(200)
    return hook
  }
  const post = async ({ key }: TestHook, path: string) =>
    (await apiClient(gate.api.url, key).request('POST', `/api/v1/runner/${path}`, { body: {} })).status

  testRows<[string, (hook: TestHook) => Promise<number>]>(
    [
      ['decides no tool call', async (hook) => (await hook.ask('ls')).status],
      ['records no report', async (hook) => (await hook.report('ls', { callId: 'toolu_1' })).status],
      ['denies no call that cannot be read', (hook) => post(hook, 'tool-calls?runner=claude')],
      ['learns nothing from a report that cannot be read', (hook) => post(hook, 'outcomes?runner=claude')],
      ['learns nothing from a query that is wrong', (hook) => post(hook, 'tool-calls?runner=nobody')],
    ],
    [setUp],
  )('changes nothing and learns nothing', async (_what, write) => {
    const hook = await keptHook()
    await expectRefusedOnceRevoked(hook, () => write(hook))
    expect(await write(hook)).toBe(401)
  })

  test('learns nothing where it is of no runner', async () => {
    const key = await open.account.mintKey({ actors: [open.proposer] })
    const ask = async () =>
      (await apiClient(gate.api.url, key.key).request('POST', '/api/v1/runner/tool-calls?runner=claude', {}))
        .status
    expect(await ask()).toBe(403)
    await expectRefusedOnceRevoked(key, ask)
  })

  test('learns nothing from another network', async () => {
    const rights = { powers: ['runner' as const], actors: [open.proposer], networks: ['127.0.0.0/8'] }
    const { key, keyId } = await open.account.mintKey(rights)
    const callerAt = (address: string) => authenticateRunner(gate.deps, hashKey(key), address)
    await callerAt('127.0.0.1')
    expect(await callerAt('127.0.0.1')).toMatchObject({ isKept: true })
    await expect(callerAt('203.0.113.1')).rejects.toMatchObject({ code: 'forbidden' })
    await open.account.revokeKey(keyId)
    await expect(callerAt('203.0.113.1')).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})

test.each(Object.entries(ways))(
  'over %s, a key whose members are all inactive proposes and confirms nothing',
  async (_way, over) => {
    const { client } = await keptKey({ actors: [open.proposer] })
    await open.account.setActive(open.proposer, false)
    const before = await changeable()
    const { propose, confirm } = over(client)
    expect([await propose(open.actor), await confirm(open.id, open.actor)]).toEqual([401, 401])
    expect(await changeable()).toEqual(before)
  },
)

test('a key that has expired since its last request confirms nothing', async () => {
  const { client, keyId } = await keptKey()
  const before = await changeable()
  await gate.database.asSuperuser(
    `update gate_private.api_key_hash set expires_at = clock_timestamp() where key_id = '${keyId}'`,
  )
  expect((await client.confirm(open.id, open.actor)).status).toBe(401)
  expect(await changeable()).toEqual(before)
})

test('a provider is not asked for a key that was revoked since its last request', async () => {
  const { key, keyId } = await keptKey()
  const context = { deps: gate.deps, ...keptOf(key)!, source: 'api' as const }
  let asked = 0
  const kind: ActionKind = {
    ...gate.deps.kinds.own.get('broadcast')!,
    freeze: (_deps, _account, payload) => {
      asked++
      return Promise.resolve({ payload, facts: [] })
    },
  }
  const propose = () =>
    recordProposal(context, { kind, actor: open.actor, payload: { message: 'Lunch is at two.' } })
  await propose()
  await open.account.revokeKey(keyId)
  await expect(propose()).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(asked).toBe(1)
})

test('the statement that claims closes no expired action for a key that is not valid', async () => {
  const { key, keyId } = await keptKey()
  await open.account.revokeKey(keyId)
  await moveExpiry(gate.database, open.account.account, -8)
  const { uuid } = (await readAction(gate.deps.db, open.account.account, open.id))!
  const claim = claimDecision(gate.deps.db, {
    account: open.account.account,
    id: open.id,
    decision: 'cancel',
    commandId: randomUUID(),
    eventId: eventId(uuid, 'cancelled'),
    ...expiryEvent(uuid),
    dueMs: 60_000,
    versions: null,
    consent: { strength: 'agent_attested', channel: 'api' },
    credential: { apiKey: hashKey(key) },
    idempotency: null,
  })
  await expect(claim).rejects.toMatchObject({ code: 'unauthenticated' })
  expect((await open.client.get(open.id)).body.status).toBe('proposed')
})

test.each(['confirm', 'cancel'] as const)(
  'a %s that meets another under the same Idempotency-Key gets no answer of it for a key revoked meanwhile',
  async (verb) => {
    const { client, keyId } = await keptKey()
    const idempotencyKey = randomUUID()
    const decide = (by: ApiClient) => ways.REST(by)[verb](open.id, open.actor, idempotencyKey)
    const waitFor = (n: number) =>
      until(`${n} wait for the lock`, async () => (await waiting(gate.database)) === n)
    const holder = postgres(gate.database.superuserUrl, { max: 1, onnotice: () => {} })
    try {
      await holder.unsafe('begin')
      await holder.unsafe(
        `select 1 from gate.ledger_head where account_id = '${open.account.account}' for update`,
      )
      const first = decide(open.client)
      await waitFor(1)
      const second = decide(client)
      await waitFor(2)
      await holder.unsafe(
        `update gate_private.api_key_hash set revoked_at = clock_timestamp() where key_id = '${keyId}'`,
      )
      await holder.unsafe('commit')
      expect(await first).toBeLessThan(300)
      expect(await second).toBe(401)
    } finally {
      await holder.end({ timeout: 2 })
    }
  },
)

test('a key with daily limits is read at each request: another may have begun to share them', async () => {
  const { key, keyId } = await open.account.mintKey({ actionsPerDay: 1 })
  const client = apiClient(gate.api.url, key)
  const { body: other } = await client.propose(open.actor, 'Lunch is at three.')
  const next = mintKey()
  await rotateKey(gate.database.db, {
    ...adminWrite(open.account.account),
    former: keyId,
    keyId: `key_${randomBase62(16)}`,
    name: 'test',
    last4: next.slice(-4),
    hash: hashKey(next),
    overlapMs: 60_000,
  } as Parameters<typeof rotateKey>[1])
  expect((await apiClient(gate.api.url, next).confirm(open.id, open.actor)).status).toBe(202)
  expect((await client.confirm(other.id, open.actor)).body.status).toBe('denied')
})

describe('the statements of a kept key', () => {
  // The process works in the background too: only what could be a statement of these requests counts.
  const named = {
    authenticate: /gate\.authenticate\(/,
    holds_key: /gate\.holds_key\(/,
    facts: /from gate\.policy where/,
    propose: /gate\.propose\(/,
    claim: /gate\.claim_decision\(/,
  }

  /** The statements that the process sends meanwhile, by name. */
  async function statementsOf(
    request: () => Promise<{ status: number }>,
    isAnswered = (status: number) => status < 300,
  ): Promise<string[]> {
    const sent: string[] = []
    const { db } = gate.deps
    const { read, run } = db
    const counted =
      (send: typeof read): typeof read =>
      (statement) =>
        send((sql) =>
          statement(
            new Proxy(sql, {
              apply(target, self, parts) {
                for (const [name, text] of Object.entries(named))
                  if (text.test(String(parts[0]))) sent.push(name)
                return Reflect.apply(target, self, parts)
              },
            }),
          ),
        )
    Object.assign(db, { read: counted(read), run: counted(run) })
    try {
      expect(isAnswered((await request()).status)).toBe(true)
    } finally {
      Object.assign(db, { read, run })
    }
    return sent
  }

  test('that proposes are two: one reads, one records', async () => {
    const { client } = await keptKey()
    expect(await statementsOf(() => client.propose(open.actor, 'Lunch is at four.'))).toEqual([
      'facts',
      'propose',
    ])
  })

  test('that confirms or cancels do not authenticate it', async () => {
    const { client } = await keptKey()
    const { body } = await client.propose(open.actor, 'Lunch is at five.')
    expect(await statementsOf(() => client.confirm(open.id, open.actor))).toEqual(['facts', 'claim'])
    expect(await statementsOf(() => client.cancel(body.id, open.actor))).toEqual(['facts', 'claim'])
  })

  // A second time would count as a second failure of its address.
  test.each(['REST', 'MCP'] as const)('that was revoked authenticate it once, over %s', async (way) => {
    const { client, keyId } = await keptKey()
    await open.account.revokeKey(keyId)
    const { propose } = ways[way](client)
    const refused = async () => ({ status: await propose(open.actor) })
    expect(await statementsOf(refused, (status) => status === 401)).toEqual([
      'facts',
      'propose',
      'authenticate',
    ])
  })
})
