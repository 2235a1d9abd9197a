import { accountId, instant, keyId, line, memberName } from '../operations/admin/fields.ts'
import { mintKey, readKeys, revokeKey } from '../operations/admin/keys.ts'
import { limits } from '../limits.ts'
import { administering } from './context.ts'
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
    async run(context, { account: of, name, expires, actor }) {
      const given = { name, expiresAt: expires ?? null, actors: actor }
      const minted = await mintKey(administering(context, of), given)
      return { key_id: minted.keyId, api_key: minted.apiKey }
    },
  }),

  list: defineVerb({
    summary: 'Show every key, without its secret',
    options: { account },
    async run(context, given) {
      const keys = await readKeys(administering(context, given.account))
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
      const { key_id, revoked_at } = await revokeKey(administering(context, given.account), given.key)
      return { key_id, revoked_at }
    },
  }),
}
