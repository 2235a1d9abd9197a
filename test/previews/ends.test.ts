import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { existsSync, mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reconcileActivities } from '../../activities/reconcile.ts'
import { listLostPreviews } from '../../src/db/queries/previews/preview-hosts.ts'
import type { Db } from '../../src/db/connect.ts'
import { placePreview } from '../../src/db/queries/previews/previews.ts'
import { limits } from '../../src/limits.ts'
import { startPreviewHost } from '../../src/previews/host.ts'
import { staticDriver } from '../../src/previews/static-driver.ts'
import { hostFolder } from '../../src/previews/host-folder.ts'
import { previewWorkflowId } from '../../src/temporal/names.ts'
import { type GateOptions, type TestGate, startGate } from '../support/gate.ts'
import { openedBy, type PreviewScene, previewScene } from '../support/preview.ts'
import { shorten } from '../support/shorten.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { temporalOf } from '../support/temporal-client.ts'
import { until } from '../support/until.ts'
import type { Client } from '@temporalio/client'
import { begun } from './begun.ts'

let gate: TestGate
let scene: PreviewScene
/** The clock of hosts is so far ahead. */
let aheadMs = 0
let restore = () => {}
beforeEach(() => {
  aheadMs = 0
  restore = shorten({ previewBeatMs: 100 })
})
afterEach(async () => {
  restore()
  await gate?.stop()
}, 60_000)

async function begin(env: Record<string, string> = {}, options: GateOptions = {}): Promise<void> {
  gate = await startGate({ ...options, env, now: () => new Date(Date.now() + aheadMs) })
  scene = await previewScene(gate)
}

const as = (status: string, id: string) =>
  until(`the preview is ${status}`, async () => {
    const found = await scene.status(id)
    return found.status === status && found
  })
const hosts = () => gate.database.asSuperuser('select host_id, beat_at from gate_private.preview_host')
const openPreviews = () => gate.database.asSuperuser('select * from gate_private.open_preview')
const folders = () => {
  const root = join(gate.config.DATA_DIR, 'previews')
  return existsSync(root) ? readdirSync(root) : []
}
const beginWithoutWorkflow = () => begun(gate, scene)
/** Waits until the host has looked at its previews. */
async function looked(): Promise<void> {
  // The first heartbeat may have begun before.
  for (let beat = 0; beat < 2; beat++) {
    const [before] = await hosts()
    await until('the host beats', async () => (await hosts())[0]!['beat_at']! > before!['beat_at']!)
  }
}
/** Makes every preview begin and end so much earlier. */
const age = (minutes: number) =>
  gate.database.asSuperuser(`
    update gate.preview set started_at = started_at - interval '${minutes} minutes', expires_at = expires_at - interval '${minutes} minutes';
    update gate_private.open_preview set expires_at = expires_at - interval '${minutes} minutes'`)
/** Makes the hosts silent for so long. */
const silence = (ms: number) =>
  gate.database.asSuperuser(
    `update gate_private.preview_host set beat_at = clock_timestamp() - interval '${ms} milliseconds'`,
  )

describe('a preview ends by itself', () => {
  test('after a time without a viewer: each request of a viewer restarts that time', async () => {
    // Its workflow may begin to watch it only after the clock has moved.
    shorten({ previewUnwatchedMs: 10 * limits.previewIdleMs })
    await begin()
    const { preview_id, url } = await scene.start()
    const viewer = await openedBy(url)
    for (let view = 0; view < 4; view++) {
      aheadMs += limits.previewIdleMs / 2
      expect((await viewer.see('/')).status).toBe(200)
      await looked()
    }
    expect(await scene.status(preview_id)).toMatchObject({ status: 'running' })
    aheadMs += limits.previewIdleMs
    expect(await as('expired', preview_id)).toMatchObject({ error: 'idle' })
    expect((await viewer.see('/')).status).toBe(410)
    expect(await openPreviews()).toEqual([])
  }, 60_000)

  test('when its time is over, unless it was asked for again', async () => {
    await begin({ PREVIEW_HARD_MS: '3600000' })
    const { preview_id } = await scene.start()
    await age(40)
    expect((await scene.start()).preview_id).toBe(preview_id)
    // Its first hour is over, and the one that began when it was asked for again is not.
    await age(40)
    await looked()
    expect(await scene.status(preview_id)).toMatchObject({ status: 'running' })
    await age(40)
    expect(await as('expired', preview_id)).toMatchObject({ error: 'time_over' })
  }, 60_000)

  test('when its host ends in order, which leaves nothing behind', async () => {
    await begin()
    const { preview_id } = await scene.start()
    expect(folders()).toHaveLength(1)
    await gate.stopWorkers()
    expect(await scene.status(preview_id)).toMatchObject({ status: 'failed', error: 'host_stopped' })
    expect([folders(), await hosts(), await openPreviews()]).toEqual([[], [], []])
    await gate.startWorkers()
    const next = await scene.start()
    expect(next).toMatchObject({ status: 'running' })
    expect(next.preview_id).not.toBe(preview_id)
  }, 60_000)

  test('when its workflow is ended by hand: a cancelled one at once', async () => {
    await begin()
    const { preview_id, url } = await scene.start()
    const viewer = await openedBy(url)
    const workflowId = previewWorkflowId({ account: scene.account.account, previewId: preview_id })
    await onTemporal(async ({ workflow }) => {
      // A signal that is sent by hand wakes, and ends nothing.
      for (const signal of ['stop', 'extend']) await workflow.getHandle(workflowId).signal(signal)
      expect(await scene.status(preview_id)).toMatchObject({ status: 'running' })
      await workflow.getHandle(workflowId).cancel()
    })
    expect(await as('stopped', preview_id)).not.toHaveProperty('error')
    expect((await viewer.see('/')).status).toBe(410)
  }, 60_000)
})

