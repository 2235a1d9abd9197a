import { z } from 'zod'
import * as stored from '../../db/queries/events/endpoints.ts'
import type { EndpointChange, EndpointKeys, EndpointRow } from '../../db/queries/events/endpoints.ts'
import { GateError, OutcomeUnknown } from '../../errors.ts'
import { checkExecutorUrl } from '../../executors/checked-url.ts'
import { newSigningKey, newWebhookSecret, shownPublicKey } from '../../executors/signature.ts'
import { chosenEvents } from '../../gate/event-types.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { limits } from '../../limits.ts'
import type { Allowed } from '../../network/address.ts'
import type { KeyProvider } from '../../secrets/key-provider.ts'
import { type SecretPlace, seal } from '../../secrets/seal.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import { line } from '../entered-fields.ts'
import { requireAccount } from '../require-account.ts'

export type { EndpointRow } from '../../db/queries/events/endpoints.ts'

/** How long replaced secrets still sign. */
const overlapMs = 86_400_000

/** What a person enters of an endpoint. */
export const endpointFields = {
  url: z
    .string()
    .max(limits.executorUrlCharsMax, `must have at most ${limits.executorUrlCharsMax} characters`),
  description: line(limits.titleCharsMax),
  types: z
    .array(z.enum(chosenEvents, 'must be types of events: see docs/event-types.md'))
    .min(1, 'must name a type')
    .max(chosenEvents.length, `must name at most ${chosenEvents.length} types`)
    .transform((types) => chosenEvents.filter((type) => types.includes(type))),
  isFull: z.boolean('must be true or false'),
}
export type EndpointSettings = stored.EndpointSettings

/** What only one answer shows. */
export interface EndpointSecrets {
  endpoint: string
  /** Checks `v1`. */
  secret: string
  /** Checks `v1a`. */
  public_key: string
}

/** The service, as endpoints need it. */
export interface EndpointService {
  keys: KeyProvider | undefined
  allowed: Allowed
}

/** The endpoints of an account. @throws GateError `not_found` */
export async function listEndpoints({ db, account }: AccountContext): Promise<EndpointRow[]> {
  await requireAccount(db, account)
  return stored.listEndpoints(db, account)
}

/** One endpoint. @throws GateError `not_found` */
export async function readEndpoint(context: AccountContext, id: string): Promise<EndpointRow> {
  const found = (await listEndpoints(context)).find(({ endpoint_id: one }) => one === id)
  if (!found) throw noEndpoint(id)
  return found
}

/**
 * Adds an endpoint and makes its secrets. Only their encrypted form is kept: the answer is the only place where they can be read.
 * @throws GateError `invalid` where the address may not be called, `conflict` where there are too many or without SECRETS_KEYS,
 *   OutcomeUnknown where the answer was lost
 */
export async function addEndpoint(
  context: AdminContext,
  service: EndpointService,
  settings: EndpointSettings,
): Promise<EndpointSecrets> {
  requireUrl(settings.url, service.allowed)
  const endpointId = `end_${randomBase62(16)}`
  const { keys, shown } = await newKeys(context, service.keys, endpointId)
  const added = { ...writeOf(context), ...settings, ...keys, endpointId, endpointsMax: limits.endpointsMax }
  const outcome = await stored.addEndpoint(context.db, added).catch((error: unknown) => {
    throw error instanceof OutcomeUnknown
      ? new OutcomeUnknown(
          'this endpoint',
          'List the endpoints. If it is there, rotate its secrets: nobody knows them.',
        )
      : error
  })
  if (outcome === 'too_many')
    throw new GateError(
      'conflict',
      `This account already has ${limits.endpointsMax} endpoints. Remove one first.`,
    )
  return shown
}

