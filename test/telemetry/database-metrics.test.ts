import { expect, test } from '@jest/globals'
import type { Db } from '../../src/db/connect.ts'
import { databaseMetrics } from '../../src/telemetry/database-metrics.ts'
import { makeRegister } from '../../src/telemetry/register.ts'
import { valueOf } from './scrape.ts'

test('a database that does not answer is asked once, and its old values are not shown', async () => {
  const register = makeRegister()
  let reads = 0
  let isUp = true
  const db = {
    async read() {
      reads++
      if (!isUp) return new Promise(() => undefined)
      return [
        {
          open_proposals: 7,
          claims_without_end: 0,
          oldest_due: new Date(Date.now() - 90_000),
          epoch: 3,
          waiting_since: null,
          oldest_claim: null,
        },
      ]
    },
  } as unknown as Db
  const read = databaseMetrics(db, register)
  await read()
  const text = await register.text()
  expect(valueOf(text, 'gate_open_proposals')).toBe(7)
  expect(valueOf(text, 'gate_outbox_age_seconds')).toBeGreaterThanOrEqual(90)
  expect(valueOf(text, 'gate_database_read_ok')).toBe(1)

  isUp = false
  const down = databaseMetrics(db, register)
  reads = 0
  await Promise.all([down(), down()])
  await down()
  expect(reads).toBe(2)
  const without = await register.text()
  expect(valueOf(without, 'gate_open_proposals')).toBeUndefined()
  expect(valueOf(without, 'gate_database_read_ok')).toBe(0)
})

test('a label with too many values costs no more than its bound', async () => {
  const register = makeRegister()
  for (let n = 0; n < 5_000; n++) register.add('gate_requests_total', { operation: `op${n}`, code: 'ok' })
  const lines = (await register.text()).split('\n').filter((line) => line.startsWith('gate_requests_total{'))
  expect(lines).toHaveLength(2_000)
})