describe('a host', () => {
  test('shows a preview as soon as others can read that it runs, however late it hears of that itself', async () => {
    await begin({}, { workers: false })
    const { db } = gate.deps
    let hear: () => void = () => undefined
    const heard = new Promise<void>((resolve) => (hear = resolve))
    const run: Db['run'] = async (statement) => {
      const rows = await db.run(statement)
      if (JSON.stringify(rows) === '[{"state":"running"}]') await heard
      return rows as never
    }
    const slow: Db = { ...db, run }
    const host = await startPreviewHost({ ...gate.deps, db: slow }, { drivers: [staticDriver] })
    const previewId = await beginWithoutWorkflow()
    const { account } = scene.account
    await placePreview(db, { account, previewId, hostMax: 1, hostDeadMs: limits.previewHostDeadMs })
    const booted = host.boot(account, previewId)
    const viewer = await openedBy((await as('running', previewId)).url)
    expect((await viewer.see('/')).status).toBe(200)
    hear()
    expect(await booted).toBe('running')
    await host.stop()
  }, 60_000)

  test('that cannot reach its database ends its previews before others take it for dead', async () => {
    restore()
    const { previewHeartbeatLostMs, previewBeatMs, previewBeatWaitMs, previewHostDeadMs } = limits
    expect(previewHeartbeatLostMs + previewBeatMs + previewBeatWaitMs).toBeLessThan(previewHostDeadMs)
    // No workflow watches here.
    restore = shorten({ previewBeatMs: 100, previewUnwatchedMs: 600_000 })
    await begin({}, { workers: false })
    const { db } = gate.deps
    let isDown = false
    const hung: ((lost: Error) => void)[] = []
    const flaky: Db = {
      ...db,
      run: (statement) => (isDown ? new Promise((_, reject) => void hung.push(reject)) : db.run(statement)),
    }
    const host = await startPreviewHost({ ...gate.deps, db: flaky }, { drivers: [staticDriver] })
    const previewId = await beginWithoutWorkflow()
    const placed = await placePreview(db, {
      account: scene.account.account,
      previewId,
      hostMax: 1,
      hostDeadMs: limits.previewHostDeadMs,
    })
    expect(placed).toEqual({ outcome: 'placed', host: host.hostId })
    expect(await host.boot(scene.account.account, previewId)).toBe('running')
    const viewer = await openedBy((await scene.status(previewId)).url)
    expect((await viewer.see('/')).status).toBe(200)
    isDown = true
    const giveBack = shorten({ previewBeatWaitMs: 50 })
    await until('two heartbeats have failed', async () => hung.length >= 2)
    expect((await viewer.see('/')).status).toBe(200)
    aheadMs += previewHeartbeatLostMs
    // A look that is under way when the preview ends is cut.
    const isGone = () =>
      viewer.see('/').then(
        ({ status }) => status === 410,
        () => false,
      )
    await until('it is not shown any more', isGone)
    giveBack()
    isDown = false
    // The driver does this too: its calls have a bound.
    for (const reject of hung.splice(0)) reject(new Error('the connection was lost'))
    await host.stop()
    expect(await scene.status(previewId)).toMatchObject({ status: 'failed', error: 'host_lost' })
  }, 90_000)

  test('ends what no workflow watches any more, as after one was terminated by hand', async () => {
    await begin({ PREVIEW_IDLE_MS: '28800000' })
    const { preview_id, url } = await scene.start()
    const viewer = await openedBy(url)
    const workflowId = previewWorkflowId({ account: scene.account.account, previewId: preview_id })
    await onTemporal((client) => client.workflow.getHandle(workflowId).terminate())
    aheadMs += limits.previewUnwatchedMs / 2
    await looked()
    expect((await viewer.see('/')).status).toBe(200)
    // Temporal tells the host in its own time that nothing watches.
    const failed = await until('the preview has failed', async () => {
      aheadMs += limits.previewUnwatchedMs / 2
      const found = await scene.status(preview_id)
      return found.status === 'failed' && found
    })
    expect(failed).toMatchObject({ error: 'host_lost' })
    expect((await viewer.see('/')).status).toBe(410)
  }, 120_000)
})

