import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { actingPowers } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { line, network } from '../entered-fields.ts'
import { keyId } from '../ids.ts'
import { kindsForKeys } from '../kinds/declared-kinds.ts'
import { viewKey } from '../keys/key-view.ts'
import { readKeys } from '../keys/list-keys.ts'
import { mintKey as mint } from '../keys/mint-key.ts'
import { revokeKey as revoke } from '../keys/revoke-key.ts'
import { rotateKey as rotate } from '../keys/rotate-key.ts'
import { defineAdmin } from './admin-operation.ts'
import { Document, listOf, memberNames, time } from './parts.ts'

const path = '/api/v1/admin/keys'
const key = 'key_7hQ2mWzX0aLk4RtY'
const Minted = z.object({
  key_id: z.string(),
  api_key: z.string().meta({ description: 'Shown once.' }),
})

const listKeys = defineAdmin({
  name: 'list_keys',
  title: 'List API keys',
  summary:
    'Lists all keys, without secrets, with who minted each and what it confirmed in the last 24 hours.',
  http: { method: 'GET', path },
  power: 'admin:keys.read',
  input: z.strictObject({}),
  output: listOf('keys'),
  errors: ['forbidden'],
  example: {
    input: {},
    output: { keys: [{ key_id: key, name: 'support agent', powers: ['read', 'propose'] }] },
  },
  run: async (context) => ({ keys: (await readKeys(context)).map(viewKey) }),
})

const mintKey = defineAdmin({
  name: 'mint_key',
  title: 'Mint an API key',
  summary:
    'Creates a key for an agent and shows it once. It can do no more than the key of the call: powers, kinds, networks and end are within its own. Powers of administration are given by people alone.',
  http: { method: 'POST', path },
  power: 'admin:keys.write',
  input: z.strictObject({
    name: line(limits.nameCharsMax),
    powers: z.array(z.enum(actingPowers)).min(1).max(actingPowers.length),
    kinds: z.array(z.string().max(limits.kindCharsMax)).min(1).max(limits.keyKindsMax).optional(),
    members: memberNames
      .default([])
      .meta({ description: 'E-mail addresses or Slack ids. Empty: every member.' }),
    networks: z.array(network).min(1).max(limits.keyNetworksMax).optional(),
    actions_per_day: z.int().min(1).max(limits.velocityActionsMax).optional(),
    cents_per_day: z
      .record(z.string().regex(/^[a-z]{3}$/), z.int().min(1).max(limits.amountCentsMax))
      .optional(),
    expires_at: time.optional(),
  }),
  output: Minted,
  errors: ['forbidden', 'not_found', 'invalid'],
  example: {
    input: { name: 'support agent', powers: ['read', 'propose'] },
    output: { key_id: key, api_key: `qgk_${'x'.repeat(38)}` },
  },
  async run(context, { name, members, expires_at: expiresAt, ...given }) {
    const known = kindsForKeys(await context.deps.kinds.now(context.account))
    const unknown = given.kinds?.find((kind) => !known.includes(kind))
    if (unknown !== undefined)
      throw new GateError('invalid', `kinds must be one or more of ${known.join(', ')}.`, { param: 'kinds' })
    const { keyId: id, apiKey } = await mint(context, {
      name,
      actors: members,
      expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
      rights: {
        powers: given.powers,
        kinds: given.kinds ?? null,
        networks: given.networks ?? null,
        actionsPerDay: given.actions_per_day ?? null,
        centsPerDay: given.cents_per_day ?? null,
      },
    })
    return { key_id: id, api_key: apiKey }
  },
})

const rotateKey = defineAdmin({
  name: 'rotate_key',
  title: 'Rotate an API key',
  summary:
    'Replaces a key of an agent with a new one of the same rights; the old one expires after the overlap. Those rights must be within those of the key of the call.',
  http: { method: 'POST', path: `${path}/{key_id}/rotate` },
  power: 'admin:keys.write',
  input: z.strictObject({
    key_id: keyId,
    overlap_hours: z.int().min(0).max(limits.keyOverlapHoursMax).default(limits.keyOverlapHoursDefault),
  }),
  output: Minted.extend({ rotated_from: z.string(), old_expires_at: z.iso.datetime() }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: {
    input: { key_id: key },
    output: {
      key_id: 'key_1a2B3c4D5e6F7g8H',
      api_key: `qgk_${'x'.repeat(38)}`,
      rotated_from: key,
      old_expires_at: '2026-11-29T10:00:00.000Z',
    },
  },
  async run(context, { key_id: id, overlap_hours: overlapHours }) {
    const { former, ...made } = await rotate(context, id, {
      overlapHours,
      secretsKeys: context.deps.secretsKeys,
    })
    return {
      key_id: made.keyId,
      api_key: made.apiKey,
      rotated_from: former.keyId,
      old_expires_at: former.expiresAt,
    }
  },
})

const revokeKey = defineAdmin({
  name: 'revoke_key',
  title: 'Revoke an API key',
  summary: 'Revokes a key, also one that administrates: takes effect with its next request.',
  http: { method: 'POST', path: `${path}/{key_id}/revoke` },
  power: 'admin:keys.write',
  input: z.strictObject({ key_id: keyId }),
  output: Document,
  errors: ['forbidden', 'not_found', 'invalid'],
  example: { input: { key_id: key }, output: { key_id: key, state: 'revoked' } },
  run: async (context, { key_id: id }) => viewKey(await revoke(context, id)),
})

export const keyOperations = { listKeys, mintKey, rotateKey, revokeKey }
