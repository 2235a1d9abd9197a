import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { removeParticipant } from '../../src/db/queries/previews/conversations.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { limits } from '../../src/limits.ts'
import { listPreviews } from '../../src/operations/previews/list-previews.ts'
import { entriesOf, entryKindsOf } from '../support/ledger-entries.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { type PreviewScene, openedBy, previewScene, sitePage, viewerOf } from '../support/preview.ts'
import { type DirectedDrivers, directedDrivers } from '../support/preview-drivers.ts'
import { makeConversation, writeFiles } from '../support/site.ts'
import { until } from '../support/until.ts'

let gate: TestGate
let ways: DirectedDrivers
let scene: PreviewScene
beforeAll(async () => {
  ways = directedDrivers()
  gate = await startGate({ previewWays: ways, env: { PREVIEWS_PER_HOST: '50', PREVIEW_BOOT_MS: '5000' } })
}, 60_000)
beforeEach(async () => {
  ways.next = 'leave'
  ways.mayEnd = Promise.resolve()
  scene = await previewScene(gate)
})
afterAll(() => gate.stop())

const rows = async () => (await scene.client.list({ kind: 'preview' })).body.actions
const ended = (id: string) =>
  until('the preview has ended', async () => {
    const found = await scene.status(id)
    return ['stopped', 'failed', 'expired'].includes(found.status) && found
  })
const hostFolders = () => {
  const root = join(gate.config.DATA_DIR, 'previews')
  return readdirSync(root).flatMap((host) =>
    readdirSync(join(root, host)).filter((name) => name.startsWith('prev_')),
  )
}

