import { createHash, randomBytes } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import postgres from 'postgres'
import { connect } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { databaseObstacle } from '../../src/db/readiness.ts'
import { programSchema } from '../../src/db/schema.ts'
import type { Schema } from '../../src/db/schema.ts'

const admin = postgres(process.env['TEST_PG_SUPERUSER_URL']!, { max: 1, onnotice: () => {} })
const made: string[] = []
const quiet = () => {}

afterAll(async () => {
  for (const name of made) await admin.unsafe(`drop database if exists ${name} with (force)`)
  await admin.end()
})

/** An empty database, and URLs for it. */
async function emptyDatabase(owner = 'gate_owner') {
  const name = `gate_migrate_${randomBytes(6).toString('hex')}`
  await admin.unsafe(`create database ${name} owner ${owner}`)
  made.push(name)
  const at = (variable: string) =>
    Object.assign(new URL(process.env[variable]!), { pathname: `/${name}` }).href
  return {
    name,
    superuserUrl: at('TEST_PG_SUPERUSER_URL'),
    ownerUrl: at('TEST_PG_OWNER_URL'),
    serviceUrl: at('TEST_PG_SERVICE_URL'),
  }
}

/** A database with this program's schema. */
async function migratedDatabase() {
  const database = await emptyDatabase()
  await migrate(database.ownerUrl, database.serviceUrl, quiet)
  return database
}

async function obstacleOf(url: string, schema?: Schema): Promise<string | null> {
  const db = connect(url, { applicationName: 'test', connectionsMax: 1 })
  try {
    return await databaseObstacle(db, schema)
  } finally {
    await db.close()
  }
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return [...(await sql.unsafe(text))]
  } finally {
    await sql.end()
  }
}

const ours = programSchema()
const names = [...ours.migrations, ...ours.functions].map(({ name }) => name)
const fileOf = (name: string, text: string) => ({
  name,
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
})

/** This program's schema with one file of functions replaced, or added. */
function withFunctions(name: string, change: (text: string) => string, schema = ours): Schema {
  const former = schema.functions.find((file) => file.name === name)
  const changed = fileOf(name, change(former?.text ?? ''))
  return {
    ...schema,
    functions: former
      ? schema.functions.map((file) => (file === former ? changed : file))
      : [...schema.functions, changed],
  }
}

const withMigration = (text: string, schema = ours): Schema => ({
  ...schema,
  migrations: [...schema.migrations, fileOf('99_test', text)],
})

/** The same function with one column more in its answer: it cannot be replaced in place. */
const widened = withFunctions('functions/outbox.sql', (text) =>
  text
    .replace('open_summary()\nreturns table (', 'open_summary()\nreturns table (answer integer, ')
    .replace(
      'select count(*) filter (where decided_at is null)',
      'select 42, count(*) filter (where decided_at is null)',
    ),
)

test('migrating applies every file in order once, and a second time does nothing', async () => {
  const { ownerUrl, serviceUrl } = await emptyDatabase()
  expect(await obstacleOf(serviceUrl)).toMatch(/^schema: not migrated/)
  expect(await migrate(ownerUrl, serviceUrl, quiet)).toEqual(names)
  expect(await migrate(ownerUrl, serviceUrl, quiet)).toEqual([])
  expect(await obstacleOf(serviceUrl)).toBeNull()
})

test('several migrations of one database at once apply each file once', async () => {
  const { ownerUrl, serviceUrl } = await emptyDatabase()
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(ownerUrl, serviceUrl, quiet)))
  expect(applied.flat().toSorted()).toEqual(names.toSorted())
  expect(await obstacleOf(serviceUrl)).toBeNull()
})

test('a superuser may migrate, and owns nothing afterwards', async () => {
  const { superuserUrl, serviceUrl } = await emptyDatabase()
  await migrate(superuserUrl, serviceUrl, quiet)
  const owners = await query(
    superuserUrl,
    `select distinct r.rolname, r.rolsuper from pg_roles r
     where exists (select 1 from pg_class c where c.relowner = r.oid and c.relnamespace::regnamespace::text ~ '^gate')
       or exists (select 1 from pg_proc p where p.proowner = r.oid and p.pronamespace::regnamespace::text ~ '^gate')`,
  )
  expect(owners).toEqual([{ rolname: 'gate_owner', rolsuper: false }])
  expect(await obstacleOf(serviceUrl)).toBeNull()
})

