import assert from 'node:assert/strict'
import { arrivals } from '../faults/invariants.ts'
import type { Service } from '../support/supervisor.ts'

interface Broadcast {
  id: number
  message: string
  result: { outcome: string }
  reach_slack: number
  reach_email: number
}

/**
 * Every broadcast that was confirmed has reached every recipient, once, and says so.
 * @returns how many there are
 */
export async function expectAllDelivered(service: Service, account: string): Promise<number> {
  const rows = await service.sql<Broadcast>(
    `select id::int, payload->>'message' as message, result, reach_slack, reach_email from gate.action
      where account_id = '${account}' and kind = 'broadcast' and decision = 'confirm'`,
  )
  const arrived = arrivals(service)
  for (const { id, message, result, reach_slack, reach_email } of rows) {
    assert.deepEqual([id, result?.outcome], [id, 'done'])
    assert.deepEqual({ id, ...arrived.of(message) }, { id, slack: reach_slack, email: reach_email })
  }
  const twice = [...arrived.each].filter(([, times]) => times !== 1)
  assert.deepEqual(twice, [])
  return rows.length
}
