import { z } from 'zod'
import { registerAppClient } from '../../db/queries/accounts/apps.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { limits } from '../../limits.ts'
import { OAuthRefusal } from './oauth-refusal.ts'
import { hostOf, isRedirect } from './redirect.ts'
import { shownName } from './shown-name.ts'

const Registration = z.object({
  redirect_uris: z.array(z.string()).min(1).max(limits.appRedirectsMax),
  client_name: z.string().nullish(),
})

/**
 * Registers an app for anyone: a public one, whatever it asks for. It is deleted if nobody connects it within a day.
 * @returns what it is now, as RFC 7591 names it
 * @throws OAuthRefusal; GateError `unavailable` where too many registered that nobody connected
 */
export async function registerClient(deps: Deps, body: unknown): Promise<Record<string, unknown>> {
  const parsed = Registration.safeParse(body)
  if (!parsed.success)
    throw new OAuthRefusal(
      'invalid_client_metadata',
      `Send redirect_uris, 1 to ${limits.appRedirectsMax} addresses, and client_name as text.`,
    )
  const { redirect_uris: redirects, client_name } = parsed.data
  if (!redirects.every(isRedirect))
    throw new OAuthRefusal(
      'invalid_redirect_uri',
      'Each of redirect_uris must begin with https://, or lead to the same machine, and have no fragment or user name.',
    )
  const client = `client_${randomBase62(22)}`
  const name = shownName(client_name ?? undefined) ?? hostOf(redirects[0]!).slice(0, limits.appNameCharsMax)
  const { appRegistrationsUnusedMax: unusedMax } = limits
  if (!(await registerAppClient(deps.db, { client, name, redirects, unusedMax })))
    throw new GateError(
      'unavailable',
      'Too many apps registered and were not connected. Try again tomorrow.',
      {
        retryAfterSeconds: 3_600,
      },
    )
  return {
    client_id: client,
    client_id_issued_at: Math.floor(Date.now() / 1_000),
    client_name: name,
    redirect_uris: redirects,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}
