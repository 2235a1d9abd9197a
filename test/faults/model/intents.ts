import { connect } from '../../../src/db/connect.ts'
import type { System } from '../system/system.ts'
import type { Journal } from '../workload/journal.ts'
import { toolNeeds } from '../workload/policies.ts'

interface Found {
  decision: string | null
  state: string
}

/**
 * Looks, when a call arrives at a stand-in and before it is served, whether the database says that it is being made: an effect
 * whose intent is not stored could be made again after a crash.
 */
export function watchIntents(system: System, journal: Journal): () => Promise<void> {
  const { service, executor, notes } = system
  const { provider, superuserUrl } = service
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

  executor.arriving = ({ id, data }) =>
    requireIntent(
      `webhook ${id}`,
      (sql) =>
        sql`
        select a.decision, case when c.attempts > 0 then c.state || ' ' || c.attempts else 'pending' end as state
        from gate.action a join gate.executor_call c on c.account_id = a.account_id and c.action_id = a.id
        where a.uuid = ${String(data['uuid'])}::uuid`,
    )
  notes.arriving = async ({ tool, text }) => {
    if (typeof toolNeeds[tool as keyof typeof toolNeeds] !== 'object') return
    await requireIntent(
      `${tool} ${text}`,
      (sql) =>
        sql`
        select a.decision, c.state from gate.action a
        join gate.provider_call c on c.account_id = a.account_id and c.action_id = a.id
        where a.kind = 'upstream_tool' and a.payload -> 'arguments' ->> 'text' = ${text}`,
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
        where starts_with(${text}, a.payload ->> 'message') and d.channel = ${channel}
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
    executor.arriving = notes.arriving = undefined
    await db.close()
  }
}

/** While the database is away nothing can be looked at, and the call goes on. */
async function inTime<T>(read: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout
  const late = new Promise<undefined>((resolve) => void (timer = setTimeout(() => resolve(undefined), 1_000)))
  return Promise.race([read.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}
