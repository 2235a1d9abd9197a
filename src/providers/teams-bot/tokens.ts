import { type JWK, type JWTVerifyGetKey, createLocalJWKSet, errors, jwtVerify } from 'jose'
import { limits } from '../../limits.ts'
import { timeLimit } from '../../waiting/time-limit.ts'
import type { BotPlace } from './place.ts'

const issuer = 'https://api.botframework.com'
const clockSkewSeconds = 300
const tokenCharsMax = 8_192
const keysMax = 100

/** Keys seldom change. A token that names an unknown key makes the gate read them again, at most once a minute for all callers. */
const keysLifeMs = 86_400_000
const keysAgainMs = 60_000
const keysAfterFailureMs = 5_000

/** What a verified token of the Bot Connector says: which bot is called, and by which service. */
export interface BotCall {
  appId: string
  serviceUrl: string
}

/** Why a token is not taken; safe to log. */
export class BotTokenProblem extends Error {
  readonly code: string

  constructor(code: string) {
    super(`the token is not taken: ${code}`)
    this.code = code
  }
}

export interface BotTokens {
  /**
   * Verifies a token of Microsoft's own calls. That its bot is one of ours is for the caller to check.
   * @throws BotTokenProblem; `unavailable` where the keys could not be read
   */
  verify(token: string): Promise<BotCall>
}

/** Reads a JSON document of at most some hundred kilobytes. */
export type ReadDocument = (url: string, signal: AbortSignal) => Promise<unknown>

/**
 * Verifies tokens with the keys that Microsoft endorses for Teams.
 * @source https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication: authenticate
 * requests from the Bot Connector service to your bot
 */
export function botTokens(
  place: Pick<BotPlace, 'metadataUrl'>,
  read: ReadDocument,
  now: () => number = Date.now,
): BotTokens {
  let known: { of: ReturnType<typeof createLocalJWKSet>; at: number } | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function readKeys(): Promise<void> {
    const { signal, clear } = timeLimit(limits.providerCallMs)
    try {
      const keys = await endorsedKeys(place.metadataUrl, read, signal)
      known = { of: createLocalJWKSet({ keys }), at: now() }
    } catch {
      // Those that are known stay good: a failure to read is no change of keys.
    } finally {
      clear()
    }
  }

  /** Reads the keys again, unless that was tried a moment ago. */
  function refresh(): Promise<void> {
    const pauseMs = known ? keysAgainMs : keysAfterFailureMs
    if (!reading && now() - triedAt < pauseMs) return Promise.resolve()
    triedAt = reading ? triedAt : now()
    return (reading ??= readKeys().finally(() => (reading = undefined)))
  }

  const keyOf: JWTVerifyGetKey = async (header, token) => {
    if (!known || now() - known.at > keysLifeMs) await refresh()
    if (!known) throw new BotTokenProblem('unavailable')
    try {
      return await known.of(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await refresh()
      return known.of(header, token)
    }
  }

  return {
    async verify(token) {
      if (token.length > tokenCharsMax) throw new BotTokenProblem('too_long')
      const { payload } = await jwtVerify(token, keyOf, {
        algorithms: ['RS256'],
        issuer,
        clockTolerance: clockSkewSeconds,
        currentDate: new Date(now()),
        requiredClaims: ['exp', 'nbf', 'aud'],
      }).catch((error: unknown) => {
        throw error instanceof BotTokenProblem ? error : new BotTokenProblem(codeOf(error))
      })
      const { aud: appId, serviceurl: serviceUrl } = payload
      if (typeof appId !== 'string' || typeof serviceUrl !== 'string') throw new BotTokenProblem('claims')
      return { appId, serviceUrl }
    },
  }
}

/** The keys that may sign for Teams. They are where the metadata is: another host could not name its own. */
async function endorsedKeys(metadataUrl: string, read: ReadDocument, signal: AbortSignal): Promise<JWK[]> {
  const { jwks_uri: uri } = (await read(metadataUrl, signal)) as { jwks_uri?: unknown }
  if (typeof uri !== 'string' || !URL.canParse(uri) || new URL(uri).origin !== new URL(metadataUrl).origin)
    throw new Error('the metadata names no keys')
  const { keys } = (await read(uri, signal)) as { keys?: unknown }
  if (!Array.isArray(keys) || keys.length > keysMax) throw new Error('the keys are no list')
  return (keys as (JWK & { endorsements?: unknown })[]).filter(
    ({ endorsements, kid }) =>
      typeof kid === 'string' && Array.isArray(endorsements) && endorsements.includes('msteams'),
  )
}

/** The code of an error of the library: never its message. */
function codeOf(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
    return `claim_${error.claim}`
  return error instanceof errors.JOSEError ? error.code.toLowerCase() : 'unreadable'
}