test("the service's role is made where it does not exist, and can log in with its password", async () => {
  const { ownerUrl, serviceUrl, name } = await emptyDatabase()
  const role = `gate_service_${randomBytes(4).toString('hex')}`
  const own = Object.assign(new URL(serviceUrl), { username: role, password: "it's%20new" }).href
  try {
    await migrate(ownerUrl, own, quiet)
    expect(await obstacleOf(own)).toBeNull()
  } finally {
    await admin.unsafe(`drop database ${name} with (force)`)
    await admin.unsafe(`drop role if exists ${role}`)
  }
})

test('a process is not ready with a role that owns the tables or is a superuser', async () => {
  const { superuserUrl, ownerUrl } = await migratedDatabase()
  expect(await obstacleOf(ownerUrl)).toMatch(/^role:/)
  expect(await obstacleOf(superuserUrl)).toMatch(/^role:/)
})

test('one role cannot be both owner and service', async () => {
  const { ownerUrl } = await emptyDatabase()
  await expect(migrate(ownerUrl, ownerUrl, quiet)).rejects.toThrow(/two roles/)
})

test('a newer schema is neither migrated nor ready', async () => {
  const { ownerUrl, serviceUrl } = await migratedDatabase()
  expect(await migrate(ownerUrl, serviceUrl, quiet, withMigration('select 1;'))).toEqual(['99_test'])
  expect(await obstacleOf(serviceUrl)).toMatch(/^schema: newer/)
  await expect(migrate(ownerUrl, serviceUrl, quiet)).rejects.toThrow(/newer program \(99_test\)/)
})

test('an older schema is not ready', async () => {
  const { ownerUrl, serviceUrl } = await migratedDatabase()
  // Branches are merged: a migration may come before one that was applied already.
  const middle = { ...ours, migrations: [fileOf('00_test', 'select 1;'), ...ours.migrations] }
  expect(await obstacleOf(serviceUrl, middle)).toMatch(/^schema: older/)
  expect(await migrate(ownerUrl, serviceUrl, quiet, middle)).toEqual(['00_test'])
  expect(await obstacleOf(serviceUrl, middle)).toBeNull()
})

test('functions are replaced when their file changes, also with other parameters, and back again', async () => {
  const { ownerUrl, serviceUrl } = await migratedDatabase()
  expect(await obstacleOf(serviceUrl, widened)).toMatch(/^schema: its functions/)
  expect(await migrate(ownerUrl, serviceUrl, quiet, widened)).toEqual(['functions/outbox.sql'])
  expect(await query(serviceUrl, 'select answer from gate.open_summary()')).toEqual([{ answer: 42 }])
  expect(await migrate(ownerUrl, serviceUrl, quiet, widened)).toEqual([])
  expect(await obstacleOf(serviceUrl, widened)).toBeNull()
  expect(await obstacleOf(serviceUrl)).toMatch(/^schema: its functions/)

  expect(await migrate(ownerUrl, serviceUrl, quiet)).toEqual(['functions/outbox.sql'])
  expect(await obstacleOf(serviceUrl)).toBeNull()
  await expect(query(serviceUrl, 'select answer from gate.open_summary()')).rejects.toThrow(/does not exist/)
})

test('functions that the service may call stay callable while they are replaced', async () => {
  const { ownerUrl, serviceUrl } = await migratedDatabase()
  const sql = postgres(serviceUrl, { max: 4, onnotice: () => {} })
  const over = new AbortController()
  const call = async () => {
    let calls = 0
    for (; !over.signal.aborted; calls++) await sql`select open_proposals from gate.open_summary()`
    return calls
  }
  const calling = Array.from({ length: 4 }, call)
  for (const schema of [widened, ours, widened, ours]) await migrate(ownerUrl, serviceUrl, quiet, schema)
  over.abort()
  const calls = await Promise.all(calling)
  await sql.end()
  expect(Math.min(...calls)).toBeGreaterThan(4)
})

