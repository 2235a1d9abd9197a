import { expect, test } from '@jest/globals'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { actionEndListener } from '../../src/db/action-end-listener.ts'
import { moveExpiry } from '../support/expiry.ts'
import { useGate } from '../support/use-gate.ts'
import { until } from '../support/until.ts'

const gate = useGate()

const longMs = 10_000

async function opened() {
  const open = await gate.openBroadcast({ recipients: 1 })
  return { ...open, uuid: (await readAction(gate.deps.db, open.account.account, open.id))!.uuid }
}

const listeners = () =>
  gate.database.asSuperuser(
    `select pid from pg_stat_activity where datname = current_database() and query ilike 'listen%'`,
  )

type Opened = Awaited<ReturnType<typeof opened>>

test.each([
  ['executed', ({ client, id, actor }: Opened) => client.confirm(id, actor)],
  ['cancelled', ({ client, id, actor }: Opened) => client.cancel(id, actor)],
  [
    'denied at its confirm',
    async ({ account, proposer, client, id, actor }: Opened) => {
      await account.setTier(proposer, 'read_only')
      return client.confirm(id, actor)
    },
  ],
  [
    'expired',
    async ({ account, client, id, actor }: Opened) => {
      await moveExpiry(gate.database, account.account, -8)
      return client.confirm(id, actor)
    },
  ],
])(
  'a listener hears that an action is %s, also in a process that has nothing to do with it',
  async (_how, end) => {
    const open = await opened()
    const heard = actionEndListener(gate.deps.db).expect(open.uuid)
    await until('it listens', async () => ((await listeners()).length > 0 ? true : undefined))
    const ended = heard.within(longMs, undefined)
    await end(open)
    expect(await ended).toBe(true)
    heard.forget()
  },
)

test('a listener hears of ends again after its connection was lost', async () => {
  const open = await opened()
  const heard = actionEndListener(gate.deps.db).expect(open.uuid)
  const before = await until('it listens', async () => {
    const found = await listeners()
    return found.length > 0 ? found : undefined
  })
  await gate.database.asSuperuser(
    `select pg_terminate_backend(pid) from pg_stat_activity where pid in (${before.map((b) => b['pid'])})`,
  )
  await until('it listens again', async () => {
    const found = await listeners()
    return found.length > 0 && found.every((f) => !before.some((b) => b['pid'] === f['pid']))
      ? true
      : undefined
  })
  const ended = heard.within(longMs, undefined)
  await open.client.confirm(open.id, open.actor)
  expect(await ended).toBe(true)
  heard.forget()
})

test('waiting ends by itself, and with its caller', async () => {
  const heard = actionEndListener(gate.deps.db).expect('00000000-0000-4000-8000-000000000000')
  expect(await heard.within(1, undefined)).toBe(false)
  expect(await heard.within(longMs, AbortSignal.abort())).toBe(false)
  const leaving = new AbortController()
  const waiting = heard.within(longMs, leaving.signal)
  leaving.abort()
  expect(await waiting).toBe(false)
  heard.forget()
})