describe('where there is no host', () => {
  test('since no worker serves previews, a start fails and says so', async () => {
    await begin({ TOOLS: 'gate,workspace' }, { workers: true })
    const withTools = await startGateBeside({})
    const failed = await withTools.start()
    expect(failed).toMatchObject({ status: 'failed', error: 'no_host' })
  }, 60_000)

  test('with room for one more, a start fails and says so', async () => {
    await begin({ PREVIEWS_PER_HOST: '1' })
    const first = await scene.start()
    const other = await previewScene(gate)
    expect(await other.start()).toMatchObject({ status: 'failed', error: 'no_host' })
    await scene.stop(first.preview_id)
    expect(await other.start()).toMatchObject({ status: 'running' })
  }, 60_000)

  test('any more, as its silence tells, a preview has failed: status and stop say so by themselves', async () => {
    await begin()
    const { preview_id } = await scene.start()
    await gate.stopWorkers()
    // A killed host leaves the row like this.
    await gate.database.asSuperuser(`
      insert into gate_private.preview_host (host_id, gateway_url, modes, unavailable)
        select host_id, gateway_url, '{static}', '{}' from gate.preview where preview_id = '${preview_id}';
      update gate.preview set state = 'running', ended_at = null, error = null, link_secret = '\\x00' where preview_id = '${preview_id}'`)
    expect(await scene.status(preview_id)).toMatchObject({ status: 'running' })
    await silence(limits.previewHostDeadMs + 1_000)
    const [lost, stopped] = [await scene.status(preview_id), await scene.stop(preview_id)]
    expect(lost).toMatchObject({ status: 'failed', error: 'host_lost' })
    expect(stopped).toEqual(lost)
  }, 60_000)
})

describe('without Temporal', () => {
  test('a start is refused for now and leaves no row; status and stop of what runs go on', async () => {
    const edge = await startTcpProxy(process.env['TEST_TEMPORAL_ADDRESS']!)
    await begin()
    const api = await startGateBeside({ TEMPORAL_ADDRESS: edge.address })
    const { preview_id, url } = await api.start()
    const viewer = await openedBy(url)
    edge.hold()
    const other = await previewScene(gate)
    const beside = await startGateBeside({ TEMPORAL_ADDRESS: edge.address }, other)
    expect((await beside.start()).refused).toMatch(/cannot be started right now. Nothing was started/)
    expect((await other.client.list({ kind: 'preview' })).body.actions).toEqual([])
    expect(await api.status(preview_id)).toMatchObject({ status: 'running', url: expect.any(String) })
    // Its host reads of the stop by itself.
    expect(['stopping', 'stopped']).toContain((await api.stop(preview_id)).status)
    await as('stopped', preview_id)
    expect((await viewer.see('/')).status).toBe(410)
    edge.release()
    await edge.stop()
  }, 90_000)
})

describe('the reconciler', () => {
  const reconcile = () => reconcileActivities(gate.deps).reconcile()

  test('starts the workflow of a start whose process died in between', async () => {
    await begin()
    const previewId = await beginWithoutWorkflow()
    expect(await scene.status(previewId)).toMatchObject({ status: 'starting' })
    expect(await reconcile()).toMatchObject({ previews: 1 })
    await as('running', previewId)
    expect(await reconcile()).toMatchObject({ previews: 0 })
  }, 60_000)

  test('so does asking for the preview again', async () => {
    await begin()
    const previewId = await beginWithoutWorkflow()
    expect(await scene.start()).toMatchObject({ preview_id: previewId, status: 'running' })
  }, 60_000)

  test('ends what is left of a host that is gone, and what is past its time, and forgets long dead hosts', async () => {
    await begin({}, { workers: false })
    const previewId = await beginWithoutWorkflow()
    const strays = () =>
      listLostPreviews(gate.deps.db, {
        limitRows: 10,
        hostDeadMs: limits.previewHostDeadMs,
        lateMs: limits.previewLateMs,
      })
    expect((await strays()).map(({ stray }) => stray)).toEqual(['start'])
    await gate.database.asSuperuser(
      `insert into gate_private.preview_host values ('host_0000000000000000', 'http://localhost:1', '{static}', '{}', now(), now() - interval '2 hours');
       update gate_private.open_preview set host_id = 'host_0000000000000000';
       update gate.preview set host_id = 'host_0000000000000000'`,
    )
    expect((await strays()).map(({ stray }) => stray)).toEqual(['lost'])
    expect(await hosts()).toEqual([])
    await reconcile()
    expect(await scene.status(previewId)).toMatchObject({ status: 'failed', error: 'host_lost' })

    const late = await beginWithoutWorkflow()
    await gate.database.asSuperuser(
      `update gate_private.open_preview set expires_at = now() - interval '5 minutes'`,
    )
    await reconcile()
    expect(await scene.status(late)).toMatchObject({ status: 'expired', error: 'time_over' })
    expect(await openPreviews()).toEqual([])
  }, 60_000)
})

