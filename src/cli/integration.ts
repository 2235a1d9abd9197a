import { z } from 'zod'
import { integrationProviders } from '../gate/integration-provider.ts'
import { disconnect, listConnected, revokeAtProviderSentence } from '../operations/admin/integrations.ts'
import { accountId } from '../operations/admin/fields.ts'
import { defineVerb, required } from './verb.ts'

const account = required('ACCOUNT', accountId)
const provider = required(
  'PROVIDER',
  z.enum(integrationProviders, `must be one of ${integrationProviders.join(', ')}`),
)

export const integrationVerbs = {
  list: defineVerb({
    summary: 'Show what an account has connected, without its secrets',
    options: { account },
    run: (context, given) => listConnected({ db: context.db() }, given.account),
  }),

  disconnect: defineVerb({
    summary: "Delete the credential of a provider: from then on the environment's is used",
    options: { account, provider },
    async run(context, given) {
      const by = { db: context.db(), account: given.account, session: null }
      const done = await disconnect(by, given.provider)
      context.say(`Deleted here. ${revokeAtProviderSentence(given.provider)}`)
      return done
    },
  }),
}