describe('starting', () => {
  test('answers a link that shows the page; status gives fresh ones, and stop ends them all at once', async () => {
    const started = await scene.start()
    expect(started).toEqual({
      preview_id: expect.stringMatching(/^prev_[0-9a-z]{20}$/),
      conversation_id: 'site',
      status: 'running',
      mode: 'static',
      url: expect.stringMatching(/^http:\/\/[0-9a-z]{20}\.localhost:\d+\/\?pt=/),
      started_at: expect.any(String),
      expires_at: expect.any(String),
    })
    const lasts = Date.parse(started.expires_at) - Date.parse(started.started_at)
    expect(lasts).toBe(limits.previewHardMs)
    const viewer = await openedBy(started.url)
    expect((await viewer.see('/')).text).toContain('<h1>Built</h1>')
    const told = await scene.status(started.preview_id)
    expect(told).toMatchObject({ status: 'running' })
    const again = await openedBy(told.url)

    const stopped = await scene.stop(started.preview_id)
    expect(stopped).toMatchObject({ status: 'stopped' })
    expect(stopped).not.toHaveProperty('url')
    expect(stopped).not.toHaveProperty('error')
    for (const seen of [
      viewer.see('/'),
      again.see('/'),
      viewerOf(started.url).see(new URL(started.url).search),
    ])
      expect([410, 400]).toContain((await seen).status)
    expect(await scene.status(started.preview_id)).toEqual(stopped)
  })

  test('a second time answers the running preview, and its time restarts', async () => {
    const first = await scene.start()
    const second = await scene.start()
    expect(second.preview_id).toBe(first.preview_id)
    expect(Date.parse(second.expires_at)).toBeGreaterThan(Date.parse(first.expires_at))
    expect(await rows()).toHaveLength(1)
    await scene.stop(first.preview_id)
    const third = await scene.start()
    expect(third.preview_id).not.toBe(first.preview_id)
    await scene.stop(third.preview_id)
  })

  test('at once, by many, starts one', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => scene.start()))
    expect(new Set(all.map((one) => one.preview_id)).size).toBe(1)
    expect(await rows()).toHaveLength(1)
    await scene.stop(all[0].preview_id)
  })

  test('is prolonged only up to a total', async () => {
    const { preview_id } = await scene.start()
    await gate.database.asSuperuser(
      `update gate.preview set started_at = started_at - interval '7 hours 30 minutes' where preview_id = '${preview_id}'`,
    )
    const again = await scene.start()
    expect(Date.parse(again.expires_at) - Date.parse(again.started_at)).toBe(limits.previewTotalMs)
    await scene.stop(preview_id)
  })

  test('beyond what an account may run is refused with a sentence, and makes no row', async () => {
    const more = ['one', 'two', 'three']
    for (const id of more) {
      await makeConversation(gate, scene.account.account, id, [scene.ada])
      writeFiles(gate, scene.account.account, id, { 'index.html': id })
    }
    const start = async (conversation_id: string) => {
      const { body } = await scene.client.request('POST', '/api/mcp', {
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'start_preview', arguments: { conversation_id, actor: scene.actor } },
        },
      })
      return body.result
    }
    const [one, two, three] = [await start('one'), await start('two'), await start('three')]
    expect([one.isError, two.isError, three.isError]).toEqual([undefined, undefined, true])
    expect(three.content[0].text).toContain('already runs 2 previews, the maximum. Stop one first.')
    expect(await rows()).toHaveLength(2)
    await scene.stop(one.structuredContent.preview_id)
    const now = await start('three')
    expect(now.structuredContent.status).toBe('running')
    for (const { structuredContent } of [two, now]) await scene.stop(structuredContent.preview_id)
  })

  test('needs guarded_write: a denial is a row and an ordinary answer that says how to qualify', async () => {
    await scene.account.setTier(scene.ada, 'read_only')
    const { action, status, ...rest } = await scene.start()
    expect([status, rest]).toEqual(['denied', {}])
    expect(action).toMatchObject({
      kind: 'preview',
      status: 'denied',
      source: 'mcp',
      requires_confirmation: false,
      payload: { operation: 'start', conversation_id: 'site' },
      denial_reason:
        'Starting this preview requires `guarded_write`; the member has `read_only`. To qualify, ask an administrator.',
    })
    await scene.account.setPolicy({ kinds: { preview: { tier: 'read_only', consent: 'agent_attested' } } })
    const started = await scene.start()
    expect(started.status).toBe('running')
    await scene.stop(started.preview_id)
    expect(await verifyLedger(gate.database.db, scene.account.account)).toMatchObject({ ok: true })
  })

  test('of a suspended account is refused; what runs there ends', async () => {
    const { preview_id, url } = await scene.start()
    const viewer = await openedBy(url)
    await scene.account.suspend(true)
    expect((await scene.start()).refused).toContain('suspended')
    expect(await ended(preview_id)).toMatchObject({ status: 'stopped', error: 'account_suspended' })
    expect((await viewer.see('/')).status).toBe(410)
  })

  test('where there is nothing to show fails with the reason, and leaves nothing', async () => {
    rmSync(join(scene.folder, 'index.html'))
    const failed = await scene.start()
    expect(failed).toMatchObject({ status: 'failed', error: 'nothing_to_show' })
    expect(failed).not.toHaveProperty('url')
    expect(hostFolders()).not.toContain(failed.preview_id)
  })

  test.each(['dist', 'build', 'out', 'public'])('shows what a build put into %s', async (folder) => {
    rmSync(join(scene.folder, 'index.html'))
    scene.write({ [`${folder}/index.html`]: `<h1>${folder}</h1>`, '.gitignore': `${folder}/` })
    const started = await scene.start()
    const viewer = await openedBy(started.url)
    expect((await viewer.see('/')).text).toBe(`<h1>${folder}</h1>`)
    expect((await viewer.see('/site.css')).status).toBe(404)
    await scene.stop(started.preview_id)
  })
})