describe('a host that starts', () => {
  test('removes the folders of dead ones, and no other: not of one that runs, beats elsewhere, or is just starting', async () => {
    gate = await startGate({ workers: false })
    const root = join(gate.config.DATA_DIR, 'previews')
    const ours = await hostFolder(gate.config.DATA_DIR, `host_${'o'.repeat(16)}`)
    const owner = JSON.parse(readFileSync(join(root, `host_${'o'.repeat(16)}`, 'host.json'), 'utf8'))
    await ours.removeAll()
    const dead = { ...owner, process: { pid: 999_999_999, started: '1' } }
    const elsewhere = { ...dead, space: 'another container' }
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((one) => `host_${one.repeat(16)}`)
    const [gone, goneButBeating, running, beating, silent, starting, unclaimed] = ids as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ]
    for (const [host, who] of [
      [gone, dead],
      [goneButBeating, dead],
      [running, owner],
      [beating, elsewhere],
      [silent, elsewhere],
      [starting, undefined],
      [unclaimed, undefined],
      ['not-a-host', undefined],
    ] as const) {
      mkdirSync(join(root, host, 'prev_x'), { recursive: true })
      if (who) writeFileSync(join(root, host, 'host.json'), JSON.stringify(who))
    }
    const longAgo = new Date(Date.now() - 2 * limits.previewFolderUnclaimedMs)
    utimesSync(join(root, unclaimed), longAgo, longAgo)
    for (const host of [goneButBeating, beating])
      await gate.database.asSuperuser(
        `insert into gate_private.preview_host (host_id, gateway_url, modes, unavailable) values ('${host}', 'http://localhost:1', '{}', '{}')`,
      )
    await gate.startWorkers()
    const known = (await hosts()).map((row) => row['host_id'] as string)
    expect(known).not.toContain(goneButBeating)
    const [own] = known.filter((host) => host !== beating)
    expect(folders().sort()).toEqual([running, beating, starting, 'not-a-host', own!].sort())
  }, 60_000)

  test('behind a proxy gives out links of its address, over https with a cookie of that host alone', async () => {
    await begin({ PREVIEW_URL: 'https://preview.example' })
    const { url } = await scene.start()
    expect(url).toMatch(/^https:\/\/[0-9a-z]{20}\.preview\.example\/\?pt=/)
  }, 60_000)
})

/** Temporal itself, as an operator has it. */
async function onTemporal(act: (client: Client) => Promise<unknown>): Promise<void> {
  const temporal = await temporalOf(gate)
  try {
    await act(temporal)
  } finally {
    await temporal.connection.close()
  }
}

/** An API with other settings on the same database, as a client of one account speaks to it. */
async function startGateBeside(env: Record<string, string>, of: PreviewScene = scene): Promise<PreviewScene> {
  const { makeDeps } = await import('../../src/deps.ts')
  const { startApi } = await import('../../src/api.ts')
  const { readConfig } = await import('../../src/config.ts')
  const { apiClient } = await import('../support/api-client.ts')
  const { callTool } = await import('../support/mcp-tool.ts')
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: gate.database.serviceUrl,
    TEMPORAL_ADDRESS: gate.config.TEMPORAL_ADDRESS,
    TEMPORAL_NAMESPACE: gate.config.TEMPORAL_NAMESPACE,
    WORKSPACE_ROOT: gate.config.WORKSPACE_ROOT,
    ...env,
  })
  const deps = makeDeps(config, { sandboxUrl: gate.sandbox.url })
  const api = await startApi(deps)
  const { stop } = gate
  gate = {
    ...gate,
    async stop() {
      await api.stop()
      await deps.close()
      await stop()
    },
  }
  const client = apiClient(api.url, of.account.key)
  const call = async (name: string, args: object) => {
    const { isError, body } = await callTool(client, name, args)
    return isError ? { refused: body.error as string } : body
  }
  return {
    ...of,
    client,
    start: (by = of.actor) => call('start_preview', { conversation_id: of.conversationId, actor: by }),
    status: (preview_id, by = of.actor) => call('preview_status', { preview_id, actor: by }),
    stop: (preview_id, by = of.actor) => call('stop_preview', { preview_id, actor: by }),
  }
}
