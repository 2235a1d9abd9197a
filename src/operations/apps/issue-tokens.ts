import { hash, randomUUID, timingSafeEqual } from 'node:crypto'
import {
  type CodeRefusal,
  type RefreshRefusal,
  type NewTokens,
  redeemAppCode,
  refreshApp,
  revokeAppToken,
} from '../../db/queries/accounts/apps.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { hashKey, mintKey, randomBase62 } from '../../keys/api-key.ts'
import { appCodeHash, appRefreshHash, appSecretHash, newToken } from '../../keys/link-token.ts'
import type { KeyPower } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { appAddresses } from './addresses.ts'
import { requireResource } from './authorization.ts'
import { findClient, isDocumentAddress } from './client.ts'
import { OAuthRefusal } from './oauth-refusal.ts'
import { powersIn } from './powers.ts'

/** Who asks for a token, as it says of itself. */
export interface TokenClient {
  id: string
  secret: string | undefined
}

/** The fields of a request for a token. */
export type TokenFields = Partial<Record<string, string>>

/** @source RFC 6749, section 5.1 */
export interface TokenAnswer {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

/**
 * Issues an access token, which is an API key of an hour, and a refresh token, for a code or a refresh token, each once.
 * @throws OAuthRefusal
 */
export async function issueTokens(
  deps: Deps,
  client: TokenClient,
  fields: TokenFields,
): Promise<TokenAnswer> {
  const issue = grants[fields['grant_type'] ?? '']
  if (!issue)
    throw new OAuthRefusal(
      'unsupported_grant_type',
      'grant_type must be authorization_code or refresh_token.',
    )
  requireTarget(deps, fields['resource'])
  await requireClient(deps, client)
  return issue(deps, client, fields)
}

const grants: Record<string, typeof issueTokens | undefined> = Object.assign(Object.create(null), {
  authorization_code: redeemCode,
  refresh_token: refresh,
})

async function redeemCode(deps: Deps, client: TokenClient, fields: TokenFields): Promise<TokenAnswer> {
  const { code, code_verifier: verifier, redirect_uri: redirect } = fields
  if (code === undefined) throw new OAuthRefusal('invalid_request', 'code is missing.')
  // @source RFC 7636, section 4.1
  if (verifier === undefined || !/^[\w.~-]{43,128}$/.test(verifier))
    throw new OAuthRefusal('invalid_request', 'code_verifier must have 43 to 128 characters, as PKCE says.')
  const made = newTokens()
  const { outcome, powers } = await redeemAppCode(deps.db, {
    ...made.stored,
    code: appCodeHash(code),
    client: client.id,
    redirect: redirect ?? null,
    challenge: hash('sha256', verifier, 'buffer'),
  })
  if (outcome !== 'issued') throw new OAuthRefusal('invalid_grant', sentenceOf[outcome])
  return made.answer(powers!)
}

async function refresh(deps: Deps, client: TokenClient, fields: TokenFields): Promise<TokenAnswer> {
  const { refresh_token: token, scope } = fields
  if (token === undefined) throw new OAuthRefusal('invalid_request', 'refresh_token is missing.')
  const made = newTokens()
  const { outcome, powers } = await refreshApp(deps.db, {
    ...made.stored,
    token: appRefreshHash(token),
    client: client.id,
    powers: scope === undefined ? null : powersAsked(scope),
  })
  if (outcome === 'scope') throw new OAuthRefusal('invalid_scope', sentenceOf.scope)
  if (outcome !== 'issued') throw new OAuthRefusal('invalid_grant', sentenceOf[outcome])
  return made.answer(powers!)
}

/** The powers of a scope; other words count for nothing, but it must name one. */
function powersAsked(scope: string): KeyPower[] {
  const powers = powersIn(scope)
  if (powers.length === 0) throw new OAuthRefusal('invalid_scope', 'scope names no power of the gate.')
  return powers
}

const connectAgain = 'Connect the app again.'
const sentenceOf: Record<CodeRefusal | RefreshRefusal, string> = {
  unknown: `The code or token is not valid. ${connectAgain}`,
  reused: `It was already used, so the connection has ended. ${connectAgain}`,
  mismatch: `It belongs to another request or app, so the connection has ended. ${connectAgain}`,
  expired: `The code has expired. ${connectAgain}`,
  ended: `The connection has ended. ${connectAgain}`,
  scope: 'scope asks for more than was allowed.',
}

/** Ends the connection of a token. Says nothing of whether there was one. @source RFC 7009 @throws OAuthRefusal */
export async function revokeToken(deps: Deps, client: TokenClient, token: string | undefined): Promise<void> {
  if (token === undefined) throw new OAuthRefusal('invalid_request', 'token is missing.')
  await requireClient(deps, client)
  await revokeAppToken(deps.db, { token: appRefreshHash(token), hash: hashKey(token), client: client.id })
}

/** Checks the secret of a client that has one. A client of a document is held against its code or token alone: it has none. */
async function requireClient(deps: Deps, { id, secret }: TokenClient): Promise<void> {
  if (isDocumentAddress(id)) return
  const client = await findClient(deps, id).catch((error: unknown) => {
    throw error instanceof GateError && error.code === 'not_found' ? refusedClient() : error
  })
  if (client.secret === null) return
  if (secret === undefined || !timingSafeEqual(appSecretHash(secret), client.secret)) throw refusedClient()
}

const refusedClient = () =>
  new OAuthRefusal('invalid_client', 'The client is not known, or its secret is wrong.')

function requireTarget(deps: Deps, resource: string | undefined): void {
  try {
    requireResource(appAddresses(deps), resource)
  } catch (error) {
    throw new OAuthRefusal('invalid_target', (error as Error).message)
  }
}

/** New tokens: what is stored of them, and the answer that has them. */
function newTokens(): { stored: NewTokens; answer(powers: KeyPower[]): TokenAnswer } {
  const apiKey = mintKey()
  const refreshToken = newToken()
  return {
    stored: {
      keyId: `key_${randomBase62(16)}`,
      last4: apiKey.slice(-4),
      hash: hashKey(apiKey),
      refresh: appRefreshHash(refreshToken),
      lastsMs: limits.appTokenMs,
      refreshMs: limits.appRefreshMs,
      eventId: randomUUID(),
    },
    answer: (powers) => ({
      access_token: apiKey,
      token_type: 'Bearer',
      expires_in: limits.appTokenMs / 1_000,
      refresh_token: refreshToken,
      scope: powers.join(' '),
    }),
  }
}
