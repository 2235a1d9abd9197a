import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { type MandateUse, claimDecision } from '../../src/db/queries/actions/decide.ts'
import { factVersions } from '../ledger/lived-account.ts'
import { propose } from '../../src/db/queries/actions/propose.ts'
import { sampleProposal } from '../ledger/sample-proposal.ts'
import { hashKey } from '../../src/keys/api-key.ts'
import { endMandateNow, freezeMandateNow, mandatesOf } from '../../src/operations/mandates/mandates.ts'
import { cardHash } from '../../src/consent/card.ts'
import { cardOfRow } from '../../src/operations/consent/card-of-row.ts'
import { decideMany } from '../../src/operations/decisions/decide-many.ts'
import { proposeMandate } from '../../src/operations/mandates/sign-mandate.ts'
import { apiClient } from '../support/api-client.ts'
import { askedByMail, inOneLine } from '../support/consent.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { ceilings, mandateScene, strict } from '../support/mandate-scene.ts'
import { until } from '../support/until.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate()
}, 60_000)
afterAll(() => gate.stop())

test('an action within a mandate is executed without a question, with a debit, an entry, and what is left', async () => {
  const { sign, payOut, debits, entries, verify, client } = await mandateScene(gate)
  const id = await sign()
  const paid = await payOut(2_000)
  expect(paid).toMatchObject({
    status: 'executed',
    consent: {
      strength: 'page',
      by: 'mandate',
      channel: 'mcp',
      mandate: {
        id,
        left: { uses: 49, uses_today: 49, cents: { usd: 28_000 }, cents_today: { usd: 18_000 } },
      },
    },
  })
  expect(await debits(id)).toEqual([{ action: paid.id, cents: 2_000, currency: 'usd' }])
  const [used] = await entries('mandate_used')
  expect(used!['entry']).toMatchObject({
    action: id,
    data: { by: 'mandate', strength: 'page', n: 1, used_for: paid.id, cents: 2_000, currency: 'usd' },
  })
  const confirmed = await entries('confirmed')
  expect(confirmed.at(-1)!['entry']).toMatchObject({ action: paid.id, data: { mandate: id } })
  expect((await client.get(paid.id)).body.consent.mandate.id).toBe(id)
  expect(await verify()).toMatchObject({ ok: true })
})

test('fifty uses that race never pass the budget', async () => {
  const { sign, payOut, debits, verify, entries, wil } = await mandateScene(gate)
  const id = await sign({ cents: { usd: 10_000 }, cents_per_day: { usd: 10_000 } })
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => payOut(1_000).catch((error: unknown) => ({ error }))),
  )
  const made = await debits(id)
  expect(made.map(({ cents }) => cents)).toEqual(Array.from({ length: 10 }, () => 1_000))
  expect(new Set(made.map(({ action }) => action)).size).toBe(10)
  expect(await entries('mandate_used')).toHaveLength(10)
  // One mail each: at 80 %, and at the end.
  const mails = () =>
    gate.sandbox
      .messages()
      .filter((mail) => mail.to === wil.email && mail.text.startsWith(`Your mandate #${id} `))
      .map(({ text }) => text.split('. ')[0])
      .toSorted()
  const about = `Your mandate #${id} for at most 100.00 USD in 50 uses is spent`
  await until('both mails have come', async () => mails().length >= 2)
  expect(mails()).toEqual([about, `${about} to 80 %`])
  const byMandate = answers.filter((answer) => 'consent' in answer && answer.consent?.by === 'mandate')
  expect(byMandate).toHaveLength(10)
  expect(await verify()).toMatchObject({ ok: true })
})

test('the ledger verifies, however many entries a mandate has', async () => {
  const { sign, payOut, session, verify } = await mandateScene(gate)
  const id = await sign()
  for (let n = 0; n < 12; n++)
    for (const isFrozen of [true, false]) await freezeMandateNow(gate.deps.db, session, id, isFrozen)
  expect((await payOut(1_000)).consent.mandate.id).toBe(id)
  expect(await verify()).toMatchObject({ ok: true })
  await freezeMandateNow(gate.deps.db, session, id, true)
  expect(await verify()).toMatchObject({ ok: true })
})

