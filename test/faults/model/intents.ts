import { connect } from '../../../src/db/connect.ts'
import type { System } from '../system/system.ts'
import type { Journal } from '../workload/journal.ts'

interface Found {
  decision: string | null
  state: string
}

/**
 * Looks, when a call arrives at a stand-in and before it is served, whether the database says that it is being made: an effect
 * whose intent is not stored could be made again after a crash.
 */
export function watchIntents(system: System, journal: Journal): () => Promise<void> {
  const { provider, superuserUrl } = system.service
  const db = connect(superuserUrl, { applicationName: 'faults model', connectionsMax: 4 })

  provider.arriving = async ({ call, form, json }) => {
    if (call === 'chat.postMessage')
      await requireDelivery('slack', form['channel']!.slice(1), form['text'] ?? '')
    if (call !== 'emails/batch') return
    for (const { to, text } of json as { to: string; text: string }[])
      await requireDelivery('email', to, text)
  }
  system.stripe.arriving = async ({ method, path, key }) => {
    if (method === 'GET' || key === undefined) return
    await requireIntent(
      `${method} ${path} ${key}`,
      (sql) =>
        sql`
        select a.decision, c.state from gate.provider_call c
        join gate.action a on a.account_id = c.account_id and a.id = c.action_id
        where c.key = ${key}`,
    )
  }

  async function requireDelivery(channel: string, to: string, text: string): Promise<void> {
    const marker = /^mark-\d+-end(?= to everybody)/.exec(text)?.[0]
    if (marker === undefined) return
    await requireIntent(
      `${channel} ${to} ${marker}`,
      (sql) =>
        sql`
        select a.decision, (d.states)[array_position(d.addresses, ${to})] as state from gate.delivery d
        join gate.action a on a.account_id = d.account_id and a.id = d.action_id
        where a.payload ->> 'message' = ${`${marker} to everybody.`} and d.channel = ${channel}
          and ${to} = any (d.addresses)`,
    )
  }

  async function requireIntent(what: string, statement: Parameters<typeof db.read<Found>>[0]): Promise<void> {
    const rows = await inTime(db.read<Found>(statement))
    const isStored = rows?.some(({ decision, state }) => decision === 'confirm' && state !== 'pending')
    if (rows && !isStored)
      journal.odd('no effect comes before its intent', `${what}: ${JSON.stringify(rows)}`)
  }

  return async () => {
    provider.arriving = async () => {}
    system.stripe.arriving = async () => {}
    await db.close()
  }
}

/** While the database is away nothing can be looked at, and the call goes on. */
async function inTime<T>(read: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout
  const late = new Promise<undefined>((resolve) => void (timer = setTimeout(() => resolve(undefined), 1_000)))
  return Promise.race([read.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}