describe('the rows', () => {
  test('of a start and a stop are executed, name the preview, and verify with how it ended', async () => {
    const { preview_id } = await scene.start()
    await scene.stop(preview_id)
    const [start, stop, ...more] = await rows()
    expect(more).toEqual([])
    const about = { conversation_id: 'site', preview_id }
    for (const [row, operation] of [
      [start, 'start'],
      [stop, 'stop'],
    ])
      expect(row).toMatchObject({
        kind: 'preview',
        status: 'executed',
        source: 'mcp',
        member: 'ada@example.com',
        tier_at_request: 'guarded_write',
        requires_confirmation: false,
        payload: { operation, ...about },
        result: { outcome: 'done', preview_id },
        executed_at: row.created_at,
      })
    const { account } = scene.account
    expect(await entryKindsOf(gate.database, account, start.id)).toEqual(['preview_started', 'preview_ended'])
    expect(await entryKindsOf(gate.database, account, stop.id)).toEqual(['preview_stopped'])
    const [, end] = await entriesOf(gate.database, account, start.id)
    expect(end!.entry).toMatchObject({
      actor: 'system',
      data: { preview: preview_id, state: 'stopped', error: null },
    })
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
  })

  test('are found out when their result, payload or kind is changed', async () => {
    const { preview_id } = await scene.start()
    await scene.stop(preview_id)
    const { account } = scene.account
    for (const change of [
      `result = '{"outcome":"done","preview_id":"prev_other"}'`,
      `payload = '{"operation":"stop","conversation_id":"site","preview_id":"x"}'`,
      `kind = 'broadcast'`,
      `status = 'denied', denial_reason = 'no'`,
    ]) {
      await gate.database.asSuperuser(
        `create table if not exists public.kept as select * from gate.action where false;
         truncate public.kept; insert into public.kept select * from gate.action where account_id = '${account}' and id = 1;
         update gate.action set ${change} where account_id = '${account}' and id = 1`,
      )
      expect([change, await verifyLedger(gate.database.db, account)]).toEqual([
        change,
        expect.objectContaining({ ok: false, place: 'action 1' }),
      ])
      await gate.database.asSuperuser(
        `update gate.action a set result = k.result, payload = k.payload, kind = k.kind, status = k.status,
           denial_reason = k.denial_reason from public.kept k where a.account_id = k.account_id and a.id = k.id`,
      )
    }
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
  })

  test('are not made again by stopping what has ended', async () => {
    const { preview_id } = await scene.start()
    const stopped = await scene.stop(preview_id)
    expect(await scene.stop(preview_id)).toEqual(stopped)
    await Promise.all([scene.stop(preview_id), scene.stop(preview_id)])
    expect(await rows()).toHaveLength(2)
  })
})

describe('access to a preview', () => {
  const absent = /^Preview not found in this member's conversations/

  test('every participant sees and stops a preview; a member who left does not, and it goes on', async () => {
    const bea = await scene.account.addMember({ name: 'Bea', email: 'bea@example.com' })
    const asBea = { email: 'bea@example.com' }
    await makeConversation(gate, scene.account.account, 'both', [scene.ada, bea])
    writeFiles(gate, scene.account.account, 'both', { 'index.html': 'both' })
    const { body } = await scene.client.request('POST', '/api/mcp', {
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'start_preview', arguments: { conversation_id: 'both', actor: scene.actor } },
      },
    })
    const { preview_id } = body.result.structuredContent
    expect(await scene.status(preview_id, asBea)).toMatchObject({
      status: 'running',
      url: expect.any(String),
    })
    await removeParticipant(gate.database.db, {
      ...adminWrite(scene.account.account),
      conversationId: 'both',
      memberId: scene.ada.memberId,
    })
    expect((await scene.status(preview_id)).refused).toMatch(absent)
    expect((await scene.stop(preview_id)).refused).toMatch(absent)
    expect(await scene.stop(preview_id, asBea)).toMatchObject({ status: 'stopped' })
  })

  test('nobody else learns of a preview: another member, another account, or an id that is none get one sentence', async () => {
    await scene.account.addMember({ name: 'Bea', email: 'bea@example.com', tier: 'write' })
    const asBea = { email: 'bea@example.com' }
    const { preview_id } = await scene.start()
    const other = await previewScene(gate)
    const refusals = [
      await scene.status(preview_id, asBea),
      await scene.stop(preview_id, asBea),
      await other.status(preview_id),
      await other.stop(preview_id),
      await scene.status('prev_00000000000000000000'),
      await scene.status('../etc'),
      await scene.stop(''),
    ].map(({ refused }) => refused)
    expect(new Set(refusals).size).toBe(1)
    expect(refusals[0]).toMatch(absent)
    expect((await scene.start(asBea)).refused).toMatch(/^The conversation or file was not found/)
    expect(await rows()).toHaveLength(1)
    expect(await scene.stop(preview_id)).toMatchObject({ status: 'stopped' })
  })

  test('an administrator lists the previews of the account, the newest first and without links', async () => {
    const first = await scene.start()
    await scene.stop(first.preview_id)
    const second = await scene.start()
    const { previews, next_before } = await listPreviews(gate.deps, scene.account.account)
    expect(next_before).toBeUndefined()
    expect(previews.map((one) => [one.preview_id, one.status, one.started_by])).toEqual([
      [second.preview_id, 'running', 'ada@example.com'],
      [first.preview_id, 'stopped', 'ada@example.com'],
    ])
    expect(JSON.stringify(previews)).not.toContain('pt=')
    const [newest] = previews
    const older = await listPreviews(
      gate.deps,
      scene.account.account,
      `${newest!.started_at} ${newest!.preview_id}`,
    )
    expect(older.previews.map((one) => one.preview_id)).toEqual([first.preview_id])
    await scene.stop(second.preview_id)
  })
})

