import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { linkHash } from '../../../src/ledger/chain.ts'
import { type LedgerFilter, browseLedger } from '../../../src/operations/audit/browse-ledger.ts'
import { accountHabits } from '../../../src/operations/members/habits.ts'
import { verdictForPage } from '../../../src/operations/audit/ledger-proof.ts'
import { actionTimeline } from '../../../src/operations/audit/action-timeline.ts'
import { limits } from '../../../src/limits.ts'
import { callTool } from '../../support/mcp-tool.ts'
import { useGate } from '../../support/use-gate.ts'
import { shorten } from '../../support/shorten.ts'

const gate = useGate({ env: { TEMPORAL_UI_URL: 'http://temporal.example/' } })

const ada = { email: 'ada@example.com' }
const all = {
  kind: null,
  status: null,
  member: null,
  from: null,
  to: null,
  hasChecks: false,
  after: null,
} as const

describe('the rows of a ledger', () => {
  test('are paged the newest first, each once', async () => {
    const { account, client, addMember } = await gate.account()
    await addMember({ ...ada })
    const count = limits.pageRowsDefault + 7
    for (let n = 0; n < count; n++) await client.propose(ada, `No. ${n}`)
    const first = await browseLedger(gate.deps, account, all)
    const second = await browseLedger(gate.deps, account, { ...all, after: first.next! })
    expect([first.rows.length, second.rows.length, second.next]).toEqual([
      limits.pageRowsDefault,
      7,
      undefined,
    ])
    const ids = [...first.rows, ...second.rows].map(({ id }) => id)
    expect(ids).toEqual(Array.from({ length: count }, (_, i) => count - i))
  })

  test('are filtered by kind, status, member and time, and checks only come when asked for', async () => {
    const { account, client, addMember } = await gate.account()
    await addMember({ ...ada })
    const bea = await addMember({ email: 'bea@example.com' })
    await client.propose(ada, 'denied')
    await client.capability(ada)
    await client.propose({ email: 'bea@example.com' }, 'denied')
    const ids = async (filter: Partial<LedgerFilter>) =>
      (await browseLedger(gate.deps, account, { ...all, ...filter })).rows.map(({ id }) => id)
    const [now, hour] = [Date.now(), 3_600_000]
    expect(await ids({})).toEqual([3, 1])
    expect(await ids({ hasChecks: true })).toEqual([3, 2, 1])
    expect(await ids({ kind: 'capability_check' })).toEqual([2])
    expect(await ids({ kind: 'broadcast', status: 'denied' })).toEqual([3, 1])
    expect(await ids({ kind: 'refund' })).toEqual([])
    for (const member of ['bea@example.com', bea.memberId]) expect(await ids({ member })).toEqual([3])
    expect(await ids({ from: new Date(now - hour), to: new Date(now + hour) })).toEqual([3, 1])
    expect(await ids({ to: new Date(now - hour) })).toEqual([])
    const unknown = await browseLedger(gate.deps, account, { ...all, member: 'nobody@example.com' })
    expect([unknown.isMemberUnknown, unknown.rows]).toEqual([true, []])
    expect(unknown.kinds.map(({ kind }) => kind)).toEqual(['broadcast', 'capability_check'])
  })
})

test('the rows of a ledger are searched for a text, a bounded number of them for each page', async () => {
  const { account, client, addMember } = await gate.account()
  await addMember({ ...ada, tier: 'guarded_write' })
  await addMember({ email: 'bea@example.com' })
  for (const message of ['The CAFÉ opens at 9.', 'Nothing.', '100% of "all"'])
    await client.propose(ada, message)
  await client.propose({ email: 'bea@example.com' }, 'Denied.')
  const find = async (text: string, after: number | null = null) => {
    const { rows, next, searched } = await browseLedger(gate.deps, account, { ...all, text, after })
    return [rows.map(({ id }) => id), next, searched]
  }
  expect(await find('café')).toEqual([[1], undefined, undefined])
  expect(await find('cafe\u0301')).toEqual([[1], undefined, undefined])
  expect(await find('100%')).toEqual([[3], undefined, undefined])
  expect(await find('bea@')).toEqual([[4], undefined, undefined])
  expect(await find('Broadcast')).toEqual([[4, 3, 2, 1], undefined, undefined])
  const { rows } = await browseLedger(gate.deps, account, {
    ...all,
    hasChecks: true,
    text: 'capability check',
  })
  expect(rows.every(({ kind }) => kind === 'capability_check')).toBe(true)
  expect(await find('nowhere')).toEqual([[], undefined, undefined])
  const restore = shorten({ ledgerSearchRows: 1, ledgerSearchedMax: 2 })
  try {
    expect(await find('café')).toEqual([[], 3, 2])
    expect(await find('café', 3)).toEqual([[1], 1, 2])
  } finally {
    restore()
  }
})

