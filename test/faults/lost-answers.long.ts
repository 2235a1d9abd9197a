import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type RunningApi, startApi } from '../../src/api.ts'
import { type Deps, makeDeps } from '../../src/deps.ts'
import { gateOn } from '../cli/gate-command.ts'
import { signedInAdmin } from '../support/console.ts'
import { apiClient } from '../support/api-client.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { askedByMail, decideBy } from '../support/consent.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { loseAnswer } from '../support/lost-answer.ts'
import { callTool } from '../support/mcp-tool.ts'
import { type TcpProxy, startTcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'
import { errorBody } from '../support/error-body.ts'

let gate: TestGate
let edge: TcpProxy
/** An API that reaches the database over the edge; the workers of `gate` reach it directly. */
let far: { deps: Deps; api: RunningApi }
beforeAll(async () => {
  gate = await startGate()
  const { host, ...url } = pick(new URL(gate.config.DATABASE_URL!))
  edge = await startTcpProxy(host)
  const config = {
    ...gate.config,
    DATABASE_URL: Object.assign(new URL(url.href), { host: edge.address }).href,
  }
  const deps = makeDeps(config, { sandboxUrl: gate.sandbox.url, log: gate.deps.log })
  far = { deps, api: await startApi(deps) }
}, 300_000)
const pick = ({ host, href }: URL) => ({ host, href })
let isCut = false
beforeEach(async () => {
  if (isCut) await edge.accept()
  isCut = false
})
afterAll(async () => {
  if (isCut) await edge.accept()
  await far.api.stop()
  await far.deps.close()
  await edge.stop()
  await gate.stop()
})

async function scene(consent = 'agent_attested') {
  const account = await gate.account()
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent } } })
  const email = `ada.${account.account.slice(5, 12).toLowerCase()}@example.com`
  await account.addMember({ name: 'Ada', email, tier: 'guarded_write' })
  const client = apiClient(far.api.url, account.key)
  const rows = (what = 'true') =>
    gate.database.asSuperuser(
      `select id, status from gate.action where account_id = '${account.account}' and ${what}`,
    )
  return {
    ...account,
    near: account.client,
    client,
    actor: { email },
    email,
    rows,
    lost: <T>(send: () => Promise<T>, isDone: () => Promise<boolean>) => {
      isCut = true
      return loseAnswer({ database: gate.database, edge, account: account.account }, send, isDone)
    },
    heard: () =>
      gate.sandbox
        .messages(1_000)
        .filter(({ to, subject }) => to === email && subject === 'Message from Ada'),
  }
}
type Scene = Awaited<ReturnType<typeof scene>>

const noLimits = { actions_per_day: '', amounts_per_day: '', networks: '', members: '', expires: '' }
const lostConnection = 'The database connection was lost.'
const claims = /[Nn]othing was (changed|done|decided|recorded)/
const isConfirmed = (one: Scene) => async () => (await one.rows(`decision = 'confirm'`)).length > 0
const isProposed = (one: Scene) => async () => (await one.rows()).length > 0

async function expectExecutedOnce(one: Scene, id: number): Promise<void> {
  await until('the row is executed', async () => (await one.near.get(id)).body.status === 'executed')
  expect(one.heard()).toHaveLength(1)
  const kinds = await entryKindsOf(gate.database, one.account, id)
  expect(kinds.filter((kind) => kind === 'confirmed' || kind === 'executed')).toEqual([
    'confirmed',
    'executed',
  ])
}

