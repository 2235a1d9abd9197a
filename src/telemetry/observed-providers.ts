import type { Executors } from '../executors/executors.ts'
import type { BillingAccess } from '../providers/billing.ts'
import type { DeliveryChannel } from '../providers/ports.ts'
import type { ProviderFactory } from '../providers/provider-factory.ts'
import type { ObserveCall } from '../waiting/observe-call.ts'

/** Providers whose calls that send or move something are observed. Reads and lookups are not. */
export function observedProviders(factory: ProviderFactory, onCall: ObserveCall): ProviderFactory {
  const observed = (made: DeliveryChannel): DeliveryChannel => ({
    ...made,
    send: (slice) =>
      onCall(
        // The room and the bot are both Teams.
        made.channel === 'teams_bot' ? 'teams' : made.channel,
        () => made.send(slice),
        ({ outcomes }) => outcomes.map(({ state }) => state),
      ),
  })
  return {
    ...factory,
    channel: (provider, sender) => observed(factory.channel(provider, sender)),
    billing: (apiKey) => observedBilling(factory.billing(apiKey), onCall),
  }
}

const observedBilling = (access: BillingAccess, onCall: ObserveCall): BillingAccess => ({
  ...access,
  provider: {
    ...access.provider,
    perform: (call, key, options) =>
      onCall(
        'stripe',
        () => access.provider.perform(call, key, options),
        ({ state }) => [state],
      ),
  },
})

/** An executor that took a call and goes on with it has answered: `ok`. */
export const observedExecutors = (made: Executors, onCall: ObserveCall): Executors => ({
  ...made,
  call: (call) =>
    onCall(
      'executor',
      () => made.call(call),
      ({ state }) => [state === 'accepted' ? 'ok' : state],
    ),
})
