import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import postgres, { type Sql } from 'postgres'
import { type Schema, programSchema } from '../../src/db/schema.ts'
import type { TestDatabase } from '../support/database.ts'

/** A database of a version: its schema, its rows, and what a gate needs to go on with it. */
export interface Kept<Known = unknown> {
  version: string
  migrations: { name: string; sha256: string }[]
  functions: { name: string; text: string }[]
  /** The rows of each table in the form of COPY, with the names of its columns. */
  tables: { name: string; columns: string; rows: string }[]
  sequences: { name: string; last: string }[]
  /** What the scene says of itself: keys in plain text, numbers of actions. */
  known: Known
}

export const keptPath = (version: string): string => join(import.meta.dirname, `${version}.json.gz`)

export const readKept = <Known>(version: string): Kept<Known> =>
  JSON.parse(gunzipSync(readFileSync(keptPath(version))).toString('utf8')) as Kept<Known>

/**
 * The schema of that version. Its migrations are those of the program, which are never edited.
 * @throws Error if one was edited or taken away
 */
export function schemaOf({ version, migrations, functions }: Kept): Schema {
  const ours = new Map(programSchema().migrations.map((file) => [file.name, file]))
  const withHash = (file: { name: string; text: string }) => ({ ...file, sha256: sha256(file.text) })
  return {
    migrations: migrations.map(({ name, sha256: was }) => {
      const file = ours.get(name)
      if (file?.sha256 !== was) throw new Error(`The migration ${name} is not the one that ${version} had.`)
      return file
    }),
    functions: functions.map(withHash),
  }
}

const sha256 = (what: string): string => createHash('sha256').update(what).digest('hex')

/** Reads all that a database of this program holds. */
export async function keep<Known>(
  database: TestDatabase,
  version: string,
  known: Known,
): Promise<Kept<Known>> {
  const { migrations, functions } = programSchema()
  const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} })
  const folder = copyFolder()
  try {
    const tables = []
    for (const { name, columns } of await sql<{ name: string; columns: string }[]>`
      select format('%I.%I', n.nspname, c.relname) as name,
        string_agg(format('%I', a.attname), ', ' order by a.attnum) as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where n.nspname in ('gate', 'gate_private') and c.relkind = 'r' and c.relname <> 'migration'
      group by 1 order by 1`)
      tables.push({ name, columns, rows: await folder.rowsOf(sql, `${name} (${columns})`) })
    const sequences = await sql<Kept['sequences']>`
      select format('%I.%I', schemaname, sequencename) as name, last_value::text as last
      from pg_sequences where schemaname in ('gate', 'gate_private') and last_value is not null order by 1`
    return {
      version,
      migrations: migrations.map(({ name, sha256: hash }) => ({ name, sha256: hash })),
      functions: functions.map(({ name, text: body }) => ({ name, text: body })),
      tables,
      sequences: [...sequences],
      known,
    }
  } finally {
    folder.remove()
    await sql.end({ timeout: 2 })
  }
}

/** Puts the kept rows into an empty database that has the schema of their version. */
export async function putBack(superuserUrl: string, { tables, sequences }: Kept): Promise<void> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} })
  const folder = copyFolder()
  try {
    // No trigger runs and no reference is checked: the rows are as they were.
    await sql.unsafe(`set session_replication_role = replica`)
    for (const { name } of tables)
      if ((await sql.unsafe(`select 1 from ${name} limit 1`)).length > 0)
        await sql.unsafe(`delete from ${name}`)
    for (const { name, columns, rows } of tables.filter((table) => table.rows !== ''))
      await folder.put(sql, `${name} (${columns})`, rows)
    for (const { name, last } of sequences) await sql`select setval(${name}, ${last}::bigint)`
  } finally {
    folder.remove()
    await sql.end({ timeout: 2 })
  }
}

/** A folder through which PostgreSQL copies rows itself: through a stream, the driver waits without end where that fails. */
function copyFolder() {
  const path = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'kept-'))
  // The server runs as another user.
  chmodSync(path, 0o777)
  let made = 0
  return {
    async rowsOf(sql: Sql, what: string): Promise<string> {
      const file = join(path, String(++made))
      await sql.unsafe(`copy ${what} to '${file}'`)
      return readFileSync(file, 'utf8')
    },
    async put(sql: Sql, what: string, rows: string): Promise<void> {
      const file = join(path, String(++made))
      writeFileSync(file, rows)
      await sql.unsafe(`copy ${what} from '${file}'`)
    },
    remove: () => rmSync(path, { recursive: true }),
  }
}
