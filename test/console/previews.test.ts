import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { entriesOf, overtake } from '../support/ledger-entries.ts'
import { type Visitor, signedInAdmin, startConsole } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { openedBy, type PreviewScene, previewScene } from '../support/preview.ts'
import { until } from '../support/until.ts'

const path = '/console/previews'

let gate: TestGate
beforeAll(async () => {
  gate = await startConsole({ workers: true })
}, 60_000)
afterAll(() => gate.stop(), 60_000)

/** An account with something to show, and an administrator who takes part in no conversation. */
async function lived(): Promise<PreviewScene & { root: Visitor }> {
  const scene = await previewScene(gate)
  return { ...scene, root: await signedInAdmin(gate, scene.account.account) }
}

const rowsOf = async ({ client }: PreviewScene) =>
  (await client.list({ kind: 'preview' })).body.actions as Record<string, any>[]

describe('the list', () => {
  test('says what to do where there is nothing, and how previews can be run', async () => {
    const { root } = await lived()
    expect((await root.open(path)).text).toMatch(
      /No previews yet\..*1 worker runs previews\. Available modes: static files\./,
    )
  })

  test('shows conversation, state, who, since and until, and why one ended; never a link', async () => {
    const scene = await lived()
    const { preview_id, url } = await scene.start()
    const page = await scene.root.open(path)
    expect(page.text).toMatch(
      /site running ada@example\.com static files \S+ \S+ UTC just now \S+ \S+ UTC in \d+ minutes Stop/,
    )
    expect(page.html).not.toContain(new URL(url).hostname)
    expect((await scene.root.open('/console')).text).toContain('Previews running 1')
    await scene.stop(preview_id)
    await gate.database.asSuperuser(
      `update gate.preview set state = 'expired', error = 'idle' where preview_id = '${preview_id}'`,
    )
    const after = await scene.root.open(path)
    expect(after.text).toMatch(/site expired no viewers for too long ada@example\.com/)
    expect(after.html).not.toContain(`${preview_id}/stop`)
  })

  test('goes on page after page, and shows each once', async () => {
    const { root, account, ada } = await lived()
    await gate.database.asSuperuser(`
      with made as (
        insert into gate.action (account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload,
          created_at, requires_confirmation, result, executed_at)
        select '${account.account}', 1000 + n, gen_random_uuid(), 'preview', 'executed', '${ada.memberId}', 'x', 'write',
          'api', '{}', now(), false, '{}', now()
        from generate_series(1, 150) n returning id)
      insert into gate.preview (account_id, preview_id, conversation_id, action_id, state, started_at, expires_at, ended_at)
      select '${account.account}', 'prev_' || lpad(id::text, 20, '0'), 'site', id, 'stopped', now() - id * interval '1 min',
        now(), now() from made`)
    const first = await root.open(path)
    const next = /href="([^"]+)" rel="next"/.exec(first.html)![1]!.replaceAll('&amp;', '&')
    const second = await root.open(next)
    const ids = (html: string) => [...html.matchAll(/ledger\/(\d+)"/g)].map(([, id]) => Number(id))
    expect([...ids(first.html), ...ids(second.html)]).toEqual(
      Array.from({ length: 150 }, (_, n) => 1_001 + n),
    )
  })

  test.each(['-271821-04-20T00:00:00.000Z prev_00000000000000000000', '2026-01-01T00:00:00.000Z \0', 'x'])(
    'begins at the newest where an address names no place: %j',
    async (before) => {
      const { root } = await lived()
      expect((await root.open(`${path}?${new URLSearchParams({ before })}`)).status).toBe(200)
    },
  )

  test('says that no worker is heard of', async () => {
    const own = await startConsole()
    try {
      const root = await signedInAdmin(own, (await own.account()).account)
      expect((await root.open(path)).text).toContain('No worker is available.')
    } finally {
      await own.stop()
    }
  }, 60_000)

  test('says why nothing that was built can be run', async () => {
    const { root } = await lived()
    await gate.database.asSuperuser(
      `update gate_private.preview_host set unavailable = '{"command":"bubblewrap is not installed."}'`,
    )
    expect((await root.open(path)).text).toContain(
      'Mode command is not available: bubblewrap is not installed.',
    )
  })
})

