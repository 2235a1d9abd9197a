import { actionKinds } from '../../actions/registry.ts'
import { unconfirmedKinds } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import {
  actionsPerDay,
  centsPerDay,
  instant,
  kindsAmong,
  line,
  memberName,
  network,
  powers,
  whole,
} from '../../operations/admin/fields.ts'
import { keyId } from '../../operations/ids.ts'
import { mintKey, readKeys, revokeKey, rotateKey } from '../../operations/admin/keys.ts'
import { account } from '../account-option.ts'
import { adminContextOf } from '../context.ts'
import { UsageError, defineVerb, optional, repeatable, required } from '../verb.ts'

const kinds = kindsAmong([...actionKinds.map(({ kind }) => kind), ...unconfirmedKinds])

export const keyVerbs = {
  mint: defineVerb({
    summary: 'Create an API key and show it once. Without --powers it can read, propose and confirm',
    options: {
      account,
      name: required(
        'NAME',
        line(limits.nameCharsMax),
        'Name of the agent, which people see with its actions',
        'support agent',
      ),
      expires: optional('ISO', instant, 'When it stops working; if absent: never', '2030-01-31T12:00:00Z'),
      actor: repeatable(
        'EMAIL',
        memberName,
        'A member it may act for; if absent: every member',
        'ada@my.example',
      ),
      powers: optional(
        'POWER,…',
        powers,
        'What it may do; if absent: read, propose and confirm',
        'read,propose',
      ),
      kinds: optional('KIND,…', kinds, 'Kinds of action it may use; if absent: all', 'broadcast,refund'),
      'actions-per-day': optional(
        'N',
        actionsPerDay,
        'Confirmed actions in 24 hours; if absent: no limit',
        '50',
      ),
      'cents-per-day': optional(
        'usd=N,…',
        centsPerDay,
        'Cents in 24 hours by currency; usd limits the currencies not given',
        'usd=100000,eur=90000',
      ),
      network: repeatable('CIDR', network, 'A network it may be used from; if absent: any', '10.0.0.0/8'),
    },
    shown: ['powers'],
    async run(context, { account: of, name, expires, actor, ...limited }) {
      if (limited.network.length > limits.keyNetworksMax)
        throw new UsageError(`--network can be given at most ${limits.keyNetworksMax} times`)
      const minted = await mintKey(adminContextOf(context, of), {
        name,
        expiresAt: expires ?? null,
        actors: actor,
        rights: {
          ...(limited.powers ? { powers: limited.powers } : {}),
          kinds: limited.kinds ?? null,
          networks: limited.network.length === 0 ? null : limited.network,
          actionsPerDay: limited['actions-per-day'] ?? null,
          centsPerDay: limited['cents-per-day'] ?? null,
        },
      })
      return { key_id: minted.keyId, api_key: minted.apiKey }
    },
  }),

  list: defineVerb({
    summary: 'List all keys, without secrets, with what each confirmed in the last 24 hours',
    options: { account },
    columns: ['key_id', 'name', 'last4', 'created_at', 'used_today', 'expires_at', 'revoked_at'],
    empty: 'No keys. Create one with `gate key mint --name NAME`.',
    async run(context, given) {
      const keys = await readKeys(adminContextOf(context, given.account))
      return keys.map((key) => ({
        key_id: key.key_id,
        name: key.name,
        last4: key.last4,
        created_at: key.created_at,
        last_used_at: key.last_used_at,
        used_today: key.used_today,
        revoked_at: key.revoked_at,
        expires_at: key.expires_at,
        actors: key.actors,
        powers: key.powers,
        kinds: key.kinds,
        networks: key.networks,
        actions_per_day: key.actions_per_day,
        cents_per_day: key.cents_per_day,
        rotated_from: key.rotated_from,
      }))
    },
  }),

  rotate: defineVerb({
    summary: 'Replace a key with a new one with the same rights; the old key expires after the overlap',
    options: {
      account,
      key: required('KEY_ID', keyId, 'Id of the key', 'key_7hQ2mWzX0aLk4RtY'),
      overlap: optional(
        'HOURS',
        whole(0, limits.keyOverlapHoursMax),
        'Hours for which the old key still works; if absent: 24',
        '24',
      ),
    },
    async run(context, given) {
      const admin = adminContextOf(context, given.account)
      const { former, ...made } = await rotateKey(admin, given.key, given.overlap)
      return {
        key_id: made.keyId,
        api_key: made.apiKey,
        rotated_from: former.keyId,
        old_expires_at: former.expiresAt,
      }
    },
  }),

  revoke: defineVerb({
    summary: 'Revoke a key: takes effect with the next request',
    options: { account, key: required('KEY_ID', keyId, 'Id of the key', 'key_7hQ2mWzX0aLk4RtY') },
    async run(context, given) {
      const { key_id, revoked_at } = await revokeKey(adminContextOf(context, given.account), given.key)
      return { key_id, revoked_at }
    },
  }),
}
