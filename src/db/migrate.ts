import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../root.ts'
import { type Db, connect, sqlState } from './connect.ts'

const folder = join(projectRoot, 'src/db/migrations')

/** The names of all migrations this program knows, in order. */
export function knownMigrations(): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .toSorted()
}

/**
 * Brings the database to this program's schema and grants the service's role what it needs, nothing else.
 * Safe to run by several at once, and again.
 * @param ownerUrl  a role that owns the database and may create roles; a superuser is replaced by `gate_owner`
 * @param serviceUrl  names the role that the service will use; created with that password where it does not exist
 * @returns the names of the migrations that were applied now
 * @throws Error when both URLs name one role, or the database was migrated by a newer program
 */
export async function migrate(
  ownerUrl: string,
  serviceUrl: string,
  log: (line: string) => void,
): Promise<string[]> {
  const service = new URL(serviceUrl)
  const role = decodeURIComponent(service.username)
  if (role === decodeURIComponent(new URL(ownerUrl).username)) {
    throw new Error(
      'DATABASE_URL and DATABASE_OWNER_URL must name two roles: the service never owns its tables.',
    )
  }
  const db = connect(ownerUrl, { applicationName: 'gate migrate', connectionsMax: 1 })
  try {
    const become = await ownerRole(db)
    await db.script(bootstrap(become))
    const applied: string[] = []
    for (const name of await pending(db)) {
      log(`migrating: ${name}`)
      if (await apply(db, become, name)) applied.push(name)
    }
    await grantService(db, become, role, decodeURIComponent(service.password))
    return applied
  } finally {
    await db.close()
  }
}

// Tables owned by a superuser would escape row-level security inside definer functions.
async function ownerRole(db: Db): Promise<string> {
  const [me] = await db.read<{ name: string; super: boolean }>(
    (sql) => sql`select rolname as name, rolsuper as super from pg_roles where rolname = current_user`,
  )
  if (!me!.super) return ''
  await db.script(tolerant(`create role gate_owner nologin`))
  await db.script(
    `do $$ begin execute format('grant create on database %I to gate_owner', current_database()); end $$`,
  )
  return 'set local role gate_owner;'
}

// Roles belong to the cluster: another database's migration may make the same one at the same moment.
const tolerant = (statement: string) =>
  `do $do$ begin ${statement}; exception when duplicate_object or unique_violation then null; end $do$`

const lock = 'select pg_advisory_xact_lock(7203146001);'

const bootstrap = (become: string) => `${become}${lock}
  create schema if not exists gate_private;
  create table if not exists gate_private.migration (
    name text not null,
    applied_at timestamptz not null default clock_timestamp(),
    constraint migration_pkey primary key (name)
  );`

async function pending(db: Db): Promise<string[]> {
  const rows = await db.read<{ name: string }>(
    (sql) => sql`select name from gate_private.migration order by name`,
  )
  const done = new Set(rows.map((row) => row.name))
  const known = knownMigrations()
  const foreign = [...done].filter((name) => !known.includes(name))
  if (foreign.length > 0) {
    throw new Error(`The database was migrated by a newer program (${foreign.join(', ')}). Run that one.`)
  }
  return known.filter((name) => !done.has(name))
}

// The name goes in first: whoever comes second breaks the key and has nothing to do.
async function apply(db: Db, become: string, name: string): Promise<boolean> {
  const text = readFileSync(join(folder, `${name}.sql`), 'utf8')
  try {
    // A large table may take longer than the service's own statements may.
    await db.script(
      `set local statement_timeout = 0;\n${become}${lock}insert into gate_private.migration (name) values ('${name}');\n${text}`,
    )
    return true
  } catch (error) {
    if (sqlState(error) === '23505') return false
    throw error
  }
}

async function grantService(db: Db, become: string, role: string, password: string): Promise<void> {
  const [found] = await db.read((sql) => sql`select 1 from pg_roles where rolname = ${role}`)
  if (!found) await db.script(tolerant(`create role ${quoted(role)} login password ${literal(password)}`))
  await db.script(`${become}${lock}
    revoke all on schema gate, gate_private from public;
    revoke all on all functions in schema gate, gate_private from public;
    grant usage on schema gate to ${quoted(role)};
    grant select on all tables in schema gate to ${quoted(role)};
    grant execute on all functions in schema gate to ${quoted(role)};`)
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
