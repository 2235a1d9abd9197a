import type { TestDatabase } from './database.ts'

export interface Parameter {
  name: string
  type: string
}

/** Every function that the service's role may call, with its parameters. */
export async function serviceFunctions(
  database: TestDatabase,
): Promise<{ name: string; parameters: Parameter[] }[]> {
  const rows = await database.asSuperuser(`
    select p.proname as name, (
      select coalesce(json_agg(json_build_object(
        'name', a.name, 'type', format_type(t.type, null)) order by t.n), '[]')
      from unnest(p.proargtypes::oid[]) with ordinality t(type, n)
      join unnest(p.proargnames) with ordinality a(name, n) on a.n = t.n
    ) as parameters
    from pg_proc p where p.pronamespace = 'gate'::regnamespace and p.proname not in ('tenant', 'current_account')
    order by 1`)
  return rows as unknown as { name: string; parameters: Parameter[] }[]
}

/** The fields of each JSON argument, by its name: a function reads them by `jsonb_to_record(p_x) as fields(…)`. */
export async function jsonFieldsOf(database: TestDatabase): Promise<Map<string, Parameter[]>> {
  const rows = await database.asSuperuser(`
    select m[1] as parameter, m[2] as fields
    from pg_proc p, regexp_matches(p.prosrc, 'jsonb_to_record\\((p_\\w+)\\) as fields\\(([^)]*)\\)', 'g') m
    where p.pronamespace in ('gate'::regnamespace, 'gate_private'::regnamespace)`)
  return new Map(
    rows.map(({ parameter, fields }) => [
      String(parameter),
      String(fields)
        .split(',')
        .map((field) => field.trim().split(' '))
        .map(([name, type]) => ({ name: `p_${name}`, type: type! })),
    ]),
  )
}
