import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { limits } from '../../src/limits.ts'
import { listServed } from '../../src/upstreams/list-served.ts'
import { startRefreshing } from '../../src/operations/upstreams/refresh-loop.ts'
import { refreshTools } from '../../src/operations/upstreams/refresh-tools.ts'
import { shorten } from '../support/shorten.ts'
import { echoTool, startUpstream } from '../support/upstream.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'
import { addUpstream, readUpstream } from '../../src/operations/upstreams/servers.ts'
import { approveReview, readReview } from '../../src/operations/upstreams/review.ts'

let gate: TestGate
let restore: () => void
beforeAll(async () => {
  restore = shorten({ upstreamPollMs: 100, upstreamHastenMs: 0, upstreamRefreshMs: 200 })
  gate = await startGate()
})
afterAll(async () => {
  restore()
  await gate.stop()
})

const settings = { allow: ['127.0.0.1'], keys: () => gate.deps.secretsKeys! }

test('the worker reads the tools of a server that was added, and finds what changes after the review', async () => {
  const upstream = await startUpstream()
  try {
    const { account } = await gate.account()
    const context = { db: gate.database.db, account, session: null }
    await addUpstream(context, settings, { name: 'up', url: upstream.url, headers: [] })
    const state = async () => (await listServed(gate.deps, account)).map((tool) => tool.state)
    await until('it was read', async () => (await state())[0] === 'unreviewed')
    const { digest } = await readReview(context, 'up')
    await approveReview(context, 'up', { only: undefined, digest })
    expect(await state()).toEqual(['reviewed'])
    upstream.tools = [echoTool('echo', { description: 'Another.' })]
    await until('it is in quarantine', async () => (await state())[0] === 'quarantined')
  } finally {
    await upstream.close()
  }
})

test('a server that does not answer delays no other one', async () => {
  const [mute, upstream] = [await startUpstream(), await startUpstream()]
  let asked = false
  mute.instead = () => (asked = true)
  // Until the other one has been read, however busy the machine is.
  const giveBack = shorten({ upstreamConnectMs: 120_000, upstreamListMs: 120_000 })
  try {
    const { account } = await gate.account()
    const context = { db: gate.database.db, account, session: null }
    await addUpstream(context, settings, { name: 'mute', url: mute.url, headers: [] })
    await until('it is asked', async () => asked)
    await addUpstream(context, settings, { name: 'up', url: upstream.url, headers: [] })
    await until('the other one was read', async () => (await readUpstream(context, 'up')).checked_at)
    expect((await readUpstream(context, 'mute')).failing_since).toBeNull()
  } finally {
    giveBack()
    await mute.close()
    await upstream.close()
  }
})

test('servers of one account that do not answer take no more than its turns: those of others are read', async () => {
  const [mute, upstream] = [await startUpstream(), await startUpstream()]
  mute.instead = () => true
  try {
    const [slow, other] = [await gate.account(), await gate.account()].map(({ account }) => ({
      db: gate.database.db,
      account,
      session: null,
    }))
    for (let n = 0; n < limits.upstreamsAtOnce; n++)
      await addUpstream(slow!, settings, { name: `mute-${n}`, url: `${mute.url}/${n}`, headers: [] })
    const atOnce = limits.upstreamsOfAccountAtOnce
    await until('the account has its turns', async () => mute.requests.length >= atOnce)
    await addUpstream(other!, settings, { name: 'up', url: upstream.url, headers: [] })
    await until('the other one was read', async () => (await readUpstream(other!, 'up')).checked_at)
    expect(mute.requests).toHaveLength(atOnce)
  } finally {
    await mute.close()
    await upstream.close()
  }
})

test('a server that cannot be read is asked less often, until it can be read again', async () => {
  const upstream = await startUpstream()
  try {
    const { account } = await gate.account()
    const context = { db: gate.database.db, account, session: null }
    await addUpstream(context, settings, { name: 'up', url: upstream.url, headers: [] })
    await until('it was read', async () => (await readUpstream(context, 'up')).checked_at)
    const dueMs = async () => {
      const [row] = await gate.database.asSuperuser(
        `select extract(epoch from due_at - clock_timestamp()) * 1000 as ms from gate_private.upstream_due where account_id = '${account}'`,
      )
      return Number(row!['ms'])
    }
    upstream.instead = (_, response) => {
      response.writeHead(500).end()
      return true
    }
    await until('it fails', async () => (await readUpstream(context, 'up')).failing_since)
    await gate.database.asSuperuser(
      `update gate.upstream set failing_since = clock_timestamp() - interval '10 minutes' where account_id = '${account}'`,
    )
    await until('it is put off', async () => (await dueMs()) > 200_000)
    expect(await dueMs()).toBeLessThan(310_000)
    upstream.instead = undefined
    await refreshTools(context, gate.deps.upstreams, 'up')
    expect(await dueMs()).toBeLessThan(1_000)
  } finally {
    await upstream.close()
  }
})

test('a worker that ends does not wait for a server that does not answer', async () => {
  const upstream = await startUpstream()
  let asked = false
  upstream.instead = () => (asked = true)
  // It has the only place, and a worker that waits for it does not end before this test is given up.
  const giveBack = shorten({ upstreamsAtOnce: 1, upstreamConnectMs: 600_000, upstreamListMs: 600_000 })
  try {
    const { account } = await gate.account()
    const context = { db: gate.database.db, account, session: null }
    await addUpstream(context, settings, { name: 'mute', url: upstream.url, headers: [] })
    await until('it is asked', async () => asked)
    await gate.stopWorkers()
    expect((await readUpstream(context, 'mute')).checked_at).toBeNull()
  } finally {
    giveBack()
    await upstream.close()
  }
})

test('only one of several processes reads a server that is due', async () => {
  const upstream = await startUpstream()
  try {
    const { account } = await gate.account()
    const context = { db: gate.database.db, account, session: null }
    restore()
    await addUpstream(context, settings, { name: 'once', url: upstream.url, headers: [] })
    await gate.database.asSuperuser(
      `update gate_private.upstream_due set due_at = case account_id when '${account}' then clock_timestamp() else 'infinity' end`,
    )
    const processes = [1, 2, 3].map(() => startRefreshing(gate.deps))
    await until('it was read', async () => (await readUpstream(context, 'once')).checked_at)
    await Promise.all(processes.map((one) => one.stop()))
    expect(upstream.requests.filter(({ body }) => body?.method === 'tools/list')).toHaveLength(1)
  } finally {
    await upstream.close()
  }
})
