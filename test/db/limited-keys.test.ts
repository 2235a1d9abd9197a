import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import postgres from 'postgres'
import { connect } from '../../src/db/connect.ts'
import { knownMigrations, migrate } from '../../src/db/migrate.ts'
import { authenticate } from '../../src/db/queries/accounts/authenticate.ts'
import { listKeys } from '../../src/db/queries/accounts/keys.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { mintKey, rotateKey } from '../../src/operations/admin/keys.ts'
import { projectRoot } from '../../src/root.ts'

const admin = postgres(process.env['TEST_PG_SUPERUSER_URL']!, { max: 1, onnotice: () => {} })
const name = `gate_upgrade_${randomBytes(6).toString('hex')}`
const at = (variable: string) => Object.assign(new URL(process.env[variable]!), { pathname: `/${name}` }).href

afterAll(async () => {
  await admin.unsafe(`drop database if exists ${name} with (force)`)
  await admin.end()
})

const folder = join(projectRoot, 'src/db/migrations')
const account = 'acct_BeforeBeforeBefo'
/** An entry as it was before: its data is an expression of SQL. */
const tail = (kind: string, data: string) =>
  `'"actor":"admin","data":' || ${data} || ',"key":null,"kind":"${kind}","payload_digest":null,"v":1}'`

test('keys and people of before an upgrade keep what they had: every power, and a salt of their own', async () => {
  await admin.unsafe(`create database ${name} owner gate_owner`)
  const superuser = postgres(at('TEST_PG_SUPERUSER_URL'), { max: 1, onnotice: () => {} })
  const earlier = knownMigrations().filter((migration) => migration < '0016')
  await superuser.unsafe(`
    set role gate_owner;
    create schema gate_private;
    create table gate_private.migration (name text primary key, applied_at timestamptz not null default now())`)
  for (const migration of earlier) {
    await superuser.unsafe(readFileSync(join(folder, `${migration}.sql`), 'utf8'))
    await superuser`insert into gate_private.migration (name) values (${migration})`
  }
  await superuser.unsafe(`
    select gate.create_account('${account}', 'Before');
    select gate.add_member('${account}', 'mem_' || n, 'N', n || '@example.com', null, gen_random_uuid(),
      ${tail('member_changed', `json_build_object('change', 'added', 'member', 'mem_' || n)::text`)})
    from generate_series(1, 2) n;
    select gate.invite_admin('${account}', 'adm_' || repeat(n::text, 16), n || '@admin.example', null, 0, gen_random_uuid(),
      ${tail('admin_changed', `json_build_object('admin', 'adm_' || repeat(n::text, 16), 'change', 'invited')::text`)})
    from generate_series(1, 2) n;
    select gate.mint_key('${account}', 'key_1', 'Old', '0000', '\\x01', '{mem_1}', null, gen_random_uuid(),
      ${tail('key_minted', `'{"actors":["mem_1"],"expires_at":null,"key":"key_1"}'`)})`)
  await migrate(at('TEST_PG_OWNER_URL'), at('TEST_PG_SERVICE_URL'), () => {})
  const db = connect(at('TEST_PG_SERVICE_URL'), { applicationName: 'test', connectionsMax: 1 })
  try {
    expect(await authenticate(db, Buffer.from([1]))).toMatchObject({
      key_id: 'key_1',
      is_valid: true,
      actors: ['mem_1'],
      powers: ['read', 'propose', 'confirm'],
      kinds: null,
      networks: null,
    })
    await superuser.unsafe('reset role')
    const salts = await superuser.unsafe('select salt from gate.member union all select salt from gate.admin')
    expect(new Set(salts.map(({ salt }) => salt.toString('hex'))).size).toBe(4)
    const context = { db, account, session: null }
    await mintKey(context, { name: 'New', actors: [], expiresAt: null, rights: { powers: ['read'] } })
    const { keyId } = await rotateKey(context, 'key_1')
    expect((await listKeys(db, account)).find(({ key_id }) => key_id === keyId)).toMatchObject({
      actors: ['mem_1'],
      rotated_from: 'key_1',
      used_today: 0,
    })
    expect(await verifyLedger(db, account)).toMatchObject({ ok: true })
  } finally {
    await db.close()
    await superuser.end()
  }
})
