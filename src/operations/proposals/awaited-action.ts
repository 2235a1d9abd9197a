import { type ActionRow, readAction, readActionByUuid } from '../../db/queries/actions/actions.ts'
import { isRunning } from '../actions/action-view.ts'
import { isOfKeyMember } from '../actions/action-not-found.ts'
import { lacksPower, mayCall } from '../key-powers.ts'
import type { CallContext } from '../operation.ts'
import type { Actor } from '../schemas.ts'
import { waitsFor } from './await-end.ts'
import { getAction } from './get-action.ts'

/** An action, as a caller follows it who asks again instead of waiting. */
export interface AwaitedAction {
  id: number
  uuid: string
  /** Its member. */
  actor: Actor
  /** `withdrawn`: its agent cancelled it. Every other end is a result, also a denial and a decline. */
  state: 'awaited' | 'ended' | 'withdrawn'
  /** What it waits for, in a sentence; absent after its end. */
  message?: string
  createdAt: Date
  changedAt: Date
  /** From its creation on; null where nobody is waited for. */
  expiresAfterMs: number | null
  /** How long to wait before the next look. */
  lookAfterMs: number
}

/**
 * Reads one, for a key that may read it.
 * @returns undefined where there is none, or none that the key may see
 * @throws GateError `forbidden` where the key may not read
 */
export async function readAwaited(
  context: CallContext,
  named: { id: number } | { uuid: string },
): Promise<AwaitedAction | undefined> {
  if (!mayFollow(context)) throw lacksPower(context, getAction.powers[0]!)
  const { deps, account } = context
  const row =
    'id' in named
      ? await readAction(deps.db, account, named.id)
      : await readActionByUuid(deps.db, account, named.uuid)
  return row && isOfKeyMember(context, row) ? awaitedOf(row, Date.now()) : undefined
}

/** Whether a key may follow actions. */
export const mayFollow = (context: CallContext): boolean => mayCall(context, getAction)

/** Pure. */
export function awaitedOf(row: ActionRow, now: number): AwaitedAction {
  const isAwaited = row.status === 'proposed'
  const changedAt = [row.created_at, row.asked_at, row.decided_at, row.executed_at]
    .filter((time) => time !== null)
    .reduce((latest, time) => (time > latest ? time : latest))
  return {
    id: row.id,
    uuid: row.uuid,
    actor: actorOf(row),
    state: isAwaited ? 'awaited' : row.closed_reason === 'proposer' ? 'withdrawn' : 'ended',
    ...(isAwaited ? { message: waitsFor(row) } : {}),
    createdAt: row.created_at,
    changedAt,
    expiresAfterMs:
      isAwaited && !isRunning(row) && row.expires_at !== null
        ? row.expires_at.getTime() - row.created_at.getTime()
        : null,
    lookAfterMs: lookAfter(now - changedAt.getTime()),
  }
}

/** A member who is there decides within seconds, another one within hours: at most 20 looks in the first ten minutes. */
const lookAfter = (ageMs: number): number => (ageMs < 10_000 ? 2_000 : ageMs < 120_000 ? 15_000 : 60_000)

/** The member of an action, as its label names them. */
function actorOf({ member }: ActionRow): Actor {
  const slack = /^slack:(.+)$/.exec(member)?.[1]
  return slack === undefined ? { email: member } : { provider: 'slack', external_id: slack }
}
