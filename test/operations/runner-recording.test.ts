import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { memberOfKey, readFactsByKey } from '../../src/db/queries/members/facts.ts'
import { type ToolCallToRecord, recordToolCalls } from '../../src/db/queries/runner/tool-calls.ts'
import { hasWritten } from '../../src/db/writes.ts'
import { GateError, OutcomeUnknown } from '../../src/errors.ts'
import { toolCallRecorder } from '../../src/ledger/tool-call-recorder.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { hashKey } from '../../src/keys/api-key.ts'
import { useGate } from '../support/use-gate.ts'
import { entriesOf } from '../support/ledger-entries.ts'

const gate = useGate({ workers: false })

let people = 0
async function scene() {
  const account = await gate.account()
  const { db } = gate.database
  const grace = await account.addMember({
    name: 'Grace',
    email: `grace.recording${++people}@example.com`,
    tier: 'read_only',
  })
  const { key } = await account.mintKey({ powers: ['runner'], actors: [grace] })
  const apiKey = hashKey(key)
  const { holder, facts } = (await readFactsByKey(db, apiKey, memberOfKey))!
  const call = (decision: 'allow' | 'deny', changes: Partial<ToolCallToRecord> = {}): ToolCallToRecord => ({
    asker: {
      keyId: holder.key_id,
      apiKey,
      memberId: grace.memberId,
      member: 'grace@example.com',
      tier: 'read_only',
      memberVersion: facts.members[0]!.version,
      curriculaVersion: facts.curriculaVersion,
      policyVersion: facts.policyVersion,
      isSuspended: false,
    },
    runner: 'claude',
    tool: 'Read',
    effect: 'reads',
    ref: randomBytes(32),
    binding: randomBytes(32),
    hasId: true,
    decision,
    rule: 1,
    call: '{"cwd":"/work","input":{},"mcp_server":null}',
    row: decision === 'allow' ? null : denied(),
    ...changes,
  })
  return {
    ...account,
    call,
    record: (calls: ToolCallToRecord[]) => recordToolCalls(db, account.account, calls),
    sql: (text: string) => gate.database.asSuperuser(text.replaceAll('$account', `'${account.account}'`)),
    entries: () => entriesOf(gate.database, account.account),
    verify: () => verifyLedger(db, account.account),
  }
}

const denied = (): NonNullable<ToolCallToRecord['row']> => ({
  uuid: randomUUID(),
  payload: '{"effect":"reads","runner":"claude","tool":"Read"}',
  salt: Buffer.alloc(16, 7),
  input: '{"file_path":"/root/.ssh/id_rsa"}',
  rule: 'Rule 1 denies this Read call',
  denialReason: 'Rule 1 denies this Read call',
  denialCode: 'runner_rule',
  denialNeeds: { tier: 'write' } as never,
})

test.each(['allow', 'deny'] as const)(
  'a call (%s) is recorded alone as it is in a group',
  async (decision) => {
    const { call, record, sql, entries, verify } = await scene()
    const former = call(decision)
    const [first] = await record([former])
    const outcomes = async (change: (one: ToolCallToRecord) => ToolCallToRecord) => {
      const [alone] = await record([change(call(decision))])
      const group = await record([change(call(decision)), change(call(decision))])
      return [alone, ...group].map((one) => one!.outcome)
    }
    const withAsker = (facts: Partial<ToolCallToRecord['asker']>) => (one: ToolCallToRecord) => ({
      ...one,
      asker: { ...one.asker, ...facts },
    })
    const allThree = (outcome: string) => [outcome, outcome, outcome]
    expect(await outcomes((one) => one)).toEqual(allThree('recorded'))
    for (const facts of [
      { memberVersion: 99 },
      { curriculaVersion: 99 },
      { policyVersion: 99 },
      { isSuspended: true },
    ])
      expect(await outcomes(withAsker(facts))).toEqual(allThree('stale'))
    for (const facts of [{ apiKey: randomBytes(32) }, { keyId: 'key_other' }, { memberId: 'mem_other' }])
      expect(await outcomes(withAsker(facts))).toEqual(allThree('unauthenticated'))

    const repeat = { ...former, row: former.row && denied() }
    const [again] = await record([repeat])
    const [inGroup] = await record([{ ...repeat, row: former.row && denied() }, call(decision)])
    expect([again, inGroup]).toEqual([
      { ...first!, outcome: 'replayed' },
      { ...first!, outcome: 'replayed' },
    ])
    const columns =
      'tier_at_request, runner, tool, effect, decision, rule, call::text, action_id is null as has_none'
    const kinds = await sql(
      `select distinct ${columns} from gate.tool_call where account_id = $account and rule = 1`,
    )
    expect(kinds).toHaveLength(1)
    if (decision === 'deny') {
      const shapes = (await entries())
        .filter(({ kind }) => kind === 'denied')
        .map(({ entry }) => ({
          ...entry,
          action: 0,
          data: { ...(entry.data as object), member_digest: '' },
        }))
      expect(shapes.length).toBeGreaterThan(4)
      for (const shape of shapes.slice(0, 4)) expect(shape).toEqual(shapes[0])
    }
    const [counted] = await sql(
      'select sum(allowed + denied)::int as calls from gate.tool_count where account_id = $account',
    )
    const [stored] = await sql(
      'select count(*)::int as calls from gate.tool_call where account_id = $account',
    )
    expect(counted).toEqual(stored)
    expect(await verify()).toMatchObject({ ok: true })
  },
)

test.each(['revoked', 'expired', 'of an inactive member'])(
  'a key that is %s records nothing, alone and in a group',
  async (how) => {
    const { call, record, sql } = await scene()
    const key = `gate_private.api_key_hash where account_id = $account and powers = array['runner']`
    if (how === 'of an inactive member')
      await sql('update gate.member set is_active = false where account_id = $account')
    else
      await sql(
        `update gate_private.api_key_hash set ${how}_at = now() where key_id in (select key_id from ${key})`.replace(
          'expired_at',
          'expires_at',
        ),
      )
    const [alone] = await record([call('deny')])
    const group = await record([call('deny'), call('deny')])
    expect([alone, ...group].map((one) => one!.outcome)).toEqual(Array(3).fill('unauthenticated'))
    expect(await sql('select 1 from gate.tool_call where account_id = $account')).toHaveLength(0)
  },
)

test.each([2, 3])(
  'a group with the same call %s times is not said to have changed nothing once its first statement has written',
  async (times) => {
    const { account, call } = await scene()
    const { db } = gate.database
    let statements = 0
    const lost = () =>
      hasWritten() ? new OutcomeUnknown() : new GateError('unavailable', 'Nothing was changed.')
    const recorder = toolCallRecorder({
      ...db,
      run: (statement) => (++statements < 3 ? db.run(statement) : Promise.reject(lost())),
    })
    // The first call is recorded alone. Meanwhile, the others wait, and become a group.
    const alone = recorder.record(account, call('deny'))
    const repeated = call('deny')
    const group = Array.from({ length: times }, () => recorder.record(account, repeated))
    await alone
    const results = await Promise.allSettled(group)
    expect(results.map((result) => (result as PromiseRejectedResult).reason)).toEqual(
      Array(times).fill(expect.any(OutcomeUnknown)),
    )
    expect(statements).toBe(3)
  },
)
