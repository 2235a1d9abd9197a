import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../process/root.ts'

/** The database schema that a program works with. */
export interface Schema {
  /** Tables, applied once and in order. A migration that was released is never edited. */
  migrations: SchemaFile[]
  /** Functions, all replaced whenever one file changes. `functions/base.sql` comes first: tables depend on it. */
  functions: SchemaFile[]
}

export interface SchemaFile {
  name: string
  text: string
  sha256: string
}

/** A file that was applied to a database. Migrations have no hash: they are applied once. */
export interface AppliedFile {
  name: string
  sha256: string | null
}

/** The schema of this program. The files are read from the sources: the compiler copies no SQL. */
export function programSchema(): Schema {
  program ??= {
    migrations: readFolder('migrations', (file) => file.slice(0, -'.sql'.length)),
    functions: readFolder('functions', (file) => `functions/${file}`).toSorted(baseFirst),
  }
  return program
}

let program: Schema | undefined

/** What `gate migrate` has to apply: the migrations that are missing and, if any file of functions differs, those that do. */
export function pendingFiles(schema: Schema, applied: AppliedFile[]): Schema {
  const hashes = new Map(applied.map(({ name, sha256 }) => [name, sha256]))
  return {
    migrations: schema.migrations.filter(({ name }) => !hashes.has(name)),
    functions: schema.functions.filter(({ name, sha256 }) => hashes.get(name) !== sha256),
  }
}

/** Names of applied files that the schema does not have. */
export function unknownFiles(
  schema: Schema,
  applied: AppliedFile[],
): { migrations: string[]; functions: string[] } {
  const known = new Set([...schema.migrations, ...schema.functions].map(({ name }) => name))
  const unknown = applied.filter(({ name }) => !known.has(name))
  const names = (isFunctions: boolean) =>
    unknown.filter(({ sha256 }) => (sha256 !== null) === isFunctions).map(({ name }) => name)
  return { migrations: names(false), functions: names(true) }
}

function readFolder(folder: string, nameOf: (file: string) => string): SchemaFile[] {
  const path = join(projectRoot, 'src/db', folder)
  const files = readdirSync(path).filter((file) => file.endsWith('.sql'))
  return files.toSorted().map((file) => {
    const text = readFileSync(join(path, file), 'utf8')
    return { name: nameOf(file), text, sha256: createHash('sha256').update(text).digest('hex') }
  })
}

const base = 'functions/base.sql'
const baseFirst = (a: SchemaFile, b: SchemaFile) => Number(b.name === base) - Number(a.name === base)
