import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { reconcileActivities } from '../../../activities/reconcile.ts'
import { forgetAppTokens, listApps, refreshApp } from '../../../src/db/queries/accounts/apps.ts'
import { hashKey, mintKey, randomBase62 } from '../../../src/keys/api-key.ts'
import { appRefreshHash, newToken } from '../../../src/keys/link-token.ts'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import { limits } from '../../../src/limits.ts'
import { type AppScene, appScene, callMcp, connectedApp } from '../../support/connected-app.ts'
import { signedInAdmin } from '../../support/console.ts'

let scene: AppScene
beforeAll(async () => {
  scene = await appScene()
})
afterAll(() => scene.stop())

const sql = (text: string) => scene.gate.database.asSuperuser(text)

/** A connected app, whose tokens are taken one after the other. */
async function tokensOf(account: string, email: string) {
  const first = await connectedApp(scene.gate.deps, account, email)
  let refresh = first.refresh_token
  return {
    first: first.access_token,
    async next(lastsMs: number = limits.appTokenMs) {
      const [key, token] = [mintKey(), newToken()]
      const { outcome } = await refreshApp(scene.gate.database.db, {
        keyId: `key_${randomBase62(16)}`,
        last4: key.slice(-4),
        hash: hashKey(key),
        refresh: appRefreshHash(token),
        lastsMs,
        refreshMs: limits.appRefreshMs,
        eventId: randomUUID(),
        token: appRefreshHash(refresh),
        client: 'https://chat.example/client.json',
        powers: null,
      })
      expect(outcome).toBe('issued')
      refresh = token
      return key
    },
  }
}

const call = (token: string, name: string, args: object) =>
  callMcp(`${scene.base}/mcp`, token, 'tools/call', { name, arguments: args })
const proposal = { kind: 'broadcast', payload: { message: 'Lunch is at noon.' } }

test('tokens that nothing names are deleted once they have expired, but for the last; what the ledger names stays', async () => {
  const { db } = scene.gate.database
  const { account, addMember } = await scene.gate.account()
  await addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  const app = await tokensOf(account, 'ada@example.com')
  // Each is used for something else that an entry names it for.
  const { id } = (await call(app.first, 'request_action', proposal)).body.result.structuredContent
  for (const [name, args] of [
    ['check_capability', {}],
    ['cancel_action', { id }],
    ['request_action', proposal],
  ] as const) {
    const done = await call(await app.next(), name, args)
    expect([name, done.body.result?.isError ?? done.body.error]).toEqual([name, undefined])
  }
  const named = async () =>
    (
      await sql(`
      select distinct l.entry::json ->> 'key' as key from gate.ledger l where l.account_id = '${account}' order by 1`)
    )
      .map(({ key }) => key)
      .filter((key) => key !== null)
  const keys = async () =>
    (
      await sql(`select key_id from gate.api_key where account_id = '${account}' and grant_id is not null`)
    ).map(({ key_id: key }) => key)
  const before = await named()
  expect(before).toHaveLength(4)

  // Those of which nothing is known but that they were issued; one was used to read.
  for (let n = 0; n < 5; n++) await app.next(1)
  await sql(`
    update gate_private.api_key_hash set last_used_at = now()
    where (key_id, account_id) in (
      select k.key_id, k.account_id from gate.api_key k
      where k.account_id = '${account}' order by k.created_at desc limit 2 offset 1)`)
  const all = await keys()
  expect(await forgetAppTokens(db, account, limits.appTokensKeptMs, 100)).toBe(0)
  expect(await forgetAppTokens(db, account, 0, 2)).toBe(2)
  // As if all of them had expired.
  expect(await forgetAppTokens(db, account, -2 * limits.appTokenMs, 100)).toBe(2)
  expect(await forgetAppTokens(db, account, -2 * limits.appTokenMs, 100)).toBe(0)
  const left = await keys()
  expect(all.length - left.length).toBe(4)
  expect(left).toEqual(expect.arrayContaining(before))
  expect(await named()).toEqual(before)
  expect(await verifyLedger(db, account)).toMatchObject({ ok: true })
  const [shown] = await listApps(db, account, null, 10)
  expect(shown).toMatchObject({ state: 'connected', last_used_at: expect.any(Date) })
  expect(await call(await app.next(), 'list_actions', {})).toMatchObject({ status: 200 })

  // What entries say of deleted tokens can be read, and the host is beside each name.
  const admin = await signedInAdmin(scene.gate, account)
  expect((await admin.open('/console/audit')).text).toContain(
    'Access token issued to the app of chat.example',
  )
  const hosts = await sql(`
    select distinct kind, requested_by, requested_host from gate.action where account_id = '${account}' order by kind`)
  expect(hosts.map((row) => [row['kind'], row['requested_by'], row['requested_host']])).toEqual([
    ['broadcast', 'Chat', 'chat.example'],
    ['capability_check', 'Chat', 'chat.example'],
  ])
  const file = await admin.open('/console/ledger.csv')
  expect(file.html).toMatch(/,requested_by,requested_host,/)
  expect(file.html).toContain(',Chat,chat.example,')

  // A token that an entry names, or that has not expired, is missed.
  const [newest] = await sql(`
    select key_id from gate.api_key where account_id = '${account}' order by created_at desc limit 1`)
  for (const gone of [before[0], newest!['key_id']]) {
    const tables = ['gate.api_key', 'gate_private.api_key_hash']
    for (const table of tables)
      await sql(`create table kept_${table.split('.')[1]} as select * from ${table} where key_id = '${gone}'`)
    await sql(`delete from gate_private.key_minute where key_id = '${gone}'`)
    for (const table of tables.toReversed()) await sql(`delete from ${table} where key_id = '${gone}'`)
    const verified = await verifyLedger(db, account)
    expect([gone, verified?.ok]).toEqual([gone, false])
    for (const table of tables)
      await sql(
        `insert into ${table} select * from kept_${table.split('.')[1]}; drop table kept_${table.split('.')[1]}`,
      )
  }
  expect(await verifyLedger(db, account)).toMatchObject({ ok: true })
})

