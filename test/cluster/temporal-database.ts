import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import type { ServerPrograms } from './server-programs.ts'

/** The two databases of a Temporal cluster, each migrated by Temporal's own tool. */
export interface TemporalDatabase {
  host: string
  port: string
  user: string
  password: string
  /** The name of each database. */
  temporal: string
  visibility: string
  drop(): Promise<void>
}

const stores = ['temporal', 'visibility'] as const

/**
 * Makes them with a login of their own, by the steps of `temporal-role` and `temporal-schema` in docker-compose.yml.
 * @param superuserUrl  of the database server
 */
export async function makeTemporalDatabase(
  { sqlTool, schema }: ServerPrograms,
  superuserUrl: string,
): Promise<TemporalDatabase> {
  const { hostname: host, port } = new URL(superuserUrl)
  const user = `temporal_${randomBytes(4).toString('hex')}`
  const password = randomBytes(16).toString('hex')
  await asSuperuser(superuserUrl, `create role ${user} login createdb password '${password}'`)
  const names = { temporal: user, visibility: `${user}_visibility` }
  const env = {
    PATH: process.env['PATH'] ?? '',
    SQL_PLUGIN: 'postgres12',
    SQL_HOST: host,
    SQL_PORT: port,
    SQL_USER: user,
    SQL_PASSWORD: password,
  }
  for (const store of stores) {
    const run = (...args: string[]) => promisify(execFile)(sqlTool, ['--db', names[store], ...args], { env })
    await run('create')
    await run('setup-schema', '-v', '0.0')
    await run('update-schema', '-d', join(schema, store, 'versioned'))
  }
  return {
    host,
    port,
    user,
    password,
    ...names,
    async drop() {
      for (const store of stores)
        await asSuperuser(superuserUrl, `drop database if exists ${names[store]} with (force)`)
      await asSuperuser(superuserUrl, `drop role if exists ${user}`)
    },
  }
}

async function asSuperuser(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe(statement)
  await sql.end({ timeout: 2 })
}