/** Gives an endpoint new secrets; those before them sign beside them for a day. @throws as `addEndpoint`, and `not_found` */
export async function rotateEndpoint(
  context: AdminContext,
  { keys: provider }: EndpointService,
  endpointId: string,
): Promise<EndpointSecrets> {
  const { keys, shown } = await newKeys(context, provider, endpointId)
  const rotation = { ...writeOf(context), ...keys, endpointId, overlapMs }
  const isRotated = await stored.rotateEndpoint(context.db, rotation).catch((error: unknown) => {
    throw error instanceof OutcomeUnknown
      ? new OutcomeUnknown('this rotation', 'Rotate again: nobody knows the secrets that may have been made.')
      : error
  })
  if (!isRotated) throw noEndpoint(endpointId)
  return shown
}

/** Changes where and of what an endpoint is told. @throws GateError `invalid`, `not_found` */
export async function changeEndpoint(
  context: AdminContext,
  { allowed }: Pick<EndpointService, 'allowed'>,
  endpointId: string,
  settings: EndpointSettings,
): Promise<void> {
  requireUrl(settings.url, allowed)
  requireFound(
    endpointId,
    await stored.changeEndpoint(context.db, { ...writeOf(context), ...settings, endpointId }),
  )
}

/** Turns an endpoint on or off. @throws GateError `not_found` */
export async function turnEndpoint(context: AdminContext, endpointId: string, isOn: boolean): Promise<void> {
  requireFound(endpointId, await stored.turnEndpoint(context.db, { ...writeOf(context), endpointId, isOn }))
}

/** Removes an endpoint with the log of its deliveries. @throws GateError `not_found` */
export async function removeEndpoint(context: AdminContext, endpointId: string): Promise<void> {
  if (!(await stored.removeEndpoint(context.db, { ...writeOf(context), endpointId })))
    throw noEndpoint(endpointId)
}

/** An endpoint as programs see it, without its secrets. */
export const viewEndpoint = (row: EndpointRow) => ({
  endpoint: row.endpoint_id,
  url: row.url,
  description: row.description,
  types: row.types ?? ('all' as const),
  full: row.is_full,
  state: row.off_reason === null ? ('on' as const) : ('off' as const),
  ...(row.off_reason === null ? {} : { off_reason: row.off_reason, off_at: row.off_at }),
  public_key: publicKeyOf(row),
  created_at: row.created_at,
  ...(row.failing_since === null ? {} : { failing_since: row.failing_since }),
  ...(row.rotates_until === null ? {} : { rotates_until: row.rotates_until }),
  waiting: row.waiting,
})

/** As receivers keep it. */
export const publicKeyOf = ({ public_key: key }: EndpointRow): string => shownPublicKey(key)

/** What the secrets of an endpoint are bound to. */
export const endpointSecretPlace = (account: string, endpointId: string, secretId: string): SecretPlace => ({
  account,
  integration: `endpoint:${endpointId}`,
  field: secretId,
})

export const noEndpoint = (id: string): GateError =>
  new GateError('not_found', `Endpoint ${id} was not found in this account.`)

/** The key of `v1` and the private key of `v1a` are one secret: both are made and replaced together. */
async function newKeys(
  { account }: AdminContext,
  provider: KeyProvider | undefined,
  endpoint: string,
): Promise<{ keys: EndpointKeys; shown: EndpointSecrets }> {
  if (!provider)
    throw new GateError(
      'conflict',
      'This service cannot store secrets. Its operator must set SECRETS_KEYS. Nothing was recorded.',
    )
  const secret = newWebhookSecret()
  const { secret: signing, publicKey } = newSigningKey()
  const secretId = `sec_${randomBase62(16)}`
  const place = endpointSecretPlace(account, endpoint, secretId)
  const sealed = await seal(provider, place, `${secret} ${signing}`)
  return {
    keys: { secretId, sealed, publicKey },
    shown: { endpoint, secret, public_key: shownPublicKey(publicKey) },
  }
}

function requireUrl(url: string, allowed: Allowed): void {
  const fault = checkExecutorUrl(url, allowed)
  if (fault !== undefined) throw new GateError('invalid', `url ${fault}.`, { param: 'url' })
}

function requireFound(id: string, outcome: EndpointChange): void {
  if (outcome === 'missing') throw noEndpoint(id)
}
