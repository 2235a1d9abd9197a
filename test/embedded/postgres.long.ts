import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch as watchFile,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { watch } from 'node:fs/promises'
import { afterEach, expect, test } from '@jest/globals'
import postgres from 'postgres'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../dev/embedded/postgres.ts'
import { removeOutsideCluster, type PostgresRecord } from '../../dev/embedded/postgres-cluster.ts'
import { commandOf, identify, isGoneWithin } from '../../src/process/system-process.ts'
import { cleanUp, folder, killHard, later, logBook, spawnStart, startElsewhere, stranger } from './scene.ts'

afterEach(cleanUp, 60_000)

test('the service logs in with no rights, the owner owns the database and is no superuser', async () => {
  const server = await started(folder())
  const roles = await ask(server.superuserUrl)`
    select rolname, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolcanlogin,
      (select datdba = pg_roles.oid from pg_database where datname = 'gate') as owns_gate
    from pg_roles where rolname like 'gate_%' order by rolname`
  const nothing = {
    rolsuper: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolbypassrls: false,
    rolcanlogin: true,
  }
  expect([...roles]).toEqual([
    { rolname: 'gate_owner', ...nothing, rolcreaterole: true, owns_gate: true },
    { rolname: 'gate_service', ...nothing, owns_gate: false },
    {
      rolname: 'gate_superuser',
      ...nothing,
      rolsuper: true,
      rolcreaterole: true,
      rolcreatedb: true,
      rolbypassrls: true,
      owns_gate: false,
    },
  ])
  await ask(server.ownerUrl)`create table note (text text)`
  await expect(ask(server.serviceUrl)`select * from note`).rejects.toThrow('permission denied')
  await expect(ask(server.serviceUrl)`create table mine (x int)`).rejects.toThrow('permission denied')
})

test('the database is UTF-8, checksummed, flushed to disk and reachable on the loopback interface alone', async () => {
  const dataDir = folder()
  const server = await started(dataDir)
  const sql = ask(server.ownerUrl)
  const [settings] = await sql`
    select current_setting('server_encoding') as encoding, current_setting('data_checksums') as checksums,
      current_setting('fsync') as fsync, current_setting('listen_addresses') as addresses,
      current_setting('password_encryption') as passwords, current_setting('max_connections') as connections,
      (select datcollate from pg_database where datname = 'gate') as collation`
  expect(settings).toEqual({
    encoding: 'UTF8',
    collation: 'C',
    checksums: 'on',
    fsync: 'on',
    addresses: '127.0.0.1',
    passwords: 'scram-sha-256',
    connections: '100',
  })
  await expect(ask(server.ownerUrl.replace(/:[^:@]+@/, ':wrong@'))`select 1`).rejects.toThrow('password')
  const others = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((each) => !each.internal)
  for (const { address } of others.filter(({ family }) => family === 'IPv4'))
    await expect(ask(server.ownerUrl.replace('127.0.0.1', address))`select 1`).rejects.toThrow('ECONNREFUSED')
  expect(statSync(join(dataDir, 'postgres.json')).mode & 0o777).toBe(0o600)
})

test('a second start keeps data, port and passwords, and no process outlives a stop', async () => {
  const dataDir = folder()
  const first = await started(dataDir)
  await ask(first.ownerUrl)`create table note as select 'still here' as text`
  const identity = identify(first.pid)!
  await Promise.all([first.stop(), first.stop()])
  expect(await isGoneWithin(identity, 0)).toBe(true)
  const second = await started(dataDir)
  expect(second).toMatchObject({ port: first.port, ownerUrl: first.ownerUrl, serviceUrl: first.serviceUrl })
  expect([...(await ask(second.ownerUrl)`select text from note`)]).toEqual([{ text: 'still here' }])
})

test('a port that is taken meanwhile is replaced by a free one', async () => {
  const dataDir = folder()
  const first = await started(dataDir)
  await first.stop()
  const other = createServer().listen(first.port, '127.0.0.1')
  await once(other, 'listening')
  later(() => other.close())
  const second = await started(dataDir)
  expect(second.port).not.toBe(first.port)
  expect([...(await ask(second.ownerUrl)`select 1 as one`)]).toEqual([{ one: 1 }])
})

test('a server left by a killed start is stopped, and its data is there', async () => {
  const dataDir = folder()
  const killed = await startElsewhere(dataDir, 'postgres')
  await killed.kill()
  const left = identify(killed.pids.postgres!)
  expect(left).toBeDefined()
  const book = logBook()
  await started(dataDir, book.log)
  expect(book.text()).toContain(`an earlier start left running (process ${left!.pid})`)
  expect(await isGoneWithin(left!, 0)).toBe(true)
}, 60_000)

