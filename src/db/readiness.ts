import type { Db } from './connect.ts'
import { pendingFiles, programSchema, unknownFiles } from './schema.ts'
import type { AppliedFile, Schema } from './schema.ts'

/**
 * Why the service cannot use this database, or null if it can.
 * @returns a short reason: the role is too strong, or the schema has another version
 * @source docs/upgrade.md#what-fits-together
 */
export async function databaseObstacle(db: Db, schema: Schema = programSchema()): Promise<string | null> {
  const [role] = await db.read<{ strong: boolean; schema: boolean; owner: boolean }>(
    (sql) => sql`
      select r.rolsuper or r.rolbypassrls as strong,
        to_regproc('gate.applied_files') is not null as schema,
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
  return schemaObstacle(schema, await db.read<AppliedFile>((sql) => sql`select * from gate.applied_files()`))
}

/** What is wrong with the files that were applied to a database; null if nothing is. Pure. */
export function schemaObstacle(schema: Schema, applied: AppliedFile[]): string | null {
  const unknown = unknownFiles(schema, applied)
  const pending = pendingFiles(schema, applied)
  if (unknown.migrations.length > 0) return 'schema: newer than this program; run the newer one'
  if (pending.migrations.length > 0) return 'schema: older than this program; run `gate migrate`'
  if (unknown.functions.length + pending.functions.length > 0)
    return 'schema: its functions are those of another version; run `gate migrate` of the newer version'
  return null
}