test('a member is told once when a mandate expires, or somebody else ends it, and not when they end it themselves', async () => {
  const { sign, payOut, account, wil, session } = await mandateScene(gate)
  const told = () =>
    gate.sandbox
      .messages()
      .filter(({ to, subject }) => to === wil.email && /^Your mandate #\d+ (has|was)/.test(subject ?? ''))
      .map(({ text }) => text.split(' You are asked')[0])
      .toSorted()
  const own = await sign()
  await endMandateNow(gate.deps.db, session, own)
  const first = await sign()
  expect((await payOut(1_000)).consent.mandate.id).toBe(first)
  const second = await sign()
  await endMandateNow(gate.deps.db, { account, memberId: null, adminId: 'any', tokenHash: null }, second)
  const third = await sign()
  for (const table of ['gate.mandate set expires_at', 'gate_private.mandate_end_due set due_at'])
    await gate.database.asSuperuser(`update ${table} = clock_timestamp() where account_id = '${account}'
      and ${table.includes('due') ? 'mandate_id' : 'action_id'} = ${third}`)
  const isTold = async () =>
    (
      await gate.database.asSuperuser(
        `select from gate_private.mandate_end_due where account_id = '${account}'`,
      )
    ).length === 0
  await until('the member was told of each', isTold)
  const about = (id: number) => `Your mandate #${id} for at most 300.00 USD in 50 uses`
  expect(told()).toEqual([
    `${about(first)} was ended because a newer one takes its place. It was used once.`,
    `${about(second)} was ended by an administrator. It was not used.`,
    `${about(third)} has expired. It was not used.`,
  ])
})

const asks = (problem: string) => ({
  status: 'proposed',
  consent_request: expect.objectContaining({ required: 'page' }),
  mandate_problem: expect.stringContaining(problem),
})

test('outside any limit the member is asked as before, and the answer says which limit', async () => {
  const { sign, payOut, tell, account, addMember, mintKey, ...scene } = await mandateScene(gate)
  const id = await sign({ uses: 4, uses_per_day: 3, cents: { usd: 12_000 }, cents_per_day: { usd: 10_000 } })
  const large = await payOut(6_200)
  expect(large).toMatchObject(asks("62.00 USD is above the mandate's 50.00 USD."))
  expect(await payOut(4_000, { currency: 'eur' })).toMatchObject(asks('it has no budget in EUR'))
  expect(await payOut(4_000, { description: 'for lunch' })).toMatchObject(
    asks('it does not allow the argument description'),
  )
  for (let n = 0; n < 2; n++) expect((await payOut(4_000)).consent.mandate.id).toBe(id)
  // An amount that was split into many is no smaller.
  expect(await payOut(4_000)).toMatchObject(asks('40.00 USD is above the 20.00 USD that it has left today'))
  expect((await payOut(1_000)).consent.by).toBe('mandate')
  expect(await payOut(100)).toMatchObject(asks('its 3 uses of today are used up'))
  const spent = (when: string) =>
    gate.database.asSuperuser(`update gate.mandate_debit set at = ${when} where account_id = '${account}'`)
  // A day is one of UTC: at its last instant the debits count for yesterday, at its first for today.
  const midnight = "date_trunc('day', clock_timestamp(), 'UTC')"
  await spent(midnight)
  expect(await payOut(100)).toMatchObject(asks('its 3 uses of today are used up'))
  await spent(`${midnight} - interval '1 microsecond'`)
  expect(await payOut(3_100)).toMatchObject(asks('31.00 USD is above the 30.00 USD that it has left.'))
  expect((await payOut(100)).consent.by).toBe('mandate')
  expect(await payOut(100)).toMatchObject(asks('its 4 uses are used up'))
  // Other kinds, keys and members are not its matter.
  expect(await tell('Hello')).toMatchObject({
    mandate_problem: expect.stringContaining('it is not for broadcast'),
  })
  const other = await mintKey()
  expect((await payOut(100, { key: other.key })).mandate_problem).toBeUndefined()
  const ann = await addMember({ name: 'Ann', email: 'ann@example.com', tier: 'write' })
  expect((await payOut(100, { member: ann })).mandate_problem).toBeUndefined()
  expect(await scene.debits(id)).toHaveLength(4)
  // The member reads it, too, on the card that they decide by, whatever is left of the mandate since then.
  expect(inOneLine((await askedByMail(gate, scene.wil.email!)).text)).toContain(
    `Outside mandate: Mandate ${id} does not cover this: 62.00 USD is above the mandate's 50.00 USD.`,
  )
  await scene.approve(large.id)
  await until('it is paid', async () => (await scene.client.get(large.id)).body.status === 'executed')
  expect(await scene.verify()).toMatchObject({ ok: true })
})

test('a policy below its limits narrows a mandate at once, and so do tier, deactivation, key and suspension', async () => {
  const { sign, payOut, setPolicy, setTier, wil, suspend, account, ...scene } = await mandateScene(gate)
  const id = await sign()
  const payouts = (given: object) =>
    setPolicy({ ...strict, mandates: { payout: { ...ceilings.payout, ...given } } })
  await payouts({ cents_each: { usd: 1_000 } })
  expect(await payOut(2_000)).toMatchObject(
    asks('20.00 USD is above the 10.00 USD that the policy allows mandates'),
  )
  await payouts({ counts_as: 'chat' })
  expect(await payOut(2_000)).toMatchObject(asks('it counts as chat, and this requires page'))
  await setPolicy({ kinds: strict.kinds })
  expect(await payOut(2_000)).toMatchObject(asks('the policy allows no mandates for payout'))
  await payouts({})
  expect((await payOut(2_000)).consent.by).toBe('mandate')
  await payouts({ cents: { usd: 3_000 } })
  expect(await payOut(2_000)).toMatchObject(asks('20.00 USD is above the 10.00 USD that it has left'))
  await payouts({})

  const open = (await scene.tool('send_payout', { amount_cents: 100 })).body.id
  await setTier(wil, 'guarded_write')
  expect((await scene.tool('confirm_action', { id: open })).body).toMatchObject({ status: 'denied' })
  await setTier(wil, 'write')
  const stripe = (at: string) =>
    gate.database.asSuperuser(
      `update gate.account set stripe_changed_at = ${at}, stripe_change = 'connected' where account_id = '${account}'`,
    )
  await stripe("now() - interval '1 day'")
  expect((await payOut(100)).consent.by).toBe('mandate')
  await stripe('now()')
  expect(await payOut(100)).toMatchObject(asks('the Stripe account changed after it was signed'))
  await gate.database.asSuperuser(
    `update gate.account set stripe_changed_at = null, stripe_change = null where account_id = '${account}'`,
  )
  // The stop switch ends it: resuming the account does not bring it back.
  await suspend(true)
  await suspend(false)
  expect((await payOut(100)).mandate_problem).toBeUndefined()
  expect((await scene.entries('mandate_ended'))[0]!['entry']).toMatchObject({ action: id, data: { uses: 2 } })
  expect(await scene.debits(id)).toHaveLength(2)
  // So does a deactivation, whose entry says it.
  const second = await sign({}, await scene.sessionOfMember())
  const last = (await scene.tool('send_payout', { amount_cents: 100 })).body.id
  await scene.setActive(wil, false)
  expect((await scene.tool('confirm_action', { id: last })).isError).toBe(true)
  await scene.setActive(wil, true)
  expect((await payOut(100)).consent).toBeUndefined()
  expect((await scene.entries('member_changed')).map(({ entry }) => entry)).toContainEqual(
    expect.objectContaining({
      data: expect.objectContaining({ ended: expect.objectContaining({ mandates: [second] }) }),
    }),
  )
  expect(await scene.debits(second)).toEqual([])
  expect(await scene.verify()).toMatchObject({ ok: true })
})

test('what the provider refuses is spent all the same', async () => {
  const { sign, payOut, setPolicy, debits, verify } = await mandateScene(gate)
  const sek = { cents_each: { sek: 5_000 }, cents: { sek: 9_000 }, cents_per_day: { sek: 9_000 } }
  await setPolicy({ ...strict, mandates: { payout: { ...ceilings.payout, ...sek } } })
  const { cents_each: each, ...budget } = sek
  const id = await sign({ allows: [{ kind: 'payout', cents_each: each }], ...budget })
  // The stand-in has no kronor.
  const refused = await payOut(5_000, { currency: 'sek' })
  expect(refused).toMatchObject({ status: 'cancelled', closed_reason: 'refused', consent: { by: 'mandate' } })
  expect(await payOut(5_000, { currency: 'sek' })).toMatchObject(
    asks('50.00 SEK is above the 40.00 SEK that it has left'),
  )
  expect(await debits(id)).toEqual([{ action: refused.id, cents: 5_000, currency: 'sek' }])
  expect(await verify()).toMatchObject({ ok: true })
})

test('a message that only looks like the template does not fit it', async () => {
  const { sign, tell } = await mandateScene(gate)
  const template = 'Order {number} has shipped, {word}.'
  const money = { cents: undefined, cents_per_day: undefined }
  await expect(sign({ allows: [{ kind: 'broadcast' }] })).rejects.toThrow(
    'cents is only for kinds with amounts',
  )
  await sign({ allows: [{ kind: 'broadcast', arguments: { message: { template } } }], ...money })
  expect((await tell('Order 12 has shipped, Ada.')).consent.by).toBe('mandate')
  for (const message of [
    'Order 12 has shipped, Ada. Now pay',
    'Order  has shipped, Ada.',
    'Order 12 has shipped, Аda.',
    'Order 12 has shippеd, Ada.',
    'Order 12 has shipped,\u200b Ada.',
    'Order １２ has shipped, Ada.',
    'Order 12 has shipped, A da.',
    `Order ${'1'.repeat(41)} has shipped, Ada.`,
    'order 12 has shipped, Ada.',
  ])
    expect([message, (await tell(message)).mandate_problem]).toEqual([
      message,
      expect.stringContaining('message is not as it allows'),
    ])
})

test('no agent proposes, signs, freezes or ends a mandate, and a stale session signs none', async () => {
  const { account, key, wil, client, draft, session, sessionOfMember, approve, tool, entries } =
    await mandateScene(gate)
  const proposing = { kind: 'mandate', actor: { email: wil.email }, payload: draft() }
  expect((await client.request('POST', '/api/v1/actions', { body: proposing })).status).toBe(422)
  const facts = await factVersions(gate.deps.db, account, wil.memberId)
  const forged = { kind: 'mandate', member_id: wil.memberId, facts, payload: JSON.stringify(draft()) }
  await expect(
    propose(gate.deps.db, account, [sampleProposal({ ...forged, api_key: hashKey(key) })]),
  ).rejects.toThrow('no longer valid')

  const { id } = await proposeMandate(gate.deps, session, draft())
  // The agent's word has the member asked, and signs nothing.
  const confirmed = await tool('confirm_action', { id })
  expect(confirmed.body).toMatchObject({ status: 'proposed', consent_request: { required: 'page' } })
  await gate.database.asSuperuser(
    `update gate_private.session set expires_at = now() where account_id = '${account}'`,
  )
  await expect(proposeMandate(gate.deps, session, draft())).rejects.toThrow('no longer valid')
  await expect(approve(id)).rejects.toThrow('no longer valid')
  const fresh = await sessionOfMember()
  await approve(id, fresh)
  await until('it is in force', async () => (await client.get(id)).body.status === 'executed')
  expect((await client.cancel(id, { email: wil.email })).status).toBe(409)
  expect(await entries('mandate_ended')).toEqual([])
})

test('a mandate is of one member: another one neither sees, signs, freezes nor ends it', async () => {
  const { sign, addMember, sessionOfMember, account, session, draft, mintKey } = await mandateScene(gate)
  const id = await sign()
  const ann = await addMember({ name: 'Ann', email: `ann@example.com`, tier: 'write' })
  const hers = await sessionOfMember(ann)
  expect(await mandatesOf(gate.deps.db, hers)).toEqual([])
  await expect(freezeMandateNow(gate.deps.db, hers, id, true)).rejects.toThrow('not found')
  await expect(endMandateNow(gate.deps.db, hers, id)).rejects.toThrow('not found')
  const bound = await mintKey({ actors: [ann] })
  await expect(proposeMandate(gate.deps, session, draft({ agent: bound.keyId }))).rejects.toThrow(
    'acts for you',
  )
  const elsewhere = await mandateScene(gate)
  await expect(proposeMandate(gate.deps, session, draft({ agent: elsewhere.keyId }))).rejects.toThrow(
    'acts for you',
  )
  expect((await elsewhere.payOut(100)).mandate_problem).toBeUndefined()
  expect(account).not.toBe(elsewhere.account)
})

test('terms above the policy are refused by field, and a mandate for connections, previews or mandates is none', async () => {
  const { draft, session } = await mandateScene(gate)
  const soon = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const refused: [Parameters<typeof draft>[0], string][] = [
    [{ uses: 61 }, 'uses must be at most 60'],
    [{ cents: { usd: 50_001 } }, 'cents must be at most 500.00 USD'],
    [{ cents: { eur: 1 } }, 'cents is not allowed in EUR'],
    [{ allows: [{ kind: 'payout', cents_each: { usd: 10_001 } }] }, 'cents_each must be at most 100.00 USD'],
    [{ allows: [{ kind: 'payout' }] }, 'must limit the amount of each payout'],
    [{ until: soon(31) }, 'until must be within the next 30 days'],
    [{ until: soon(-1) }, 'until must be within the next 30 days'],
    [{ allows: [{ kind: 'refund', cents_each: { usd: 1 } }] }, 'no mandates for refund'],
    ...['integration', 'preview', 'mandate', 'runner_mandate', 'constructor', 'nothing'].map(
      (kind): [Parameters<typeof draft>[0], string] => [{ allows: [{ kind }] }, `no mandates for ${kind}`],
    ),
  ]
  for (const [given, problem] of refused)
    await expect(proposeMandate(gate.deps, session, draft(given))).rejects.toThrow(problem)
})

test('a freeze wins over uses on their way; who froze it resumes it; it is never changed, only replaced', async () => {
  const { sign, payOut, session, account, entries, debits, verify } = await mandateScene(gate)
  const id = await sign()
  const { db } = gate.deps
  const admin = { account, adminId: 'admin', memberId: null, tokenHash: null }
  const frozen = freezeMandateNow(db, session, id, true)
  const answers = await Promise.all([...Array.from({ length: 20 }, () => payOut(100)), frozen])
  const used = answers.filter((answer) => answer?.consent?.by === 'mandate').length
  expect(await debits(id)).toHaveLength(used)
  expect(await payOut(100)).toMatchObject(asks('it is frozen'))
  const order = await gate.database.asSuperuser(
    `select kind from gate.ledger where account_id = '${account}' and kind like 'mandate%' order by seq`,
  )
  expect(order.at(-1)!['kind']).toBe('mandate_frozen')
  await expect(freezeMandateNow(db, session, id, true)).rejects.toThrow('frozen already')
  await expect(freezeMandateNow(db, admin, id, false)).rejects.toThrow('Its member froze this mandate')
  await freezeMandateNow(db, session, id, false)
  expect((await payOut(100)).consent.by).toBe('mandate')
  await freezeMandateNow(db, admin, id, true)
  await expect(freezeMandateNow(db, session, id, false)).rejects.toThrow(
    'An administrator froze this mandate',
  )

  // A new one takes its place, with its own budget.
  const next = await sign({ uses: 1 })
  expect((await payOut(100)).consent.mandate.id).toBe(next)
  expect((await entries('mandate_ended'))[0]!['entry']).toMatchObject({ action: id, actor: 'system' })
  await expect(freezeMandateNow(db, session, id, false)).rejects.toThrow('not in force')
  expect(await verify()).toMatchObject({ ok: true })
})

test('at the instant of its end nothing is done by it any more', async () => {
  const { sign, payOut, account } = await mandateScene(gate)
  const id = await sign()
  const ends = (at: string) =>
    gate.database.asSuperuser(
      `update gate.mandate set expires_at = ${at} where account_id = '${account}' and action_id = ${id}`,
    )
  await ends('clock_timestamp()')
  expect((await payOut(100)).consent_request).toBeDefined()
  await ends("clock_timestamp() + interval '1 hour'")
  expect((await payOut(100)).consent.by).toBe('mandate')
})

test('a key that cannot confirm has its proposals done by the mandate, once, and not with ask: true', async () => {
  const { sign, mintKey, wil, keyId, client, debits } = await mandateScene(gate)
  const proposer = await mintKey({ powers: ['read', 'propose'] })
  const money = { cents: undefined, cents_per_day: undefined }
  const allows = [{ kind: 'broadcast', arguments: { message: { template: 'Hello {word}!' } } }]
  const id = await sign({ agent: proposer.keyId, allows, ...money })
  const agent = apiClient(gate.api.url, proposer.key)
  const key = randomUUID()
  const first = await agent.propose({ email: wil.email }, 'Hello you!', key)
  expect(first.body).toMatchObject({ status: 'proposed', consent: { by: 'mandate', mandate: { id } } })
  const again = await agent.propose({ email: wil.email }, 'Hello you!', key)
  expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', first.body])
  await until('it is executed', async () => (await agent.get(first.body.id)).body.status === 'executed')
  expect((await agent.propose({ email: wil.email }, 'Hello you and you!')).body).toMatchObject({
    consent_request: expect.anything(),
    mandate_problem: expect.stringContaining('message is not as it allows'),
  })
  expect(await debits(id)).toHaveLength(1)

  await sign({ agent: keyId, allows, ...money })
  const body = {
    kind: 'broadcast',
    actor: { email: wil.email },
    payload: { message: 'Hello all!' },
    ask: true,
  }
  const wished = await client.request('POST', '/api/v1/actions', { body })
  expect(wished.body.consent_request).toBeDefined()
  expect(wished.body.consent).toBeUndefined()
})

test('a mandate, a debit or the mandate of an action that was changed in the database does not verify', async () => {
  const { sign, payOut, account, verify } = await mandateScene(gate)
  await sign()
  await payOut(1_000)
  const changes = [
    `update gate.mandate set uses = 0`,
    `update gate.mandate set frozen_at = now(), frozen_by = 'admin'`,
    `update gate.mandate set key_id = 'key_other'`,
    `update gate.mandate_debit set cents = 1`,
    `update gate.mandate_debit set currency = 'eur'`,
    `update gate.mandate_debit set n = 2`,
    `update gate.mandate_debit set action_id = null`,
    `delete from gate.mandate_debit`,
    `update gate.action set mandate_id = null where mandate_id is not null and account_id`,
  ]
  for (const change of changes) {
    await gate.database.asSuperuser(
      `create table public.kept_mandate as select * from gate.mandate where account_id = '${account}';
       create table public.kept_debit as select * from gate.mandate_debit where account_id = '${account}';
       create table public.kept_action as select id, mandate_id from gate.action where account_id = '${account}';
       ${change.endsWith('account_id') ? change : `${change} where account_id`} = '${account}'`,
    )
    expect([change, (await verify())?.ok]).toEqual([change, false])
    await gate.database.asSuperuser(
      `delete from gate.mandate_debit where account_id = '${account}';
       update gate.action a set mandate_id = null where account_id = '${account}';
       delete from gate.mandate where account_id = '${account}';
       insert into gate.mandate select * from public.kept_mandate;
       insert into gate.mandate_debit select * from public.kept_debit;
       update gate.action a set mandate_id = k.mandate_id from public.kept_action k where a.account_id = '${account}' and a.id = k.id;
       drop table public.kept_mandate, public.kept_debit, public.kept_action`,
    )
    expect((await verify())?.ok).toBe(true)
  }
})

test('the statement that decides checks the mandate itself: what was judged before a change is judged again', async () => {
  const { sign, tool, session, account, key, keyId, wil, debits, mintKey } = await mandateScene(gate)
  const { db } = gate.deps
  const id = await sign({ cents: { usd: 1_000 }, cents_per_day: { usd: 1_000 } })
  const { body } = await tool('send_payout', { amount_cents: 400 })
  const row = (await readAction(db, account, body.id))!
  const claim = async (given: Partial<MandateUse> = {}, apiKey = key) => {
    const { outcome } = await claimDecision(db, {
      account,
      id: row.id,
      decision: 'confirm',
      commandId: randomUUID(),
      eventId: randomUUID(),
      expireEventId: randomUUID(),
      dueMs: 60_000,
      versions: await factVersions(db, account, wil.memberId),
      tier: 'write',
      consent: { strength: given.strength ?? 'page', channel: 'api' },
      credential: { apiKey: hashKey(apiKey) },
      idempotency: null,
      mandate: {
        id,
        epoch: 0,
        strength: 'page',
        amount: { cents: 400, currency: 'usd' },
        caps: { uses: 50, uses_per_day: 50, cents: null, cents_per_day: null },
        ...given,
      },
    })
    return outcome
  }
  const set = (change: string) =>
    gate.database.asSuperuser(
      `update gate.mandate set ${change} where account_id = '${account}' and action_id = ${id}`,
    )
  const other = await mintKey()
  const caps = { uses: 50, uses_per_day: 50, cents: null, cents_per_day: null }
  expect(await claim({}, other.key)).toBe('moved')
  expect(await claim({ amount: { cents: 1_001, currency: 'usd' } })).toBe('moved')
  expect(await claim({ amount: { cents: 400, currency: 'eur' } })).toBe('moved')
  expect(await claim({ caps: { ...caps, cents: 399 } })).toBe('moved')
  expect(await claim({ caps: { ...caps, cents_per_day: 399 } })).toBe('moved')
  expect(await claim({ caps: { ...caps, uses: 0 } })).toBe('moved')
  expect(await claim({ caps: { ...caps, uses_per_day: 0 } })).toBe('moved')
  expect(await claim({ id: row.id })).toBe('moved')
  await set('expires_at = clock_timestamp()')
  expect(await claim()).toBe('moved')
  await set("expires_at = clock_timestamp() + interval '1 hour'")
  await set("member_id = 'mem_other'")
  expect(await claim()).toBe('moved')
  await set(`member_id = '${wil.memberId}', key_id = 'key_other'`)
  expect(await claim()).toBe('moved')
  await set(`key_id = '${keyId}'`)
  await freezeMandateNow(db, session, id, true)
  expect(await claim()).toBe('moved')
  expect(await claim({ epoch: 1 })).toBe('moved')
  await freezeMandateNow(db, session, id, false)
  expect(await claim()).toBe('moved')
  expect(await debits(id)).toEqual([])
  expect(await claim({ epoch: 2 })).toBe('claimed')
  expect(await claim({ epoch: 2 })).toBe('lost')
  expect(await debits(id)).toEqual([{ action: row.id, cents: 400, currency: 'usd' }])
})

test('a mandate is approved on its own, not with others by one press', async () => {
  const { session, draft } = await mandateScene(gate)
  const rows = [
    await proposeMandate(gate.deps, session, draft()),
    await proposeMandate(gate.deps, session, draft({ uses: 2 })),
  ]
  const selected = await Promise.all(
    rows.map(async (row) => ({
      id: row.id,
      digest: row.digest!,
      shown: cardHash(await cardOfRow(gate.deps, row)).toString('hex'),
    })),
  )
  const decided = await decideMany(gate.deps, session, { does: 'confirm', selected })
  for (const one of decided) expect(JSON.stringify(one)).toContain('Approve it on its own')
})
