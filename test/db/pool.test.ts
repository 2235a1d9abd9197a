import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { type Db, connect } from '../../src/db/connect.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await freshDatabase()
  db = connect(database.serviceUrl, { applicationName: 'gate test', connectionsMax: 4 })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

/** Runs statements at once. @returns the processes of the database that ran them */
async function backends(count: number): Promise<number[]> {
  const rows = await Promise.all(
    Array.from({ length: count }, () => db.read<{ pid: number }>((sql) => sql`select pg_backend_pid() pid`)),
  )
  return rows.map(([row]) => row!.pid)
}

const uses = (pids: number[]) =>
  [...new Set(pids)].map((pid) => pids.filter((one) => one === pid).length).toSorted()

test('statements at once are spread over all connections, and those after one another keep to one', async () => {
  expect(uses(await backends(4))).toEqual([1, 1, 1, 1])
  expect(uses(await backends(10))).toEqual([2, 2, 3, 3])
  const one = await backends(1)
  await expect(db.once((sql) => sql`select 1 / 0`)).rejects.toThrow('division by zero')
  for (let n = 0; n < 5; n++) expect(await backends(1)).toEqual(one)
})

test('the driver searches no list that grows with each statement', async () => {
  const searched = jest.spyOn(Array.prototype, 'indexOf')
  let longest = 0
  try {
    await Promise.all([backends(2), backends(12)])
    for (let n = 0; n < 200; n++) await Promise.all([backends(1), n % 4 === 0 ? backends(6) : undefined])
    for (const list of searched.mock.contexts) {
      const isOfConnections = (list as unknown[]).every(isConnectionOrNone)
      if (isOfConnections) longest = Math.max(longest, (list as unknown[]).length)
    }
    expect(searched).toHaveBeenCalled()
  } finally {
    searched.mockRestore()
  }
  expect(longest).toBeLessThan(20)
})

/** An entry of the driver's queues (`queue.js` of postgres.js 3.4.9). */
const isConnectionOrNone = (entry: unknown) =>
  entry === undefined || typeof (entry as { execute?: unknown } | null)?.execute === 'function'
