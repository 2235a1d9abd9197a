import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { UnsentRequest } from '../../db/queries/actions/consent.ts'
import {
  type PushTarget,
  dropPushDevice,
  holdConsentRequest,
  readPushTargets,
} from '../../db/queries/members/push-devices.ts'
import type { Deps } from '../../deps.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'

/** The same for every request: what waits is read after signing in, and nowhere else. */
const message = Buffer.from(
  JSON.stringify({ title: 'Something waits for your decision', open: '/console/proposals' }),
)

/**
 * Tells the devices of a member that something waits, before the request about it is sent. One that its push service no longer
 * knows is removed.
 * @returns for how many ms the request is held: a mail, where a device was told
 */
export async function tellDevices(
  deps: Deps,
  row: ActionRow,
  { n, via }: Pick<UnsentRequest, 'n' | 'via'>,
): Promise<number> {
  const { account_id: account, id } = row
  const push = { message, lastsMs: row.expires_at!.getTime() - Date.now() }
  const tell = async (target: PushTarget): Promise<string[]> => {
    const outcome = await deps.pushes.send(account, target, push)
    const { device_id: deviceId } = target
    if (outcome === 'gone')
      await dropPushDevice(deps.db, {
        account,
        deviceId,
        eventId: eventId(row.uuid, 'device_gone', deviceId),
      })
    return outcome === 'delivered' ? [deviceId] : []
  }
  const told = await Promise.all((await readPushTargets(deps.db, account, { id, n })).map(tell))
  const holdMs = via === 'email' ? limits.pushMailHeldMs : 0
  return holdConsentRequest(deps.db, { account, id, n, devices: told.flat(), holdMs })
}
