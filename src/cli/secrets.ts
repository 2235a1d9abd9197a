import type { Db } from '../db/connect.ts'
import { listAccounts } from '../db/queries/accounts/accounts.ts'
import {
  type WrappedSecretRow,
  listWrappedElsewhere,
  storeRewrapped,
} from '../db/queries/integrations/integrations.ts'
import { limits } from '../limits.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import { rewrap } from '../secrets/seal.ts'
import { reasonOf } from './refusals.ts'
import { defineVerb } from './verb.ts'

interface Rewrapped {
  rewrapped: number
  /** Not changed: their key is unknown, or they were altered. */
  unreadable: number
}

export const secretsVerbs = {
  rewrap: defineVerb({
    summary:
      'Encrypt every stored credential under the first key of SECRETS_KEYS, so that older keys can be removed',
    options: {},
    async run(context): Promise<Rewrapped> {
      const keys = context.secretsKeys()
      const total = { rewrapped: 0, unreadable: 0 }
      // Each reason is reported once, with the first secret it applies to.
      const places = new Map<string, string>()
      for (const { account_id } of await listAccounts(context.db()))
        for await (const page of rewrapAccount(context.db(), keys, account_id)) {
          total.rewrapped += page.rewrapped
          total.unreadable += page.failures.length
          for (const { reason, place } of page.failures) if (!places.has(reason)) places.set(reason, place)
        }
      for (const [reason, place] of places) context.say(`${place}: ${reason}`)
      return total
    },
    refusal: ({ rewrapped, unreadable }: Rewrapped) =>
      unreadable === 0
        ? null
        : `${unreadable} credentials could not be decrypted and were not changed. ${rewrapped} were rewrapped.`,
  }),
}

type Failure = { place: string; reason: string }

/** Rewraps an account's secrets, page by page. A secret that cannot be decrypted does not stop the others. */
async function* rewrapAccount(
  db: Db,
  keys: KeyProvider,
  account: string,
): AsyncGenerator<{ rewrapped: number; failures: Failure[] }> {
  for (let after: WrappedSecretRow | undefined; ;) {
    const rows = await listWrappedElsewhere(db, account, keys.kid, { after, limitRows: limits.rewrapRows })
    if (rows.length === 0) return
    after = rows.at(-1)
    const tried = await Promise.all(rows.map((row) => rewrapRow(keys, account, row)))
    const secrets = tried.flatMap((one) => ('secret' in one ? [one.secret] : []))
    const failures = tried.flatMap((one) => ('failure' in one ? [one.failure] : []))
    yield { rewrapped: await storeRewrapped(db, { account, kid: keys.kid, secrets }), failures }
  }
}

async function rewrapRow(keys: KeyProvider, account: string, row: WrappedSecretRow) {
  const { integration_id: integrationId, field, kid, wrapped_key: wrappedKey } = row
  try {
    const wrapped = await rewrap(keys, account, { kid, wrappedKey })
    return { secret: { integrationId, field, oldKid: kid, ...wrapped } }
  } catch (error) {
    return { failure: { place: `${account} ${integrationId} ${field}`, reason: reasonOf(error) } }
  }
}
