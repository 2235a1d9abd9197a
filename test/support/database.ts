import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { type Db, connect } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'

export interface TestDatabase {
  name: string
  superuserUrl: string
  ownerUrl: string
  serviceUrl: string
  /** A connection as the service's role. */
  db: Db
  /** Runs one statement as superuser: for tampering, and for looking behind row-level security. */
  asSuperuser(text: string): Promise<Record<string, unknown>[]>
  drop(): Promise<void>
}

const templateName = 'gate_template'

/** Migrates the database that all others of the run are copied from: a copy takes a tenth of the time. */
export async function makeTemplate(): Promise<void> {
  const admin = postgres(needed('TEST_PG_SUPERUSER_URL'), { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${templateName} owner gate_owner`)
  // Most connections of a test end within the five runs for each of which PostgreSQL would plan a statement again.
  await admin.unsafe('alter system set plan_cache_mode = force_generic_plan')
  // Nothing is read after a crash, and each copy of a database begins with a checkpoint, after which pages would be written whole.
  await admin.unsafe('alter system set full_page_writes = off')
  await admin.unsafe('select pg_reload_conf()')
  await admin.end({ timeout: 2 })
  const at = (variable: string) =>
    Object.assign(new URL(needed(variable)), { pathname: `/${templateName}` }).href
  await migrate(at('TEST_PG_OWNER_URL'), at('TEST_PG_SERVICE_URL'), () => {})
}

/** A migrated database of its own on the suite's server. @param isEmpty  not migrated yet */
export async function freshDatabase(isEmpty = false): Promise<TestDatabase> {
  const name = `gate_test_${randomBytes(6).toString('hex')}`
  const admin = postgres(needed('TEST_PG_SUPERUSER_URL'), { max: 1, onnotice: () => {} })
  // The files are copied: through the log, page by page, it takes twice the time.
  await admin.unsafe(
    `create database ${name} template ${isEmpty ? 'template1' : templateName} strategy file_copy owner gate_owner`,
  )
  const at = (variable: string) => Object.assign(new URL(needed(variable)), { pathname: `/${name}` }).href
  const [superuserUrl, ownerUrl, serviceUrl] = [
    at('TEST_PG_SUPERUSER_URL'),
    at('TEST_PG_OWNER_URL'),
    at('TEST_PG_SERVICE_URL'),
  ]
  const db = connect(serviceUrl, { applicationName: 'gate test' })
  const superuser = postgres(superuserUrl, { max: 1, onnotice: () => {} })
  return {
    name,
    superuserUrl,
    ownerUrl,
    serviceUrl,
    db,
    asSuperuser: async (text) => [...(await superuser.unsafe(text))],
    async drop() {
      await db.close()
      await superuser.end({ timeout: 2 })
      await admin.unsafe(`drop database if exists ${name} with (force)`)
      await admin.end({ timeout: 2 })
    },
  }
}

function needed(variable: string): string {
  const value = process.env[variable]
  if (!value) throw new Error(`${variable} is not set: jest's global setup starts the servers.`)
  return value
}