describe("a row's story", () => {
  test('tells every entry in its order, each with its place in the chain and who it was', async () => {
    const { account, client, actor, id } = await gate.openBroadcast({ recipients: 3 })
    const stranger = { email: 'nobody@example.com' }
    await client.confirm(id, stranger)
    expect((await client.confirm(id, actor)).status).toBe(200)
    const story = await actionTimeline(gate.deps, account.account, id)
    expect(story.entries.map(({ kind }) => kind)).toEqual([
      'proposed',
      'decision_refused',
      'confirmed',
      ...story.entries.filter(({ kind }) => kind === 'delivered').map(({ kind }) => kind),
      'executed',
    ])
    for (const { entry, seq, at, prev, hash } of story.entries)
      expect(linkHash(account.account, { seq, at: at.toISOString(), entry, prev })).toBe(hash)
    expect(story.names.get(story.memberId!)).toBe('Ada')
    expect(story.names.get(account.keyId)).toBe('test')
    expect(story.deliveries.reduce((sum, d) => sum + d.count, 0)).toBe(3)
    expect(story.head.seq).toBeGreaterThanOrEqual(story.entries.at(-1)!.seq)
    expect(story.workflow!.url).toBe(
      `http://temporal.example/namespaces/${gate.config.TEMPORAL_NAMESPACE}/workflows/${encodeURIComponent(story.workflow!.id)}`,
    )
  })

  test('of a check is its one entry', async () => {
    const { account, client, addMember } = await gate.account()
    await addMember({ ...ada })
    await client.capability(ada)
    const story = await actionTimeline(gate.deps, account, 1)
    expect(story.entries.map(({ kind, action_id }) => [kind, action_id])).toEqual([['checked', 1]])
    expect(story.workflow).toBeUndefined()
  })

  test('of money tells what the provider was asked, and under which key', async () => {
    const { account, client, addMember } = await gate.account()
    await addMember({ ...ada, tier: 'write' })
    const refund = { actor: ada, payment: 'pi_Sandbox05', amount_cents: 4_500 }
    const { body } = await callTool(client, 'issue_refund', refund)
    await client.confirm(body.id, ada)
    const story = await actionTimeline(gate.deps, account, body.id)
    expect(story.calls).toMatchObject([
      { provider: 'stripe', state: 'ok', attempt: 1, key: expect.stringMatching(/^act_[0-9a-f-]{36}_call$/) },
    ])
  })

  test("of another account's row does not exist", async () => {
    const { id } = await gate.openBroadcast()
    const other = await gate.account()
    await expect(actionTimeline(gate.deps, other.account, id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('names nobody of another account, whatever an entry says', async () => {
    const [mine, other] = [await gate.account(), await gate.account()]
    const eve = await other.addMember({ name: 'Eve' })
    await mine.addMember({ ...ada })
    await mine.client.propose(ada, 'Hello')
    await gate.database.db.run(
      (sql) => sql`select gate.note_refusal(
        p_account => ${mine.account}, p_id => 1, p_event => ${randomUUID()}, p_decision => 'confirm',
        p_reason => 'not_open', p_source => 'api', p_actor => ${eve.memberId}, p_api_key => null)`,
    )
    const story = await actionTimeline(gate.deps, mine.account, 1)
    expect(story.entries).toHaveLength(2)
    expect([...story.names.values()]).toEqual(['Ada', 'test'])
  })
})

describe('a ledger verified for a page', () => {
  test('is found whole, or wrong at its place', async () => {
    const { account, client, addMember } = await gate.account()
    await addMember({ ...ada })
    await client.propose(ada, 'Hello')
    expect(await verdictForPage(gate.deps, account)).toMatchObject({ ok: true })
    await gate.database.asSuperuser(
      `update gate.action set payload = '{"message":"Bye"}' where account_id = '${account}'`,
    )
    expect(await verdictForPage(gate.deps, account)).toMatchObject({ ok: false, place: 'action 1' })
  })

  test('is refused where it is too long, and says what to do', async () => {
    const { account } = await gate.account()
    await gate.database.asSuperuser(
      `update gate.ledger_head set seq = ${limits.verifyOnPageEntriesMax + 1} where account_id = '${account}'`,
    )
    await expect(verdictForPage(gate.deps, account)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`gate ledger verify --account ${account}`),
    })
  })

  test('is verified one at a time', async () => {
    const { account } = await gate.account()
    const ends = await Promise.allSettled([1, 2, 3].map(() => verdictForPage(gate.deps, account)))
    expect(ends.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    for (const end of ends)
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'unavailable' })
    expect(await verdictForPage(gate.deps, account)).toMatchObject({ ok: true })
  })
})

describe('how members decide', () => {
  const confirms = (account: string, memberId: string, tookMs: number[]) =>
    gate.database.asSuperuser(`
      insert into gate.action (account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload,
        created_at, requires_confirmation, decision, decided_at, closed_reason)
      select '${account}', 1000 + count(*) over () * ${tookMs.length} + n, gen_random_uuid(), 'refund', 'cancelled',
        '${memberId}', 'x', 'write', 'api', '{}', now() - interval '1 day' - took * interval '1 millisecond', true,
        'confirm', now() - interval '1 day', 'refused'
      from unnest(array[${tookMs.join()}]::float8[]) with ordinality u(took, n)`)

  test('is told by counts, by the median and the ninth of ten, and flagged where it is hasty', async () => {
    const { account, addMember } = await gate.account()
    const hasty = await addMember({ name: 'Hasty', email: 'hasty@example.com' })
    const slow = await addMember({ name: 'Slow', email: 'slow@example.com' })
    await confirms(
      account,
      hasty.memberId,
      Array.from({ length: 20 }, (_, i) => (i < 16 ? 1_000 : 60_000)),
    )
    await gate.database.asSuperuser(`update gate.action set id = id + 5000 where account_id = '${account}'`)
    await confirms(account, slow.memberId, [60_000, 120_000, 180_000])
    const { members, openMaxPerMember } = await accountHabits(gate.deps, account)
    expect(openMaxPerMember).toBe(100)
    expect(members).toEqual([
      expect.objectContaining({
        name: 'Hasty',
        label: 'hasty@example.com',
        confirmed: 20,
        hasty: 16,
        medianMs: 1_000,
        p90Ms: 60_000,
        isRubberStamping: true,
      }),
      expect.objectContaining({
        name: 'Slow',
        confirmed: 3,
        hasty: 0,
        medianMs: 120_000,
        isRubberStamping: false,
      }),
    ])
  })

  test('counts declines and what is open apart, and nothing that is older or of others', async () => {
    const { account, client, addMember } = await gate.account()
    const member = await addMember({ ...ada, tier: 'write' })
    const { body } = await client.propose(ada, 'No.')
    await client.cancel(body.id, ada)
    await client.propose(ada, 'Waits.')
    await confirms(account, member.memberId, [1])
    await gate.database.asSuperuser(
      `update gate.action set decided_at = now() - interval '${limits.habitsDays} days 1 minute'
       where account_id = '${account}' and decision = 'confirm'`,
    )
    const { members } = await accountHabits(gate.deps, account)
    expect(members).toEqual([
      expect.objectContaining({ confirmed: 0, declined: 1, open: 1, medianMs: null, p90Ms: null }),
    ])
  })
})
