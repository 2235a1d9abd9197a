import type { TestDatabase } from './database.ts'

/** The database as its catalogue tells it, sorted: what a reviewer must see of a migration. Bodies of functions are not told. */
export async function schemaText(database: TestDatabase): Promise<string> {
  const parts: string[] = []
  for (const [title, query] of sections) {
    const rows = await database.asSuperuser(query)
    const lines = rows
      .map((row) => String(row['line']))
      .toSorted()
      .flatMap(filled)
    parts.push(`-- ${title}\n${lines.join('\n')}\n`)
  }
  return parts.join('\n')
}

/** What a line tells in parts, with as many of them beside one another as a line holds. */
function filled(text: string): string[] {
  const [heading, ...parts] = text.split('\t')
  const lines = [heading!]
  for (const [at, part] of parts.entries()) {
    const last = lines.at(-1)!
    if (at > 0 && last.length + part.length < 120) lines[lines.length - 1] = `${last}, ${part}`
    else lines.push(`  ${part}`)
  }
  return lines
}

const ours = `n.nspname in ('gate', 'gate_private')`
const grantees = (acl: string, kind: string, owner: string) => `
  lateral (select string_agg(
    coalesce(nullif(a.grantee, 0)::regrole::text, 'public') || ' ' || lower(a.privilege_type), ', '
    order by coalesce(nullif(a.grantee, 0)::regrole::text, 'public'), a.privilege_type) as who
    from aclexplode(coalesce(${acl}, acldefault('${kind}', ${owner}))) a where a.grantee <> ${owner}) g`

const sections: [string, string][] = [
  [
    'schemas: who may use them',
    `select n.nspname || ': owner ' || n.nspowner::regrole || '; ' || coalesce(g.who, 'nobody else') as line
     from pg_namespace n, ${grantees('n.nspacl', 'n', 'n.nspowner')} where ${ours}`,
  ],
  [
    'tables: row-level security and grants',
    `select n.nspname || '.' || c.relname || ': row security '
       || case when c.relrowsecurity and c.relforcerowsecurity then 'forced' when c.relrowsecurity then 'on' else 'off' end
       || '; ' || coalesce(g.who, 'nobody else') as line
     from pg_class c join pg_namespace n on n.oid = c.relnamespace, ${grantees('c.relacl', 'r', 'c.relowner')}
     where ${ours} and c.relkind = 'r'`,
  ],
  [
    'columns',
    `select n.nspname || '.' || c.relname || e'\\t' || string_agg(
         a.attname || ' ' || replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz')
         || case when a.attnotnull then ' not null' else '' end
         || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''), e'\\t' order by a.attname) as line
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where ${ours} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped group by n.nspname, c.relname`,
  ],
  [
    'constraints',
    `select n.nspname || '.' || c.relname || ' ' || k.conname || ' ' || pg_get_constraintdef(k.oid) as line
     from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
     where ${ours} and k.contype <> 'n'`,
  ],
  [
    'indexes, beside those of the constraints',
    `select indexdef as line from pg_indexes where schemaname in ('gate', 'gate_private') and not exists (
       select from pg_constraint k where k.contype in ('p', 'u', 'x')
         and k.conindid = format('%I.%I', schemaname, indexname)::regclass)`,
  ],
  [
    'policies',
    `select schemaname || '.' || tablename || ' ' || policyname || ' for ' || lower(cmd) || ' to ' || array_to_string(roles, ', ')
       || ' using ' || coalesce(qual, 'all') || coalesce(' with check ' || with_check, '') as line
     from pg_policies where schemaname in ('gate', 'gate_private')`,
  ],
  [
    'triggers',
    `select case t.tgenabled when 'A' then 'always' when 'O' then 'origin' else 'off' end || ' ' || pg_get_triggerdef(t.oid) as line
     from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where ${ours} and not t.tgisinternal`,
  ],
  [
    'functions and who may call them',
    `select n.nspname || '.' || p.proname || '(' || pg_get_function_arguments(p.oid) || ') returns '
       || coalesce(pg_get_function_result(p.oid), 'nothing')
       || case when p.prosecdef then ' security definer' else '' end
       || coalesce(' set ' || array_to_string(p.proconfig, ', '), '') || '; ' || coalesce(g.who, 'nobody else') as line
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace, ${grantees('p.proacl', 'f', 'p.proowner')} where ${ours}`,
  ],
]
