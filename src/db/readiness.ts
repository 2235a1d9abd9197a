import type { Db } from './connect.ts'
import { knownMigrations } from './migrate.ts'

/**
 * Why the service cannot use this database, or null if it can.
 * @returns a short reason: the role is too strong, or the schema has another version
 */
export async function databaseObstacle(db: Db): Promise<string | null> {
  const [role] = await db.read<{ strong: boolean; schema: boolean; owner: boolean }>(
    (sql) => sql`
      select r.rolsuper or r.rolbypassrls as strong,
        to_regproc('gate.applied_migrations') is not null as schema,
        exists (
          select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname in ('gate', 'gate_private') and pg_has_role(current_user, c.relowner, 'usage')
        ) as owner
      from pg_roles r
      where r.rolname = current_user`,
  )
  if (role!.strong || role!.owner) {
    return 'role: the role in DATABASE_URL owns the tables, is a superuser, or bypasses row-level security'
  }
  if (!role!.schema) return 'schema: not migrated; run `gate migrate`'
  const rows = await db.read<{ name: string }>(
    (sql) => sql`select applied_migrations as name from gate.applied_migrations()`,
  )
  return schemaObstacle(
    knownMigrations(),
    rows.map(({ name }) => name),
  )
}

/** What is wrong with a schema, by its migrations; null where nothing is. One of them may have come before an earlier one. Pure. */
export function schemaObstacle(known: string[], applied: string[]): string | null {
  if (applied.some((name) => !known.includes(name)))
    return 'schema: newer than this program; run the newer one'
  if (known.some((name) => !applied.includes(name)))
    return 'schema: older than this program; run `gate migrate`'
  return null
}