describe('an answer that is lost after the commit', () => {
  test('of a confirm: its outcome is unknown, it is executed once, and the repeat under its key gets the row', async () => {
    const one = await scene()
    const { id } = (await one.client.propose(one.actor, 'Lunch is at noon.')).body
    const confirm = () => one.client.confirm(id, one.actor, { key: 'k-1' })
    const { status, headers, body } = await one.lost(confirm, isConfirmed(one))
    expect([status, headers.get('retry-after'), body]).toEqual([
      503,
      '1',
      errorBody(
        'outcome_unknown',
        `${lostConnection} The outcome of this confirm is unknown. Read action ${id}, or repeat the request with the same Idempotency-Key.`,
      ),
    ])
    await edge.accept()
    isCut = false
    const repeated = await confirm()
    expect([repeated.status, repeated.body.id]).toEqual([200, id])
    await expectExecutedOnce(one, id)
  })

  test('of a confirm without a key: says which row to read', async () => {
    const one = await scene()
    const { id } = (await one.client.propose(one.actor, 'Lunch is at noon.')).body
    const { status, body } = await one.lost(() => one.client.confirm(id, one.actor), isConfirmed(one))
    expect([status, body.error]).toEqual([
      503,
      `${lostConnection} The outcome of this confirm is unknown. Read action ${id} before you repeat the request.`,
    ])
    await expectExecutedOnce(one, id)
  })

  test('of a proposal: its outcome is unknown, and the repeat under its key gets the one row', async () => {
    const one = await scene()
    const propose = () => one.client.propose(one.actor, 'Lunch is at noon.', 'k-1')
    const { status, body } = await one.lost(propose, isProposed(one))
    expect([status, body.error]).toEqual([
      503,
      `${lostConnection} The outcome of this proposal is unknown. Repeat the request with the same Idempotency-Key, or look for the proposal with GET /api/v1/actions before you propose again.`,
    ])
    await edge.accept()
    isCut = false
    const repeated = await propose()
    expect([repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(await one.rows()).toEqual([{ id: String(repeated.body.id), status: 'proposed' }])
  })

  test('of a cancellation, and over MCP of a confirm, alike', async () => {
    const one = await scene()
    const { id } = (await one.client.propose(one.actor, 'Lunch is at noon.')).body
    const cancelled = await one.lost(
      () => one.client.cancel(id, one.actor),
      async () => (await one.rows(`status = 'cancelled'`)).length > 0,
    )
    expect(cancelled.body.error).toBe(
      `${lostConnection} The outcome of this cancellation is unknown. Read action ${id} before you repeat the request.`,
    )
    await edge.accept()
    isCut = false
    const other = (await one.client.propose(one.actor, 'Lunch is at one.')).body.id
    const called = await one.lost(
      () => callTool(one.client, 'confirm_action', { id: other, actor: one.actor, idempotency_key: 'k' }),
      isConfirmed(one),
    )
    expect([called.isError, called.body.error]).toEqual([
      true,
      `${lostConnection} The outcome of this confirm is unknown. Read action ${other}, or repeat the request with the same idempotency_key.`,
    ])
  })

  test('of a decision on the page of a link: the page claims nothing, and the link tells what stands', async () => {
    const one = await scene('page')
    const { id } = (await one.near.propose(one.actor, 'Lunch is at noon.')).body
    await one.near.confirm(id, one.actor)
    const { link } = await askedByMail(gate, one.email)
    const farLink = new URL(new URL(link).pathname, far.api.url).href
    const page = await one.lost(() => decideBy(farLink), isConfirmed(one))
    expect([page.status, page.text]).toEqual([503, expect.stringContaining('Outcome unknown')])
    expect(page.text).toContain('The outcome of your decision is unknown. Open the request again')
    expect(page.text).not.toMatch(claims)
    await expectExecutedOnce(one, id)
  })
})

describe('the answer of a new key that is lost after the commit', () => {
  const keys = (account: string) =>
    gate.database.asSuperuser(
      `select key_id, revoked_at from gate.api_key where account_id = '${account}' order by created_at`,
    )
  /** Whether there is another key than the first, which the account has from the beginning. */
  const isThere = (account: string) => async () => (await keys(account)).length > 1
  const made = async (account: string) => String((await keys(account)).at(-1)!['key_id'])
  const cli = () => gateOn({ DATABASE_URL: far.deps.config.DATABASE_URL! })

  test('by the command line: it names the key, and says to look for it and to revoke it', async () => {
    const { account, lost } = await scene()
    const mint = () => cli()('key', 'mint', '--account', account, '--name', 'agent', '--json')
    const { code, stdout, stderr } = await lost(mint, isThere(account))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      `${lostConnection} The outcome of key ${await made(account)} is unknown. List the keys of the account: if this key is there, revoke it. Then mint another key.\n`,
    )
  })

  test('of a rotation: it says which key to rotate', async () => {
    const { account, keyId, lost } = await scene()
    const rotate = () => cli()('key', 'rotate', '--account', account, '--key', keyId, '--json')
    const { code, stderr } = await lost(rotate, isThere(account))
    expect([code, stderr]).toEqual([
      1,
      `${lostConnection} The outcome of key ${await made(account)} is unknown. List the keys of the account: if this key is there, rotate it, otherwise rotate ${keyId} again.\n`,
    ])
  })

  test('in the console: the page claims nothing and says the same', async () => {
    const { account, lost } = await scene()
    const admin = await signedInAdmin({ ...gate, api: far.api }, account)
    const mint = () => admin.send('/console/keys/new', { name: 'agent', power_read: 'on', ...noLimits })
    const page = await lost(mint, isThere(account))
    expect(page.status).toBe(503)
    expect(page.text).toContain(`The outcome of key ${await made(account)} is unknown. List the keys`)
    expect(page.text).not.toMatch(claims)
  })

  test('a revocation by the command line that was done and cannot be read back claims nothing', async () => {
    const { account, keyId } = await scene()
    const holder = postgres(gate.database.superuserUrl, { max: 1, onnotice: () => {} })
    try {
      // The use of the keys today is read there, after the revocation.
      await holder.unsafe('begin; lock table gate.action in access exclusive mode')
      const answer = cli()('key', 'revoke', '--account', account, '--key', keyId, '--json')
      const isRevoked = async () => (await keys(account))[0]!['revoked_at'] !== null
      await until('the key is revoked', isRevoked)
      isCut = true
      await edge.refuse()
      const { code, stderr } = await answer
      expect([code, stderr]).toEqual([1, expect.stringContaining('is unknown.')])
      expect(stderr).not.toMatch(claims)
    } finally {
      await holder.unsafe('rollback')
      await holder.end({ timeout: 2 })
    }
  })
})

describe('a database that is gone', () => {
  const away = async () => {
    isCut = true
    await edge.refuse()
  }
  const unreachable = errorBody(
    'unavailable',
    'The database cannot be reached. Nothing was changed; try again shortly.',
  )

  test('before anything was sent: nothing was changed, of reads and writes', async () => {
    const one = await scene()
    const { id } = (await one.client.propose(one.actor, 'Lunch is at noon.')).body
    await away()
    const answers = await Promise.all([
      one.client.get(id),
      one.client.confirm(id, one.actor),
      one.client.propose(one.actor, 'Lunch is at one.'),
    ])
    expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [503, unreachable]))
  })

  test('while a read is answered: nothing was changed', async () => {
    const one = await scene()
    const { id } = (await one.client.propose(one.actor, 'Lunch is at noon.')).body
    edge.holdAnswers()
    const answer = one.client.get(id)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await away()
    expect([(await answer).status, (await answer).body]).toEqual([503, unreachable])
  })

  test('after a confirm was made, while its end is waited for: the outcome is unknown', async () => {
    const one = await scene()
    await gate.stopWorkers()
    try {
      const { id } = (await one.client.propose(one.actor, 'Lunch is at noon.')).body
      const answer = one.client.confirm(id, one.actor, { key: 'k-1' })
      await until('the confirm is claimed', isConfirmed(one))
      await away()
      const { status, body } = await answer
      expect([status, body.error]).toEqual([
        503,
        expect.stringContaining('The outcome of this confirm is unknown.'),
      ])
      expect(body.error).not.toMatch(claims)
    } finally {
      await gate.startWorkers()
    }
  })
})
