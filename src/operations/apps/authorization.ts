import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type AppAddresses, appAddresses } from './addresses.ts'
import { type AppClient, findClient } from './client.ts'
import { type SignablePower, askedPowers } from './powers.ts'
import { hostOf, isRegistered } from './redirect.ts'

const text = z.string().max(700, 'is too long')

/** What an app sends a person to the gate with. Other parameters count for nothing. */
export const AuthorizationRequest = z.object({
  response_type: z.literal('code', 'must be code'),
  client_id: text,
  redirect_uri: text,
  code_challenge: z
    .string('is missing: the app must use PKCE')
    .regex(/^[\w-]{43}$/, 'must be the SHA-256 of a verifier, in base64url'),
  code_challenge_method: z.literal('S256', 'must be S256'),
  state: text.optional(),
  scope: text.optional(),
  resource: text.optional(),
})
export type AuthorizationRequest = z.infer<typeof AuthorizationRequest>

/** An app that asks, and what for. */
export interface Asked {
  client: AppClient
  /** Who asks: the host of the app's document, or the one that it sends people back to. */
  host: string
  /** As it calls itself, or else its host. */
  name: string
  redirect: string
  challenge: Buffer
  state: string | undefined
  powers: SignablePower[]
}

/**
 * Checks the request of an app. A fault is shown to the person, and never sent on: anyone can name an address to send people to.
 * @throws GateError `invalid`, `not_found`, `unavailable`
 * @source OAuth 2.1, section 4.1; RFC 8707; RFC 9700, section 4.11
 */
export async function readAuthorization(deps: Deps, request: AuthorizationRequest): Promise<Asked> {
  const { client_id, redirect_uri, resource, scope, state, code_challenge } = request
  requireResource(appAddresses(deps), resource)
  const client = await findClient(deps, client_id)
  if (!isRegistered(redirect_uri, client.redirects))
    throw new GateError('invalid', 'redirect_uri is none of those that the app has registered.', {
      param: 'redirect_uri',
    })
  const host = client.documentHost ?? hostOf(redirect_uri)
  return {
    client,
    host,
    name: client.name ?? host,
    redirect: redirect_uri,
    challenge: Buffer.from(code_challenge, 'base64url'),
    state,
    powers: askedPowers(scope),
  }
}

/** Refuses a token for another server. An app that names none gets one for the only one that there is. */
export function requireResource(addresses: AppAddresses, resource: string | undefined): void {
  if (resource !== undefined && resource !== addresses.resource)
    throw new GateError('invalid', `resource must be ${addresses.resource}.`, { param: 'resource' })
}

/** The address to send a person back to, with the answer and who gives it. Pure. @source RFC 9207 */
export function answerAddress(
  { issuer }: AppAddresses,
  { redirect, state }: Pick<Asked, 'redirect' | 'state'>,
  answer: { code: string } | { error: string },
): string {
  const url = new URL(redirect)
  for (const [name, value] of Object.entries({ ...answer, state, iss: issuer }))
    if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}
