import { readAction } from '../../db/queries/actions/actions.ts'
import type { TakenEvent } from '../../db/queries/events/deliveries.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { viewWithAnswer } from '../actions/action-view.ts'
import { moneyCard } from '../consent/card-of-row.ts'

/** What the body of an event says, beside its type and time. */
export interface EventData extends Record<string, unknown> {
  account: string
  /** The ledger entry, or the last one that is sealed. */
  seq?: number
  action?: number
  /** The action as `GET /api/v1/actions/{id}` shows it, or the entry as the ledger holds it. Only where the endpoint wants it. */
  object?: Record<string, unknown>
  /** Why it has no object. */
  left_out?: 'too_large'
}

type Told = Pick<TakenEvent, 'account_id' | 'type' | 'at' | 'seq' | 'action_id' | 'is_full' | 'entry'>

/**
 * The body of an event. An object is read when it is sent: it is as it is then, and what was erased is not in it. One that would be too
 * large is left out.
 */
export async function eventBody(deps: Deps, event: Told): Promise<string> {
  const { entry } = event
  const recorded = entry === null ? undefined : (JSON.parse(entry) as Entry)
  const thin: EventData = {
    account: event.account_id,
    ...(event.seq === null ? {} : { seq: event.seq }),
    ...(event.action_id === null ? {} : { action: event.action_id }),
    ...idsOf(recorded, event.action_id === null ? ids : idsOfActions),
  }
  if (!event.is_full) return textOf(event, thin)
  const object = await objectOf(deps, event, recorded)
  if (!object) return textOf(event, thin)
  const full = textOf(event, { ...thin, object })
  return Buffer.byteLength(full) <= limits.eventBytesMax
    ? full
    : textOf(event, { ...thin, left_out: 'too_large' })
}

interface Entry {
  actor: string
  key: string | null
  data: Record<string, unknown>
}

const textOf = ({ type, at }: Told, data: EventData): string =>
  JSON.stringify({ type, timestamp: at.toISOString(), data })

/** Fields of entries that name a thing. An action is read by its own id. */
const idsOfActions = ['member', 'key', 'app', 'passkey', 'version', 'used_for', 'to']
const ids = [
  ...idsOfActions,
  'from',
  'group',
  'delegation',
  'curriculum',
  'kind',
  'client',
  'admin',
  'integration',
  'device',
  'identity',
  'conversation',
  'upstream',
  'tool',
]

function idsOf(entry: Entry | undefined, names: string[]): Record<string, unknown> {
  const data = entry?.data ?? {}
  return Object.fromEntries(
    names.flatMap((name) => ((data[name] ?? null) === null ? [] : [[name, data[name]]])),
  )
}

async function objectOf(
  deps: Deps,
  event: Told,
  entry: Entry | undefined,
): Promise<Record<string, unknown> | undefined> {
  if (event.action_id !== null) {
    const row = await readAction(deps.db, event.account_id, event.action_id)
    // A receipt lets an executor act: it is for the one who asks the gate for it.
    return row && { ...(await viewWithAnswer(deps, row, null)), ...(await moneyCard(deps, row)) }
  }
  if (!entry) return undefined
  const { key_hash: _hash, ...data } = entry.data
  return { actor: entry.actor, key: entry.key, data }
}