describe('an administrator who takes part in no conversation', () => {
  test('stops a preview: nobody reaches it any more, and the row says who it was about and who did it', async () => {
    const scene = await lived()
    const { preview_id, url } = await scene.start()
    const viewer = await openedBy(url)
    const stop = `${path}/${preview_id}/stop`
    const asked = await scene.root.open(stop)
    expect(asked.text).toMatch(/Stop preview\?.*Conversation site/)
    expect((await viewer.see('/')).status).toBe(200)
    const answer = await scene.root.send(stop)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, path])
    expect((await viewer.see('/')).status).toBe(410)
    expect(await scene.status(preview_id)).toMatchObject({ status: 'stopped' })
    expect((await scene.root.open(path)).text).toMatch(/Preview stopped\..*site stopped ada@example\.com/)
    const [started, stopped] = await rowsOf(scene)
    expect(stopped).toMatchObject({
      status: 'executed',
      member: 'ada@example.com',
      tier_at_request: 'guarded_write',
      source: 'console',
      payload: { operation: 'stop', conversation_id: 'site', preview_id },
      result: { outcome: 'done', preview_id, stopped_by: 'admin' },
    })
    const [entry] = await entriesOf(gate.database, scene.account.account, stopped!['id'])
    expect([entry!.kind, entry!.entry]).toEqual([
      'preview_stopped',
      expect.objectContaining({
        actor: expect.stringMatching(/^admin:adm_/),
        key: null,
        data: expect.objectContaining({ member: scene.ada.memberId, source: 'console' }),
      }),
    ])
    expect(await verifyLedger(gate.database.db, scene.account.account)).toMatchObject({ ok: true })
    const page = await scene.root.open(`/console/ledger/${stopped!['id']}`)
    expect(page.text).toMatch(/Preview stopped .*administrator root@example\.com/)
    expect((await scene.root.open(`/console/ledger/${started!['id']}`)).text).toContain(
      'Preview ended: stopped',
    )
  })

  test('is told by the verification where that row names another member', async () => {
    const scene = await lived()
    const { preview_id } = await scene.start()
    await scene.root.send(`${path}/${preview_id}/stop`)
    const other = await scene.account.addMember({ name: 'Bea', email: 'bea@example.com' })
    await gate.database.asSuperuser(`
      update gate.action set member_id = '${other.memberId}'
      where account_id = '${scene.account.account}' and source = 'console'`)
    expect(await verifyLedger(gate.database.db, scene.account.account)).toMatchObject({ ok: false })
  })

  test('stops once: the second request gets a message, and there is one action', async () => {
    const scene = await lived()
    const { preview_id } = await scene.start()
    const stop = `${path}/${preview_id}/stop`
    const send = () => Promise.all([1, 2].map(() => scene.root.send(stop)))
    const answers = await overtake(gate.database, scene.account.account, send, 'select 1')
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409])
    await until('ended', async () => (await scene.status(preview_id)).status === 'stopped')
    expect([(await scene.root.open(stop)).status, (await scene.root.send(stop)).status]).toEqual([409, 409])
    expect(await rowsOf(scene)).toHaveLength(2)
  })

  test('stops one whose member is none any more', async () => {
    const scene = await lived()
    const { preview_id } = await scene.start()
    await scene.account.setActive(scene.ada, false)
    expect((await scene.root.send(`${path}/${preview_id}/stop`)).status).toBe(303)
    expect((await rowsOf(scene)).at(-1)).toMatchObject({ member: 'ada@example.com', source: 'console' })
    expect(await verifyLedger(gate.database.db, scene.account.account)).toMatchObject({ ok: true })
  })

  test('of another account finds nothing to stop', async () => {
    const [scene, other] = [await lived(), await lived()]
    const { preview_id } = await scene.start()
    const stop = `${path}/${preview_id}/stop`
    expect([(await other.root.open(stop)).status, (await other.root.send(stop)).status]).toEqual([404, 404])
    expect((await scene.status(preview_id)).status).toBe('running')
  })
})
