import { listKeys, revokeKey, storeKey } from '../db/queries/keys.ts'
import { GateError } from '../errors.ts'
import { hashKey, mintKey, randomBase62 } from '../keys/api-key.ts'
import { adminEvent } from '../ledger/admin-event.ts'
import { limits } from '../limits.ts'
import { requireAccount, requireMemberIds } from '../operations/admin/found.ts'
import { accountId, instant, keyId, line, memberName } from '../operations/admin/fields.ts'
import { defineVerb, optional, repeatable, required } from './verb.ts'

const account = required('ACCOUNT', accountId)

export const keyVerbs = {
  mint: defineVerb({
    summary: 'Make an API key: the only time it is shown',
    options: {
      account,
      name: required('NAME', line(limits.nameCharsMax)),
      expires: optional('ISO', instant),
      actor: repeatable('EMAIL', memberName),
    },
    async run(context, given) {
      const db = context.db()
      const actors = given.actor.length === 0 ? null : await requireMemberIds(db, given.account, given.actor)
      const expiresAt = given.expires ?? null
      if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
        throw new GateError('invalid', 'A key that has expired already is of no use: give a later --expires.')
      }
      const apiKey = mintKey()
      const id = `key_${randomBase62(16)}`
      await storeKey(db, {
        account: given.account,
        keyId: id,
        name: given.name,
        last4: apiKey.slice(-4),
        hash: hashKey(apiKey),
        actors,
        expiresAt,
        event: adminEvent.keyMinted(id, actors, expiresAt),
      })
      return { key_id: id, api_key: apiKey }
    },
  }),

  list: defineVerb({
    summary: 'Show every key, without its secret',
    options: { account },
    async run(context, given) {
      await requireAccount(context.db(), given.account)
      const keys = await listKeys(context.db(), given.account)
      return keys.map(
        ({ key_id, name, last4, created_at, last_used_at, revoked_at, expires_at, actors }) => ({
          key_id,
          name,
          last4,
          created_at,
          last_used_at,
          revoked_at,
          expires_at,
          actors,
        }),
      )
    },
  }),

  revoke: defineVerb({
    summary: 'Revoke a key, from its next request on',
    options: { account, key: required('KEY_ID', keyId) },
    async run(context, given) {
      const db = context.db()
      const event = adminEvent.keyRevoked(given.key)
      const isFound = await revokeKey(db, { account: given.account, keyId: given.key, event })
      if (!isFound) throw new GateError('not_found', `This account has no key ${given.key}.`)
      const key = (await listKeys(db, given.account)).find(({ key_id }) => key_id === given.key)
      return { key_id: given.key, revoked_at: key!.revoked_at }
    },
  }),
}
