import { expect, test } from '@jest/globals'
import { askedInSlack, pressInSandbox } from '../../../test/support/consent.ts'
import { customerDeletion, declare } from '../../../test/support/declared-kind.ts'
import { useGate } from '../../../test/support/use-gate.ts'
import { GateError, NotDone, Refused, createGate } from '../lib/index.js'

const gate = useGate()
const actor = { email: 'ada@example.com' }

/** An account with a member who has Slack, and a kind that is executed by claim. */
async function scene() {
  const account = await gate.account()
  const slack = `U${account.account.slice(5).toUpperCase()}`
  await account.addMember({ name: 'Ada', email: actor.email, slack, tier: 'guarded_write' })
  await account.addMember({ name: 'Rea', email: 'rea@example.com', tier: 'read_only' })
  await declare(gate.deps.db, account.account, customerDeletion())
  const decide = async (does: 'gate_approve' | 'gate_decline', times = 1) =>
    pressInSandbox(gate, (await askedInSlack(gate, slack, times)).message, does)
  return { ...account, decide, client: createGate({ url: gate.api.url, key: account.key }) }
}

const lunch = { kind: 'broadcast', actor, payload: { message: 'Lunch is at noon.' } }

test('an action that the caller asks about itself is confirmed or cancelled, as the member says', async () => {
  const { client } = await scene()
  const shown: unknown[] = []
  const sent = await client.act(lunch, { confirm: (action) => shown.push(action) > 0 })
  expect(sent).toMatchObject({ status: 'executed', result: { outcome: 'done', slack: 1, email: 1 } })
  expect(shown).toMatchObject([{ id: sent.id, digest: sent.digest, status: 'proposed' }])
  await expect(client.act(lunch, { confirm: async () => false })).rejects.toMatchObject({
    name: 'NotDone',
    reason: 'cancelled',
    action: { status: 'cancelled', closed_reason: 'proposer' },
  })
})

test('a wrong address or key is refused at once, and not shown', async () => {
  const [url, key] = ['https://gate.example.com', 'qgk_secret']
  const refusalOf = (given: any) => {
    try {
      return createGate(given)
    } catch (error) {
      return String(error)
    }
  }
  for (const wrong of [undefined, '', 'gate.example.com', 'https://', key])
    expect(refusalOf({ url: wrong, key })).toMatch(/^TypeError: url must be (?!.*secret)/)
  for (const wrong of [undefined, '', '\n', `${key} ${key}`, `${key}é`])
    expect(refusalOf({ url, key: wrong })).toMatch(/^TypeError: key must be (?!.*secret)/)
})

test('a key from a file may end with a line break', async () => {
  const account = await gate.account()
  await account.addMember({ name: 'Ada', email: actor.email, tier: 'write' })
  const client = createGate({ url: gate.api.url, key: `${account.key}\n` })
  expect(await client.capability(actor)).toMatchObject({ tier: 'write' })
})

test('an idempotency key that cannot be sent is refused at once, and nothing is proposed', async () => {
  const { client } = await scene()
  const open = await client.propose(lunch)
  for (const idempotencyKey of ['', 'lunch\n1', 'lunch 1', 'mittäg', 'x'.repeat(256), 7 as any])
    for (const write of [
      () => client.propose(lunch, { idempotencyKey }),
      () => client.propose({ ...lunch, kind: 'refund' } as any, { idempotencyKey }),
      () => client.confirm(open, actor, { idempotencyKey }),
      () => client.cancel(open, actor, { idempotencyKey }),
    ])
      await expect(write()).rejects.toThrow(/^idempotencyKey must be/)
  const all = []
  for await (const { id } of client.list({})) all.push(id)
  expect(all).toEqual([open.id])
})

