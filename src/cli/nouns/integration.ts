import { z } from 'zod'
import { integrationProviders } from '../../gate/integration-provider.ts'
import { disconnect, revokeAtProviderSentence } from '../../operations/integrations/disconnect.ts'
import { listConnected } from '../../operations/integrations/list-connections.ts'
import { account } from '../account-option.ts'
import { defineVerb, required } from '../verb.ts'

const provider = required(
  'PROVIDER',
  z.enum(integrationProviders, `must be one of ${integrationProviders.join(', ')}`),
  `One of ${integrationProviders.join(', ')}`,
  'stripe',
)

export const integrationVerbs = {
  list: defineVerb({
    summary: 'List the connected providers of an account, without secrets',
    options: { account },
    columns: ['provider', 'state', 'last4', 'team', 'server', 'room', 'app_id', 'sender', 'by'],
    empty: () =>
      'No integrations. A member connects one with `connect_integration`: see docs/integrations.md.',
    run: (context, given) => listConnected({ db: context.db() }, given.account),
  }),

  disconnect: defineVerb({
    summary: "Delete an account's provider credential; the environment's credential is used instead",
    options: { account, provider },
    async run(context, given) {
      const by = { db: context.db(), account: given.account, session: null }
      const done = await disconnect(by, given.provider)
      context.say(`Credential deleted. ${revokeAtProviderSentence(given.provider)}`)
      return done
    },
  }),
}
