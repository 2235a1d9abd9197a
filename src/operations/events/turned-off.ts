import type { TakenEvent } from '../../db/queries/events/deliveries.ts'
import type { Deps } from '../../deps.ts'
import type { OffReason } from '../../gate/event-types.ts'
import { publicLink } from '../../network/public-link.ts'
import { notifyAdmins } from '../integrations/notify-admins.ts'
import { listEndpoints } from './endpoints.ts'

/** Tells the administrators by mail that an endpoint was turned off. Its address is not in the log: it may hold a secret. */
export async function tellOfTurnedOff(
  deps: Deps,
  {
    account_id: account,
    endpoint_id: id,
    reason,
  }: Pick<TakenEvent, 'account_id' | 'endpoint_id'> & { reason: OffReason },
): Promise<void> {
  deps.log.warn({ account, endpoint: id, reason }, 'an endpoint was turned off')
  const endpoint = (await listEndpoints({ db: deps.db, account })).find((one) => one.endpoint_id === id)
  if (!endpoint) return
  notifyAdmins(deps, {
    account,
    exceptAdmin: null,
    what: 'mail about an endpoint that was turned off',
    notice: {
      subject: `Events are no longer sent to ${endpoint.description}`,
      text: [
        `The endpoint ${endpoint.description} (${id}) was turned off: ${offWords[reason]}.`,
        'It is told nothing until you turn it on again. Then replay what it missed: nothing is lost for 30 days.',
      ].join('\n\n'),
      link: { label: 'Open the endpoint', url: publicLink(deps, `/console/endpoints/${id}`) },
    },
  })
}

/** Why an endpoint is off, as the end of a sentence. */
export const offWords: Record<OffReason, string> = {
  admin: 'an administrator turned it off',
  gone: 'it answered 410, which says that it wants no more events',
  failing: 'for 5 days no delivery succeeded',
}
