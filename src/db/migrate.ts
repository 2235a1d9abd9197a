import { connect, sqlState } from './connect.ts'
import type { Db } from './connect.ts'
import { pendingFiles, programSchema, unknownFiles } from './schema.ts'
import type { AppliedFile, Schema, SchemaFile } from './schema.ts'
import { changesText, grantsText, literal, lockedText, movedState, quoted, tolerant } from './schema-sql.ts'

/**
 * Brings the database to this program's schema and grants the service's role what it needs, nothing else: all of it in one
 * transaction, or none of it. Several may run at once, and again. Going back to a program with the same migrations and
 * other functions brings its functions back.
 * @param ownerUrl  a role that owns the database and may create roles; a superuser is replaced by `gate_owner`
 * @param serviceUrl  names the role that the service will use; created with that password if it does not exist
 * @returns the names of the files that were applied now
 * @throws Error if both URLs name one role, or the database has the schema of a newer or of a former program
 */
export async function migrate(
  ownerUrl: string,
  serviceUrl: string,
  log: (line: string) => void,
  schema: Schema = programSchema(),
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
    refuseForeign(schema, await appliedFiles(db))
    const become = await ownerRole(db)
    await ensureRole(db, role, decodeURIComponent(service.password))
    for (;;) {
      const names = await applyPending(db, schema, { become, role, log })
      if (names) return names
    }
  } finally {
    await db.close()
  }
}

/** @returns the files that were applied, or undefined if another migration came first */
async function applyPending(
  db: Db,
  schema: Schema,
  run: { become: string; role: string; log: (line: string) => void },
): Promise<string[] | undefined> {
  const applied = await appliedFiles(db)
  refuseForeign(schema, applied)
  const pending = pendingFiles(schema, applied)
  const removed = unknownFiles(schema, applied).functions
  const changes = [...pending.migrations, ...pending.functions].map(({ name }) => name)
  changes.push(...removed.map((name) => `${name} (removed)`))
  for (const { name } of pending.migrations) run.log(`migrating: ${name}`)
  if (changes.length > pending.migrations.length) run.log('migrating: functions')
  const parts = [lockedText(run.become, applied), grantsText(run.role)]
  if (changes.length > 0) parts.splice(1, 0, changesText(schema, pending, removed))
  const text = parts.join('\n')
  try {
    await db.script(text)
    return changes
  } catch (error) {
    if (sqlState(error) === movedState) return undefined
    throw located(error, text, [...schema.migrations, ...schema.functions])
  }
}

/** The error with its file and line: PostgreSQL counts from the start of the whole text. */
function located(error: unknown, text: string, files: SchemaFile[]): unknown {
  const { message, position } = error as { message: string; position?: string }
  const file = files.find(({ text: part }) => {
    const at = Number(position) - text.indexOf(part)
    return text.includes(part) && at > 0 && at <= part.length
  })
  if (!file) return error
  const lines = text.slice(text.indexOf(file.text), Number(position)).split('\n')
  return new Error(`${file.name}, line ${lines.length}: ${message}`, { cause: error })
}

async function appliedFiles(db: Db): Promise<AppliedFile[]> {
  const [found] = await db.read<{ exists: boolean }>(
    (sql) => sql`select to_regclass('gate_private.migration') is not null as exists`,
  )
  if (!found!.exists) return []
  // All columns: the table of a former schema has no hashes.
  const rows = await db.read<AppliedFile>((sql) => sql`select * from gate_private.migration order by name`)
  return rows.map(({ name, sha256 }) => ({ name, sha256: sha256 ?? null }))
}

// Migrations of the earlier version have four digits.
const formerName = /^\d{4}_/

function refuseForeign(schema: Schema, applied: AppliedFile[]): void {
  const unknown = unknownFiles(schema, applied).migrations
  if (unknown.some((name) => formerName.test(name))) {
    throw new Error(
      'This database was made by an earlier version of the gate. Its data cannot be carried over to this version, and nothing was changed. For the demo, run `npm run reset` and then `npm start`. For your own database, export the ledgers with the earlier version (`gate ledger export`), create a new, empty database, and run `gate migrate` on it.',
    )
  }
  if (unknown.length > 0) {
    throw new Error(
      `The database was migrated by a newer program (${unknown.join(', ')}). Run \`gate migrate\` of that program.`,
    )
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

async function ensureRole(db: Db, role: string, password: string): Promise<void> {
  const [found] = await db.read((sql) => sql`select 1 from pg_roles where rolname = ${role}`)
  if (!found) await db.script(tolerant(`create role ${quoted(role)} login password ${literal(password)}`))
}
