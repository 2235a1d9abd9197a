import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import postgres from 'postgres'
import { connect } from '../../src/db/connect.ts'
import { knownMigrations, migrate } from '../../src/db/migrate.ts'
import { databaseObstacle, schemaObstacle } from '../../src/db/readiness.ts'

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

async function obstacleOf(url: string): Promise<string | null> {
  const db = connect(url, { applicationName: 'test', connectionsMax: 1 })
  try {
    return await databaseObstacle(db)
  } finally {
    await db.close()
  }
}

test('migrating applies every file in order once, and a second time does nothing', async () => {
  const { ownerUrl, serviceUrl } = await emptyDatabase()
  expect(await obstacleOf(serviceUrl)).toMatch(/^schema: not migrated/)
  expect(await migrate(ownerUrl, serviceUrl, quiet)).toEqual(knownMigrations())
  expect(await migrate(ownerUrl, serviceUrl, quiet)).toEqual([])
  expect(await obstacleOf(serviceUrl)).toBeNull()
})

test('several migrations of one database at once apply each file once', async () => {
  const { ownerUrl, serviceUrl } = await emptyDatabase()
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(ownerUrl, serviceUrl, quiet)))
  expect(applied.flat().toSorted()).toEqual(knownMigrations())
  expect(await obstacleOf(serviceUrl)).toBeNull()
})

test('a superuser may migrate, and owns nothing afterwards', async () => {
  const { superuserUrl, serviceUrl } = await emptyDatabase()
  await migrate(superuserUrl, serviceUrl, quiet)
  const db = postgres(superuserUrl, { max: 1, onnotice: () => {} })
  const owners = await db`
    select distinct r.rolname, r.rolsuper from pg_class c
    join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.oid = c.relowner
    where n.nspname in ('gate', 'gate_private')`
  await db.end()
  expect([...owners]).toEqual([{ rolname: 'gate_owner', rolsuper: false }])
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
  const { superuserUrl, ownerUrl, serviceUrl } = await emptyDatabase()
  await migrate(ownerUrl, serviceUrl, quiet)
  expect(await obstacleOf(ownerUrl)).toMatch(/^role:/)
  expect(await obstacleOf(superuserUrl)).toMatch(/^role:/)
})

test('a newer schema is neither migrated nor ready', async () => {
  const { superuserUrl, ownerUrl, serviceUrl } = await emptyDatabase()
  await migrate(ownerUrl, serviceUrl, quiet)
  const db = postgres(superuserUrl, { max: 1 })
  await db`insert into gate_private.migration (name) values ('9999_from_the_future')`
  await db.end()
  expect(await obstacleOf(serviceUrl)).toMatch(/^schema: newer/)
  await expect(migrate(ownerUrl, serviceUrl, quiet)).rejects.toThrow(/newer program/)
})

test.each<[string, string[], RegExp | null]>([
  ['the same', ['1', '2', '4'], null],
  ['without the last', ['1', '2'], /^schema: older/],
  ['without one in the middle, which came later than its successor', ['1', '4'], /^schema: older/],
  ['with one more', ['1', '2', '3', '4'], /^schema: newer/],
  ['with one more, and without another', ['1', '3', '4'], /^schema: newer/],
])('a schema is held to the files that this program knows: %s', (_what, applied, expected) => {
  const obstacle = schemaObstacle(['1', '2', '4'], applied)
  expect(obstacle).toEqual(expected && expect.stringMatching(expected))
})

test('one role cannot be both owner and service', async () => {
  const { ownerUrl } = await emptyDatabase()
  await expect(migrate(ownerUrl, ownerUrl, quiet)).rejects.toThrow(/two roles/)
})