test('otherwise the gate asks the member, and the end is awaited: done, declined, denied, or still open', async () => {
  const { client, decide } = await scene()
  const waiting: unknown[] = []
  const approved = client.act(lunch, { onWaiting: (action) => waiting.push(action) })
  await decide('gate_approve')
  expect(await approved).toMatchObject({ status: 'executed', consent: { strength: 'chat' } })
  expect(waiting).toMatchObject([{ consent_request: { requested_via: 'slack' } }])

  const other = { ...lunch, payload: { message: 'Lunch is at one.' } }
  const declined = client.act(other).catch((error: unknown) => error)
  await decide('gate_decline', 2)
  expect(await declined).toMatchObject({ reason: 'declined', action: { closed_reason: 'member_declined' } })

  const denied = client.act({ ...lunch, actor: { email: 'rea@example.com' } })
  await expect(denied).rejects.toMatchObject({
    reason: 'denied',
    action: { denial_code: 'tier_insufficient' },
  })
  await expect(denied).rejects.toThrow(/requires `guarded_write`/)

  const third = { ...lunch, payload: { message: 'Lunch is at two.' } }
  await expect(client.act(third, { timeoutMs: 1_000 })).rejects.toMatchObject({ reason: 'open' })
  const reasons = [denied, declined].map((one) => Promise.resolve(one).catch((error: unknown) => error))
  for (const error of await Promise.all(reasons)) expect(error).toBeInstanceOf(NotDone)
})

test('a function of yours runs once for each consent, with what the member consented to', async () => {
  const { client } = await scene()
  const ran: unknown[] = []
  const deleteCustomer = client.gated('customer_deletion', async (payload: Record<string, any>, action) => {
    ran.push([payload, action.status])
    if (payload['customer'].id === 'cus_refused') throw new Refused('The customer has an open order.')
    if (payload['customer'].id === 'cus_crash') throw new Error('The connection broke.')
    return { deleted: payload['customer'].id }
  })
  const how = { actor, confirm: () => true }
  const of = (id: string) => ({ customer: { id }, keep_invoices: true })
  expect(await deleteCustomer(of('cus_1'), how)).toEqual({ deleted: 'cus_1' })
  await expect(deleteCustomer(of('cus_refused'), how)).rejects.toThrow('The customer has an open order.')
  await expect(deleteCustomer(of('cus_crash'), how)).rejects.toThrow('The connection broke.')
  await expect(deleteCustomer(of('cus_4'), { actor, confirm: () => false })).rejects.toMatchObject({
    reason: 'cancelled',
  })
  await expect(
    deleteCustomer(of('cus_5'), { ...how, actor: { email: 'rea@example.com' } }),
  ).rejects.toMatchObject({ reason: 'denied' })
  expect(ran).toEqual(['cus_1', 'cus_refused', 'cus_crash'].map((id) => [of(id), 'proposed']))

  const ends: unknown[] = []
  for await (const { id } of client.list({ kind: 'customer_deletion', limit: 2 })) {
    const { status, closed_reason, result } = await client.get(id)
    ends.push([status, closed_reason, result?.['outcome'], result?.['result']])
  }
  expect(ends).toEqual([
    ['executed', undefined, 'done', { deleted: 'cus_1' }],
    ['cancelled', 'refused', 'refused', { error: 'The customer has an open order.' }],
    ['executed', undefined, 'unknown', { error: 'The connection broke.' }],
    ['cancelled', 'proposer', undefined, undefined],
    ['denied', undefined, undefined, undefined],
  ])
})

test('an action that somebody else claims is not run here', async () => {
  const { client } = await scene()
  let runs = 0
  const open = client.gated('customer_deletion', () => (runs += 1))(
    { customer: { id: 'cus_9' } },
    {
      actor,
      // Between the word of the member and the claim, another executor takes it.
      confirm: async (action) => {
        const confirmed = await client.confirm(action, actor)
        expect(confirmed.execution?.claim).toBe('open')
        await client.report(await client.claim(action), { outcome: 'done' })
        return true
      },
    },
  )
  await expect(open).rejects.toBeInstanceOf(Error)
  expect(runs).toBe(0)
})

