import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import type { Workflows } from '../../src/temporal/client.ts'
import { relayOnce } from '../../src/temporal/relay.ts'
import { workflowStarter } from '../../src/temporal/start-action.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => void (database = await freshDatabase()), 60_000)
afterEach(() => database.asSuperuser('delete from gate_private.open_action'))
afterAll(() => database.drop())

/** An open action that is due for a signal, and a relay whose signals do `tell`. */
async function dueFor(wake: string, tell: () => Promise<unknown>) {
  const { db } = database
  const uuid = randomUUID()
  await database.asSuperuser(
    `insert into gate_private.open_action (uuid, account_id, action_id, kind, expires_at, wake, due_at)
     values ('${uuid}', 'acc_none', 1, 'broadcast', now() + interval '1 day', '${wake}', now())`,
  )
  const log = pino({ level: 'silent' })
  const workflows = { start: tell, wake: tell } as unknown as Workflows
  const starter = workflowStarter({ db, workflows, log, underWayMax: 10 })
  const row = async () => {
    const [found] = await database.asSuperuser(
      `select wake, due_at is not null as is_due from gate_private.open_action where uuid = '${uuid}'`,
    )
    return found
  }
  return { uuid, starter, row, relay: () => relayOnce({ db, workflows, starter, log }) }
}

/** The same signal is due again, as soon as after a new request. */
const dueAgain = () =>
  database.asSuperuser(
    `update gate_private.open_action set due_at = clock_timestamp() + interval '2 seconds'
     returning due_at::text`,
  )

test.each(['start', 'ask', 'confirm', 'wake'])(
  'a signal %s that was sent is not due any more',
  async (wake) => {
    const { relay, row } = await dueFor(wake, async () => undefined)
    expect(await relay()).toBe(1)
    expect(await row()).toEqual({ wake, is_due: false })
  },
)

test('a closed action leaves the outbox with its signal', async () => {
  const { relay, row } = await dueFor('cancel', async () => undefined)
  expect(await relay()).toBe(1)
  expect(await row()).toBeUndefined()
})

test.each(['ask', 'wake'])('a signal %s that falls due again while it is sent stays due', async (wake) => {
  const { relay, row } = await dueFor(wake, dueAgain)
  expect(await relay()).toBe(1)
  expect(await row()).toEqual({ wake, is_due: true })
})

test.each([
  ['ask', 'askInBackground'],
  ['wake', 'wakeInBackground'],
] as const)('the late answer to a signal %s leaves a later one due', async (wake, inBackground) => {
  const { uuid, starter, row } = await dueFor(wake, async () => undefined)
  const proposal = {
    account: 'acc_none',
    id: 1,
    uuid,
    kind: 'broadcast',
    expiresAt: '2030-01-01T00:00:00.000Z',
  }
  const [first] = await dueAgain()
  const [second] = await dueAgain()
  starter[inBackground](proposal, first!['due_at'] as string)
  await starter.idle()
  expect(await row()).toEqual({ wake, is_due: true })
  starter[inBackground](proposal, second!['due_at'] as string)
  await starter.idle()
  expect(await row()).toEqual({ wake, is_due: false })
})