describe('the program of a preview', () => {
  test('is chosen by the first way that finds something for it', async () => {
    ways.next = 'run'
    const started = await scene.start()
    expect(started).toMatchObject({ status: 'running', mode: 'command' })
    expect([...ways.alive]).toEqual([started.preview_id])
    expect(existsSync(ways.folders.at(-1)!)).toBe(true)
    expect(await scene.stop(started.preview_id)).toMatchObject({ status: 'stopped', log_tail: 'listening' })
    expect([...ways.alive]).toEqual([])
    expect(existsSync(ways.folders.at(-1)!)).toBe(false)
  })

  test('and exits by itself has failed, with its exit code and the end of its log', async () => {
    ways.next = 'run'
    const { preview_id, url } = await scene.start()
    const viewer = await openedBy(url)
    ways.exit({ error: 'exited', exitCode: 7 }, 'a NUL \0 and half a character \ud800 at the end')
    expect(await ended(preview_id)).toMatchObject({
      status: 'failed',
      error: 'exited',
      exit_code: 7,
      log_tail: 'a NUL \ufffd and half a character \ufffd at the end',
    })
    expect((await viewer.see('/')).status).toBe(410)
    expect(hostFolders()).not.toContain(preview_id)
  })

  test('and does not come up has failed, with what its driver knows', async () => {
    ways.next = { fail: 'exited', exitCode: 1, logTail: 'Cannot find module' }
    expect(await scene.start()).toMatchObject({
      status: 'failed',
      error: 'exited',
      exit_code: 1,
      log_tail: 'Cannot find module',
    })
  })

  test.each(['no_command', 'dependencies_missing'] as const)(
    'and passes by (%s) is shown as the files it is, where there is an index.html',
    async (fail) => {
      ways.next = { fail, logTail: 'Cannot find module' }
      const started = await scene.start()
      expect(started).toMatchObject({ status: 'running', mode: 'static' })
      expect((await (await openedBy(started.url)).see('/')).text).toBe(sitePage)
      await scene.stop(started.preview_id)
    },
  )

  test.each([
    ['dependencies_missing', 'dependencies_missing', 'Cannot find module'],
    ['no_command', 'nothing_to_show', undefined],
  ] as const)(
    'and passes by (%s) where there is nothing else either has failed: %s',
    async (fail, error, log_tail) => {
      rmSync(join(scene.folder, 'index.html'))
      ways.next = { fail, logTail: 'Cannot find module' }
      const failed = await scene.start()
      expect([failed.status, failed.error, failed.log_tail]).toEqual(['failed', error, log_tail])
    },
  )

  test('and takes longer than it may to boot has failed', async () => {
    ways.next = 'hang'
    const failed = await scene.start()
    expect(failed).toMatchObject({ status: 'failed', error: 'boot_timeout', log_tail: 'still booting' })
    expect(hostFolders()).not.toContain(failed.preview_id)
  })

  test('can be stopped while it boots', async () => {
    ways.next = 'hang'
    let letEnd = () => {}
    ways.mayEnd = new Promise((resolve) => (letEnd = resolve))
    const before = ways.folders.length
    const starting = scene.start()
    // A preview that is stopped before its process boots has nothing to wait for.
    await until('it boots', async () => ways.folders.length > before)
    const [row] = await gate.database.asSuperuser(
      `select preview_id from gate.preview where account_id = '${scene.account.account}' and host_id is not null`,
    )
    const id = row!['preview_id'] as string
    const stopping = scene.stop(id)
    await until('it is being stopped', async () => (await scene.status(id)).status === 'stopping')
    // The start looks now, and waits on.
    await gate.database.asSuperuser(`select pg_notify('gate_ended', '${id}')`)
    letEnd()
    const [started, stopped] = await Promise.all([starting, stopping])
    expect(stopped).toMatchObject({ status: 'stopped' })
    expect(started).toEqual(stopped)
  })
})