test('apps that registered themselves are deleted when nobody connected them, or they take no token any more', async () => {
  const { deps } = scene.gate
  const account = await scene.gate.account()
  await account.addMember({ email: 'bob@example.com' })
  await sql(`
    insert into gate_private.app_client (client_id, account_id, name, redirects, secret, created_at, connected_at)
    select n, case when s then '${account.account}' end, 'Chat', '{https://chat.example/}', case when s then '\\x00'::bytea end, now() - c, now() - d
    from (values
      ('new', false, interval '23 hours', null::interval), ('unused', false, interval '25 hours', null),
      ('idle', false, interval '1 year', interval '91 days'), ('active', false, interval '1 year', interval '89 days'),
      ('fixed', true, interval '1 year', null)) v(n, s, c, d)`)
  await connectedApp(deps, account.account, 'bob@example.com')
  await sql(`update gate_private.app_code set expires_at = now() - interval '25 hours'`)
  await sql(
    `update gate.app_grant set ended_at = now() - interval '25 hours' where account_id = '${account.account}'`,
  )
  expect(await reconcileActivities(deps).reconcile()).toMatchObject({ failed: 0 })
  const ids = await sql(`select client_id from gate_private.app_client order by 1`)
  expect(ids.map(({ client_id: id }) => id)).toEqual(['active', 'fixed', 'new'])
  for (const table of ['app_code', 'app_refresh'])
    expect([
      table,
      await sql(`select 1 from gate_private.${table} where account_id = '${account.account}'`),
    ]).toEqual([table, []])
})

test('an app has its share of what is open for a member over all of its tokens', async () => {
  const account = await scene.gate.account()
  await account.addMember({ email: 'cleo@example.com', tier: 'guarded_write' })
  await account.setPolicy({ open_max_per_member: 4 })
  expect((await account.client.propose({ email: 'cleo@example.com' }, 'Mine.')).status).toBe(201)
  const app = await tokensOf(account.account, 'cleo@example.com')
  const propose = async (token: string) =>
    (await call(token, 'request_action', proposal)).body.result.isError ?? false
  expect([
    await propose(app.first),
    await propose(await app.next()),
    await propose(await app.next()),
  ]).toEqual([false, false, true])
})
