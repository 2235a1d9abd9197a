import * as openid from 'openid-client'
import { checkedFetch } from '../executors/checked-fetch.ts'
import { checkExecutorUrl } from '../executors/checked-url.ts'
import { parseExactJson } from '../gate/json/exact-json.ts'
import { limits } from '../limits.ts'
import type { Allowed } from '../network/address.ts'

/** The provider of an account, and how the gate is known there. */
export interface Issuer {
  account: string
  issuer: string
  clientId: string
  clientSecret: string
}

/** What an authorization request was made of. Only the browser that began it has it, sealed. */
export interface Attempt {
  state: string
  nonce: string
  verifier: string
  /** The person must prove again who they are. */
  isFresh: boolean
  /** In milliseconds. */
  startedAt: number
}

/** What a checked ID token says. */
export interface Subject {
  issuer: string
  subject: string
  claims: Record<string, unknown>
  idToken: string
}

/** Asks providers, as executors are called: checked, pinned, without redirects, bounded. */
export interface Issuers {
  /** What is wrong with the address of an issuer; undefined if it may be asked. */
  fault(issuer: string): string | undefined
  /** Asks whether there is a provider of that name. @throws IssuerProblem */
  check(of: Pick<Issuer, 'account' | 'issuer'>): Promise<void>
  /** @throws IssuerProblem */
  ask(of: Issuer, to: { redirect: string; isFresh: boolean; acr: string[] | null }): Promise<Begun>
  /**
   * Takes the way back: exchanges the code and checks the token.
   * @param answered  the address with which the provider sent the browser back
   * @throws IssuerProblem
   */
  finish(of: Issuer, answered: URL, attempt: Attempt): Promise<Subject>
  /** Where a session ends at the provider; undefined where it has no such address, or does not answer. */
  endSession(of: Issuer, to: { back: string; idToken: string | undefined }): Promise<URL | undefined>
}

export interface Begun {
  url: URL
  attempt: Attempt
}

/** Why the provider, or what it sent, is not taken. `code` is for entries and the log. */
export class IssuerProblem extends Error {
  readonly code: string

  constructor(code: string, cause?: unknown) {
    super(`the provider is not taken: ${code}`, { cause })
    this.name = 'IssuerProblem'
    this.code = code
  }
}

const askMs = 10_000
const answerBytesMax = 262_144
/** Signatures with a key that only the provider has. Never `none`, and no HMAC: its key would be one that others know, too. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** @param timeoutMs  how long a provider may take to answer */
export function issuers(allow: Allowed, timeoutMs = askMs): Issuers {
  const configure = (of: Issuer) => configured({ allow, timeoutMs }, of)
  return {
    fault: (issuer) => checkExecutorUrl(issuer, allow),

    async check({ account, issuer }) {
      await configure({ account, issuer, clientId: 'gate', clientSecret: '' })
    },

    async ask(of, { redirect, isFresh, acr }) {
      const config = await configure(of)
      const attempt: Attempt = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
        isFresh,
        startedAt: Date.now(),
      }
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirect,
        scope: 'openid email profile',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        ...(isFresh ? { max_age: '0', prompt: 'login' } : {}),
        ...(acr === null ? {} : { acr_values: acr.join(' ') }),
      })
      return { url, attempt }
    },

    async finish(of, answered, { state, nonce, verifier, isFresh, startedAt }) {
      const ageSeconds = Math.ceil((Date.now() - startedAt) / 1_000)
      const config = await configure(of)
      const tokens = await taken('answer_refused', () =>
        openid.authorizationCodeGrant(config, answered, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          // The provider may ignore what was asked: its token says when it asked the person.
          ...(isFresh ? { maxAge: ageSeconds } : {}),
        }),
      )
      const claims = tokens.claims()!
      const [head] = tokens.id_token!.split('.')
      const { alg } = parseExactJson(Buffer.from(head!, 'base64url').toString()) as { alg: string }
      if (!algorithms.includes(alg)) throw new IssuerProblem('algorithm')
      if (claims.iss !== of.issuer) throw new IssuerProblem('another_issuer')
      if (claims.sub.length > limits.companySubjectCharsMax) throw new IssuerProblem('subject_too_long')
      return { issuer: claims.iss, subject: claims.sub, claims, idToken: tokens.id_token! }
    },

    async endSession(of, { back, idToken }) {
      const config = await configure(of).catch(() => undefined)
      if (config?.serverMetadata().end_session_endpoint === undefined) return undefined
      return openid.buildEndSessionUrl(config, {
        post_logout_redirect_uri: back,
        ...(idToken === undefined ? {} : { id_token_hint: idToken }),
      })
    },
  }
}

/** Finds the provider, and how it is asked. @throws IssuerProblem */
async function configured(
  { allow, timeoutMs }: { allow: Allowed; timeoutMs: number },
  { account, issuer, clientId, clientSecret }: Issuer,
): Promise<openid.Configuration> {
  if (checkExecutorUrl(issuer, allow) !== undefined) throw new IssuerProblem('address_refused')
  const bounds = { account, allow, timeoutMs, bytesMax: answerBytesMax }
  const fetch: openid.CustomFetch = (url, { body, headers, method, signal }) =>
    checkedFetch(
      url,
      { body: body as RequestInit['body'] & {}, headers, method, signal: signal ?? null },
      bounds,
    )
  // Loopback alone: see `checkExecutorUrl`.
  const isPlain = new URL(issuer).protocol === 'http:'
  return taken('no_provider', () =>
    openid.discovery(new URL(issuer), clientId, { client_secret: clientSecret }, withSecret(clientSecret), {
      [openid.customFetch]: fetch,
      execute: [openid.enableNonRepudiationChecks, ...(isPlain ? [openid.allowInsecureRequests] : [])],
    }),
  )
}

/** By the header, unless the provider only takes the body. @source OpenID Connect Core 1.0, section 9 */
const withSecret =
  (secret: string): openid.ClientAuth =>
  (server, client, body, headers) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const way = ways.includes('client_secret_basic') ? openid.ClientSecretBasic : openid.ClientSecretPost
    way(secret)(server, client, body, headers)
  }

/** The code of a problem of the library: never its message, which may repeat what the provider sent. */
async function taken<T>(code: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if ((error as { error?: unknown }).error === 'access_denied')
      throw new IssuerProblem('access_denied', error)
    const claim = claimIn(error)
    throw new IssuerProblem(claim === undefined ? code : `${code}_${claim}`, error)
  }
}

/** The claim that an error is about, or one of its causes. */
function claimIn(error: unknown): string | undefined {
  const { claim, cause } = (error ?? {}) as { claim?: unknown; cause?: unknown }
  if (typeof claim === 'string' && /^[a-z_]{1,20}$/.test(claim)) return claim
  return cause === undefined ? undefined : claimIn(cause)
}