test('after a SIGKILL of the server itself the next start ends its last backend, whatever others log', async () => {
  const dataDir = folder()
  const first = await started(dataDir)
  await ask(first.ownerUrl)`create table note as select 'committed' as text`
  const busy = ask(first.ownerUrl)`select count(*) from generate_series(1, 1000000000000)`.catch(
    () => undefined,
  )
  await untilBusy(first)
  process.kill(first.pid, 'SIGKILL')
  await first.exited
  const book = logBook()
  const endsOfOthers = writtenAfter(join(dataDir, 'postgres.log'), 'pre-existing shared memory block')
  const second = await started(dataDir, book.log)
  await busy
  expect(endsOfOthers()).toBe(true)
  expect(book.text()).toContain('Ending the last connections')
  expect([...(await ask(second.ownerUrl)`select text from note`)]).toEqual([{ text: 'committed' }])
}, 60_000)

test('an unrelated process with the pid of the old server is left alone, and the server starts', async () => {
  const dataDir = folder()
  await (await started(dataDir)).stop()
  const { pid } = stranger()
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
  writeFileSync(
    pidFile,
    [pid, join(dataDir, 'postgres'), 0, 5432, '', '127.0.0.1', '1 1', 'ready   ', ''].join('\n'),
  )
  const { uid, gid } = statSync(join(dataDir, 'postgres', 'PG_VERSION'))
  chownSync(pidFile, uid, gid)
  await started(dataDir)
  expect(commandOf(pid)).toBe('sleep 600')
})

test('a start that was killed while it prepared the database leaves nothing half made', async () => {
  const dataDir = folder()
  const child = spawnStart(dataDir, 'postgres')
  const bound = AbortSignal.timeout(20_000)
  for await (const { filename } of watch(dataDir, { signal: bound })) if (filename?.includes('making')) break
  await killHard(child)
  expect(readdirSync(dataDir).some((name) => name.includes('making'))).toBe(true)
  expect(readdirSync(dataDir)).not.toContain('postgres')
  const server = await started(dataDir)
  expect([...(await ask(server.serviceUrl)`select 1 as one`)]).toEqual([{ one: 1 }])
  expect(readdirSync(dataDir).some((name) => name.includes('making'))).toBe(false)
}, 60_000)

test('with postgres.json lost the data stays and the passwords are new', async () => {
  const dataDir = folder()
  const first = await started(dataDir)
  await ask(first.ownerUrl)`create table note as select 'still here' as text`
  await first.stop()
  rmSync(join(dataDir, 'postgres.json'))
  const second = await started(dataDir)
  expect([...(await ask(second.ownerUrl)`select text from note`)]).toEqual([{ text: 'still here' }])
  const oldPassword = new URL(first.ownerUrl).password
  expect(oldPassword).not.toBe(new URL(second.ownerUrl).password)
})

const asRoot = process.getuid?.() === 0 ? test : test.skip

asRoot('root gives the server to another user', async () => {
  const server = await started(folder())
  expect(statSync(`/proc/${server.pid}`).uid).not.toBe(0)
})

asRoot(
  'a DATA_DIR that the other user cannot enter keeps its database outside, for good',
  async () => {
    const dataDir = join(folder(0o700), 'data')
    mkdirSync(dataDir)
    const first = await started(dataDir)
    const { outside } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as PostgresRecord
    const clusterDir = outside?.clusterDir ?? ''
    later(() => rmSync(clusterDir, { recursive: true, force: true }))
    expect(clusterDir).toMatch(/^\/var\/(lib|tmp)\/qualification-gate\/data-/)
    await ask(first.ownerUrl)`create table note as select 'still here' as text`
    await first.stop()
    const second = await started(dataDir)
    expect([...(await ask(second.ownerUrl)`select text from note`)]).toEqual([{ text: 'still here' }])
    await second.stop()
    const copy = `${dataDir}-copy`
    cpSync(dataDir, copy, { recursive: true })
    await expect(started(copy)).rejects.toThrow(`is a copy of ${dataDir}`)
    removeOutsideCluster(copy)
    expect(existsSync(clusterDir)).toBe(true)
    removeOutsideCluster(dataDir)
    expect(existsSync(clusterDir)).toBe(false)
    await expect(started(dataDir)).rejects.toThrow(`was in ${clusterDir} and is gone`)
  },
  60_000,
)

async function started(dataDir: string, log = logBook().log): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log })
  later(() => server.stop())
  return server
}

function ask(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} })
  later(() => sql.end({ timeout: 1 }).catch(() => undefined))
  return sql
}

async function untilBusy(server: EmbeddedPostgres): Promise<void> {
  const sql = ask(server.superuserUrl)
  for (let look = 0; look < 500; look++) {
    const [row] = await sql`
      select count(*)::int as busy from pg_stat_activity where state = 'active' and query like '%generate_series%'
        and pid <> pg_backend_pid()`
    if (row?.['busy']) return
  }
  throw new Error('The busy query did not begin.')
}

/** Writes to a log once it says something, as many backends of a killed server do. @returns whether it has */
function writtenAfter(file: string, text: string): () => boolean {
  let isWritten = false
  const watcher = watchFile(file, () => {
    if (isWritten || !readFileSync(file, 'utf8').includes(text)) return
    isWritten = true
    appendFileSync(file, 'FATAL:  terminating connection due to unexpected postmaster exit\n'.repeat(20))
  })
  later(() => watcher.close())
  return () => isWritten
}