test('of two workers that claim the same consent at once, one runs it', async () => {
  const { key } = await scene()
  const ran: number[] = []
  let arrived = 0
  const [both, refused] = [signal(), signal()]
  const together: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    if (request.url.endsWith('/claim')) {
      arrived += 1
      if (arrived === 2) both.give()
      await both.given
    }
    return fetch(request)
  }
  const worker = () =>
    createGate({ url: gate.api.url, key, fetch: together })
      .gated('customer_deletion', async (_payload: unknown, { id }) => {
        ran.push(id)
        // Its claim is held while the other worker is refused; where both run, neither waits.
        if (ran.length === 1) await refused.given
        else refused.give()
      })({ customer: { id: 'cus_10' } }, { actor, confirm: () => true, idempotencyKey: 'one-deletion' })
      .then(
        () => undefined,
        (error: unknown) => {
          refused.give()
          return error
        },
      )
  const ends = await Promise.all([worker(), worker()])
  expect(ran).toHaveLength(1)
  expect(ends.filter((end) => end !== undefined)).toMatchObject([
    { name: 'GateError', status: 409, code: 'already_claimed' },
  ])
})

function signal() {
  let give = (): void => undefined
  const given = new Promise<void>((resolve) => (give = resolve))
  return { given, give }
}

test('money is proposed like every other kind, and a refusal has its code and field', async () => {
  const { client } = await scene()
  const refund = (payload: Record<string, unknown>) => client.propose({ kind: 'refund', actor, payload })
  expect(await refund({ payment: 'pi_Sandbox03', amount_cents: 500 })).toMatchObject({
    kind: 'refund',
    status: 'proposed',
    payload: { payment: 'pi_Sandbox03', amount_cents: 500 },
    card: expect.stringContaining('5.00'),
  })
  for (const wrong of [
    { payment: 'pi_Sandbox03', amount_cents: -5 },
    { payment: 'lunch', amount_cents: 5 },
  ])
    await expect(refund(wrong)).rejects.toMatchObject({
      name: 'GateError',
      code: 'invalid',
      status: 422,
      param: expect.stringMatching(/^(amount_cents|payment)$/),
    })
  await expect(client.propose({ ...lunch, payload: {} })).rejects.toMatchObject({
    code: 'invalid',
    param: 'payload.message',
  })
  const revoked = createGate({ url: gate.api.url, key: 'qgk_wrong' })
  await expect(revoked.capability(actor)).rejects.toMatchObject({ status: 401, code: 'unauthenticated' })
  await expect(
    revoked.propose({ kind: 'payout', actor, payload: { amount_cents: 1 } }),
  ).rejects.toMatchObject({
    status: 401,
    code: 'unauthenticated',
  })
})

test('a write whose answer is lost, or that the gate is too busy for, is repeated and happens once', async () => {
  const { key, client } = await scene()
  const keys = new Set<string | null>()
  let calls = 0
  const unsteady: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    keys.add(request.headers.get('idempotency-key'))
    calls += 1
    if (calls === 2)
      return Response.json(
        { error: 'Wait.', code: 'rate_limited', request_id: 'r' },
        { status: 429, headers: { 'retry-after': '1' } },
      )
    const answer = await fetch(request)
    if (calls > 2) return answer
    await answer.arrayBuffer()
    throw new TypeError('fetch failed')
  }
  const proposed = await createGate({ url: gate.api.url, key, fetch: unsteady }).propose(lunch)
  expect([calls, keys.size]).toEqual([3, 1])
  const found: number[] = []
  for await (const { id } of client.list({ kind: 'broadcast' })) found.push(id)
  expect(found).toEqual([proposed.id])
})

test('a wait ends by its signal', async () => {
  const { client } = await scene()
  const proposed = await client.propose(lunch)
  const stop = new AbortController()
  const waiting = client.wait(proposed, { signal: stop.signal })
  setImmediate(() => stop.abort())
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  expect(await client.cancel(proposed, actor)).toMatchObject({ status: 'cancelled' })
  expect(await client.wait(proposed)).toMatchObject({ status: 'cancelled' })
  await expect(client.get(99)).rejects.toBeInstanceOf(GateError)
})
