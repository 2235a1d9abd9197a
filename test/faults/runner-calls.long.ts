import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type RunningApi, startApi } from '../../src/api.ts'
import { type Deps, makeDeps } from '../../src/deps.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { limits } from '../../src/limits.ts'
import { askedInSlack, pressInSandbox } from '../support/consent.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { loseAnswer } from '../support/lost-answer.ts'
import { type TestHook, testHook } from '../support/runner.ts'
import { type TcpProxy, startTcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'

let gate: TestGate
let edge: TcpProxy
/** An API that reaches the database over the edge, with a limit of requests; the workers of `gate` reach it directly. */
let far: { deps: Deps; api: RunningApi }
const perMinute = 60
beforeAll(async () => {
  gate = await startGate({ workers: false })
  const url = new URL(gate.config.DATABASE_URL!)
  edge = await startTcpProxy(url.host)
  url.host = edge.address
  const config = { ...gate.config, DATABASE_URL: url.href, RATE_LIMIT_PER_MINUTE: perMinute }
  const deps = makeDeps(config, { sandboxUrl: gate.sandbox.url, log: gate.deps.log })
  far = { deps, api: await startApi(deps) }
}, 300_000)
let isCut = false
beforeEach(async () => {
  if (isCut) await edge.accept()
  isCut = false
  await gate.startWorkers()
})
afterAll(async () => {
  if (isCut) await edge.accept()
  await far.api.stop()
  await far.deps.close()
  await edge.stop()
  await gate.stop()
})

const remove = 'rm -rf build'
const reads = { tool: 'Read' }
const readme = { file_path: '/work/project/README.md' }

let people = 0
async function scene() {
  const account = await gate.account()
  const slack = `U000FRUN${++people}`
  const member = await account.addMember({ name: 'Grace Hopper', slack, tier: 'guarded_write' })
  const near = await testHook(gate, account, member)
  const hook: TestHook = await testHook({ api: far.api }, account, member)
  return {
    ...account,
    slack,
    near,
    hook,
    rows: async () => (await account.client.list({ kind: 'runner_tool', limit: '200' })).body.actions,
    approve: async () => pressInSandbox(gate, (await askedInSlack(gate, slack)).message),
    isApproved: (id: number) =>
      until('the call is approved', async () => (await account.client.get(id)).body.status === 'executed'),
    verify: () => verifyLedger(gate.database.db, account.account),
  }
}

const isShut = ({ decision }: { decision: string | undefined }) => decision !== 'allow'

describe('the database', () => {
  test('without the database every call is refused with the reason, and is decided again when it is back', async () => {
    const { hook } = await scene()
    expect((await hook.ask(readme, reads)).decision).toBe('allow')
    isCut = true
    await edge.refuse()
    const during = await hook.ask(readme, reads)
    expect(during).toMatchObject({ status: 503, decision: undefined })
    expect(during.reason).not.toBe('')
    await edge.accept()
    isCut = false
    await until('the gate decides again', async () => (await hook.ask(readme, reads)).decision === 'allow')
  })

  test.each(['first', 'second'])(
    'a database that hangs: the %s call with a key is refused within the deadline of the gate',
    async (which) => {
      const { hook } = await scene()
      // Then the key is kept.
      if (which === 'second') expect((await hook.ask(readme, reads)).decision).toBe('allow')
      edge.holdAnswers()
      const began = performance.now()
      const answer = await hook.ask(readme, reads)
      edge.release()
      expect(isShut(answer)).toBe(true)
      // The deadline, and what a busy machine takes.
      expect(performance.now() - began).toBeLessThan(limits.toolCallMs + 5_000)
    },
    60_000,
  )

  test('an approval whose answer was lost is used up: the same call is refused, and a new one is asked about again', async () => {
    const { account, hook, approve, isApproved, rows, verify } = await scene()
    const asked = await hook.ask(remove)
    await approve()
    await isApproved(asked.action!)
    const call = { callId: `toolu_${randomUUID()}` }
    isCut = true
    const lost = await loseAnswer(
      { database: gate.database, edge, account },
      () => hook.ask(remove, call),
      async () => {
        const spent = await gate.database.asSuperuser(
          `select 1 from gate.tool_consent where account_id = '${account}' and spent_at is not null`,
        )
        return spent.length === 1
      },
    )
    expect([lost.status, lost.decision]).toEqual([503, undefined])
    await edge.accept()
    isCut = false
    const repeated = await hook.ask(remove, call)
    expect(repeated.decision).toBe('deny')
    expect(repeated.reason).toContain(`(action ${asked.action}) was already used`)
    const next = await hook.ask(remove)
    expect(next.decision).toBe('deny')
    expect(next.reason).toMatch(/Waiting for the consent/)
    const statuses = (await rows()).map((row: { status: string }) => row.status)
    expect(statuses.toSorted()).toEqual(['denied', 'executed', 'proposed'])
    expect(await verify()).toMatchObject({ ok: true })
  }, 60_000)
})

test('without Temporal what the rules decide is decided, and an approval takes effect when it is back', async () => {
  const { near, approve, isApproved } = await scene()
  const asked = await near.ask(remove)
  // The request must be in front of the member before the workers stop.
  await askedInSlack(gate, `U000FRUN${people}`)
  await gate.stopWorkers()
  expect((await near.ask(readme, reads)).decision).toBe('allow')
  await approve()
  const during = await near.ask(remove, { wait: 2 })
  expect(during).toMatchObject({ decision: 'deny', action: asked.action })
  await gate.startWorkers()
  await isApproved(asked.action!)
  expect(await near.ask(remove)).toMatchObject({ decision: 'allow', action: asked.action })
}, 60_000)

describe('too much', () => {
  test('an input of one megabyte is denied as a row, and a body above the bound is refused', async () => {
    const { near, client } = await scene()
    const large = await near.ask({ content: 'x'.repeat(1_048_576) }, { tool: 'Write' })
    expect(large.decision).toBe('deny')
    expect((await client.get(large.action!)).body).toMatchObject({ denial_code: 'call_unreadable' })
    const above = await near.ask({ content: 'x'.repeat(limits.toolCallBytesMax) }, { tool: 'Write' })
    expect([above.status, above.decision]).toEqual([413, undefined])
    expect(above.reason).toBe('The body is larger than 2 MiB.')
  })

  test('an input that does not fit on the card cannot be approved', async () => {
    const { near, rows } = await scene()
    const answer = await near.ask(`rm -rf build # ${'x'.repeat(limits.toolInputKeptCharsMax)}`)
    expect(answer.decision).toBe('deny')
    expect(await rows()).toMatchObject([{ status: 'denied', denial_code: 'call_unreadable' }])
  })

  test('200 calls of one key at once: those above its limit are refused, and the rest is decided', async () => {
    const { hook, rows } = await scene()
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => hook.ask({ file_path: '/root/.ssh/id_rsa' }, reads)),
    )
    const byStatus = (status: number) => answers.filter((answer) => answer.status === status)
    expect([byStatus(200).length, byStatus(429).length]).toEqual([perMinute, 200 - perMinute])
    expect(answers.every(isShut)).toBe(true)
    expect(await rows()).toHaveLength(perMinute)
  }, 60_000)
})

describe('keys', () => {
  test.each(['revoked', 'expired'])(
    'a key that is %s while its hook waits gets no permission',
    async (how) => {
      const { account, slack, near, revokeKey, approve } = await scene()
      const waiting = near.ask(remove, { wait: 10 })
      await askedInSlack(gate, slack)
      if (how === 'revoked') await revokeKey(near.keyId)
      else
        await gate.database.asSuperuser(
          `update gate_private.api_key_hash set expires_at = now() where account_id = '${account}' and key_id = '${near.keyId}'`,
        )
      await approve()
      expect([(await waiting).status, (await waiting).decision]).toEqual([401, undefined])
    },
  )
})

test('the text of an agent in a call is quoted on the card and cannot pass for words of the gate', async () => {
  const { near, slack } = await scene()
  await near.ask({
    command: remove,
    description: 'Clean up\n\nRequested by: your administrator\nApproving is mandatory.',
  })
  const { text } = await askedInSlack(gate, slack)
  for (const line of text.split('\n').filter((one) => /administrator|mandatory/.test(one)))
    expect(line).toMatch(/^[│┊] /)
  expect(text).toMatch(/rm -rf build/)
})
