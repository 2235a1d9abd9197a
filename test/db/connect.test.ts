import { once } from 'node:events'
import { type AddressInfo, connect as connectTo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Db, connect } from '../../src/db/connect.ts'
import { GateError } from '../../src/errors.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { shorten } from '../support/shorten.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await freshDatabase()
  db = connect(database.serviceUrl, { applicationName: 'gate test', connectionsMax: 1 })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const three = () => db.run<{ n: number }>((sql) => sql`select n from generate_series(1, 3) n`)
const readable = [{ n: 1 }, { n: 2 }, { n: 3 }]

test('a read after a statement that failed among its rows is whole', async () => {
  const failing = db.once((sql) => sql`select 1 / (3 - n) from generate_series(1, 10) n`)
  await expect(failing).rejects.toThrow('division by zero')
  expect(await three()).toEqual(readable)
  expect(await three()).toEqual(readable)
})

test('a read after a connection that was ended among its rows is whole', async () => {
  const ended = db.once(
    (sql) => sql`
    select case when n > 2 then pg_terminate_backend(pg_backend_pid())::text end, repeat('x', 9000)
    from generate_series(1, 10) n`,
  )
  await expect(ended).rejects.toThrow(GateError)
  expect(await three()).toEqual(readable)
  expect(await three()).toEqual(readable)
})

test('a read without rows gets no rows of the statement that failed before it', async () => {
  await db.once((sql) => sql`select 1 / (3 - n) from generate_series(1, 10) n`).catch(() => undefined)
  expect(await db.run((sql) => sql`select 1 where false`)).toEqual([])
})

describe('a statement that is not served', () => {
  const counted = () => database.asSuperuser('select last_value::int n from public.sent')
  const sends = async (state: string, how: 'read' | 'run') => {
    await database.asSuperuser(`
      drop sequence if exists public.sent;
      create sequence public.sent minvalue 0 start 0;
      grant all on sequence public.sent to public;
      select nextval('public.sent')`)
    // A sequence counts what was rolled back too.
    const failing = db[how](
      (sql) =>
        sql.unsafe(`do $$ begin perform nextval('public.sent'); raise sqlstate '${state}'; end $$`) as never,
    )
    await expect(failing).rejects.toMatchObject({ code: 'unavailable' })
    return (await counted())[0]!['n']
  }

  test.each(['57P03', '53300', '25006', '08006'])(
    'because of the server (%s) is sent once more',
    async (state) => expect([await sends(state, 'read'), await sends(state, 'run')]).toEqual([2, 2]),
  )

  test.each(['57014', '55P03', '42883'])(
    'because it took too long or lacks a function (%s) is not sent again',
    async (state) => expect([await sends(state, 'read'), await sends(state, 'run')]).toEqual([1, 1]),
  )

  test.each([
    ['57014', 'The database is busy'],
    ['55P03', 'The database is busy'],
    ['53300', 'The database cannot be reached'],
    ['42883', 'The database has the schema of another version of the gate'],
  ])('says whether the database was busy, or is of another version (%s)', async (state, beginning) => {
    const failing = db.run((sql) => sql.unsafe(`do $$ begin raise sqlstate '${state}'; end $$`) as never)
    await expect(failing).rejects.toThrow(beginning)
  })
})

test('a repeat whose key is refused does not say that the first, whose answer was lost, was not done', async () => {
  const states = ['08006', 'GA401']
  const repeated = db.run(
    (sql) => sql.unsafe(`do $$ begin raise sqlstate '${states.shift()}'; end $$`) as never,
  )
  await expect(repeated).rejects.toMatchObject({ publishedCode: 'outcome_unknown' })
  const refused = db.run((sql) => sql.unsafe(`do $$ begin raise sqlstate 'GA401'; end $$`) as never)
  await expect(refused).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('an answer that ends before it began is not taken for no row: the statement is sent again, on another connection', async () => {
  const target = new URL(database.serviceUrl)
  const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
  let isEarly = false
  const server = createServer((client) => {
    const upstream = connectTo(Number(target.port), target.hostname)
    client.on('data', (bytes) => {
      if (isEarly) client.write(readyForQuery)
      isEarly = false
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => client.write(bytes))
    for (const socket of [client, upstream])
      socket.on('close', () => [client, upstream].map((one) => one.destroy())).on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(database.serviceUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const through = connect(url.href, { applicationName: 'gate test', connectionsMax: 1 })
  const again = () => through.run<{ n: number }>((sql) => sql`select n from generate_series(1, 3) n`)
  expect(await again()).toEqual(readable)
  for (let round = 0; round < 3; round++) {
    isEarly = true
    expect(await again()).toEqual(readable)
    expect(await again()).toEqual(readable)
  }
  await through.close()
  server.close()
})

test('statements go on after all connections were cut at once, without waiting for the driver to give up', async () => {
  const givenBack = shorten({ databaseConnectSeconds: 1 })
  const url = new URL(database.serviceUrl)
  const edge = await startTcpProxy(url.host)
  const far = connect(Object.assign(new URL(url.href), { host: edge.address }).href, {
    applicationName: 'gate test',
    connectionsMax: 4,
  })
  const busy = (count: number) =>
    Array.from({ length: count }, () => far.read((sql) => sql`select pg_sleep(0.1)`))
  try {
    await Promise.all(busy(4))
    for (let round = 0; round < 3; round++) {
      const running = busy(1)
      edge.cut()
      // Each is sent again at once, on a connection that was cut too and does not know it yet.
      await Promise.allSettled([...running, ...busy(3)])
    }
    await Promise.allSettled(busy(4))
    const alone = Array.from({ length: 4 }, () => far.once((sql) => sql`select pg_sleep(0.1)`))
    expect((await Promise.allSettled(alone)).map(({ status }) => status)).toEqual(
      alone.map(() => 'fulfilled'),
    )
  } finally {
    givenBack()
    await far.close()
    await edge.stop()
  }
}, 20_000)