test('a function whose file is gone is dropped, and one that tables depend on is replaced in place', async () => {
  const { ownerUrl, serviceUrl } = await migratedDatabase()
  const added = withFunctions(
    'functions/test.sql',
    () => 'create function gate.extra() returns integer return 1;',
  )
  expect(await migrate(ownerUrl, serviceUrl, quiet, added)).toEqual(['functions/test.sql'])
  expect(await query(serviceUrl, 'select gate.extra()')).toEqual([{ extra: 1 }])
  expect(await obstacleOf(serviceUrl)).toMatch(/^schema: its functions/)
  expect(await migrate(ownerUrl, serviceUrl, quiet)).toEqual(['functions/test.sql (removed)'])
  await expect(query(serviceUrl, 'select gate.extra()')).rejects.toThrow(/does not exist/)

  const strict = withFunctions('functions/base.sql', (text) => text.replace('append-only', 'sealed'))
  expect(await migrate(ownerUrl, serviceUrl, quiet, strict)).toEqual(['functions/base.sql'])
  await expect(query(ownerUrl, 'truncate gate.ledger')).rejects.toThrow(/the ledger is sealed/)
})

test('a migration runs after the former functions are gone and before the new ones, all or nothing', async () => {
  const { ownerUrl, serviceUrl } = await migratedDatabase()
  // birth_data and miscounted_calls name the column in their bodies: it could not be dropped while they are there, nor can they
  // be created without it.
  const drop = 'alter table gate.action drop column tier_at_request;'
  await expect(migrate(ownerUrl, serviceUrl, quiet, withMigration(drop))).rejects.toThrow(
    /^functions\/proposals.sql, line \d+: missing FROM-clause entry for table "p_row"/,
  )
  expect(await obstacleOf(serviceUrl)).toBeNull()
  expect(await query(serviceUrl, 'select tier_at_request from gate.action')).toEqual([])

  const without = withFunctions(
    'functions/proposals.sql',
    (text) =>
      text
        .replace(`'tier', p_row.tier_at_request, `, '')
        .replace('  action.tier_at_request := p_tier;\n', ''),
    withFunctions('functions/authority.sql', (text) =>
      text.replace('t.tier_at_request is distinct from a.tier_at_request', 'false'),
    ),
  )
  expect(await migrate(ownerUrl, serviceUrl, quiet, withMigration(drop, without))).toEqual([
    '99_test',
    'functions/authority.sql',
    'functions/proposals.sql',
  ])
})

test.each([
  [
    'SQL',
    'create function gate.broken() returns bigint language sql as $$ select nothing from gate.action $$;',
    'gate.broken(): column "nothing" does not exist',
  ],
  [
    'PL/pgSQL',
    'create function gate.broken() returns void language plpgsql as $$ begin if true; end $$;',
    'gate.broken(): missing "THEN"',
  ],
])('a function in %s that cannot run is refused, and nothing changes', async (_language, text, problem) => {
  const { ownerUrl, serviceUrl } = await migratedDatabase()
  const broken = withMigration(
    'create table gate.half ();',
    withFunctions('functions/test.sql', () => text),
  )
  await expect(migrate(ownerUrl, serviceUrl, quiet, broken)).rejects.toThrow(problem)
  expect(await obstacleOf(serviceUrl)).toBeNull()
  expect(await query(ownerUrl, `select to_regclass('gate.half') as half`)).toEqual([{ half: null }])
})

test('a database of the former numbering is refused with what to do, and nothing changes', async () => {
  const { ownerUrl, serviceUrl } = await emptyDatabase()
  await query(
    ownerUrl,
    `create schema gate_private;
     create table gate_private.migration (
       name text not null, applied_at timestamptz not null default clock_timestamp(),
       constraint migration_pkey primary key (name));
     insert into gate_private.migration (name) values ('0001_ledger'), ('0023_ceilings')`,
  )
  await expect(migrate(ownerUrl, serviceUrl, quiet)).rejects.toThrow(
    /earlier version.*cannot be carried over.*npm run reset.*gate ledger export.*empty database/,
  )
  expect(await query(ownerUrl, `select to_regnamespace('gate') as gate`)).toEqual([{ gate: null }])
  expect(await obstacleOf(serviceUrl)).toMatch(/^schema: not migrated/)
})
