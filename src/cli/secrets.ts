import { type Db } from '../db/connect.ts'
import { listAccounts } from '../db/queries/accounts.ts'
import { listWrappedElsewhere, storeRewrapped } from '../db/queries/integrations.ts'
import { limits } from '../limits.ts'
import { type KeyProvider } from '../secrets/key-provider.ts'
import { rewrap } from '../secrets/seal.ts'
import { defineVerb } from './verb.ts'

export const secretsVerbs = {
  rewrap: defineVerb({
    summary:
      'Wrap every stored credential under the first key of SECRETS_KEYS; then the others can be dropped',
    options: {},
    async run(context) {
      const keys = context.secretsKeys()
      let rewrapped = 0
      for (const { account_id } of await listAccounts(context.db()))
        rewrapped += await rewrapAccount(context.db(), keys, account_id)
      return { rewrapped }
    },
  }),
}

async function rewrapAccount(db: Db, keys: KeyProvider, account: string): Promise<number> {
  for (let rewrapped = 0; ;) {
    const left = await listWrappedElsewhere(db, account, keys.kid, limits.rewrapRows)
    if (left.length === 0) return rewrapped
    const secrets = await Promise.all(
      left.map(async ({ integration_id, field, kid, wrapped_key }) => ({
        integrationId: integration_id,
        field,
        oldKid: kid,
        ...(await rewrap(keys, account, { kid, wrappedKey: wrapped_key })),
      })),
    )
    rewrapped += await storeRewrapped(db, { account, kid: keys.kid, secrets })
  }
}
