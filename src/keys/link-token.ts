import { createHash, randomBytes } from 'node:crypto'
import type { ConsentChannel } from '../gate/consent.ts'

/** A new secret for a link or a cookie: 256 random bits, base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** Whether a text has the form of a token: malformed ones are refused before the database is asked. */
export const isTokenForm = (text: string): boolean => /^[\w-]{43}$/.test(text)

// The database stores hashes only. Each use has a prefix of its own, so that no token is good in place of another.

/** The hash of a consent request's token. A chat and e-mail prove different things: a token of one is unknown to the other. */
export const consentTokenHash = (via: ConsentChannel, token: string): Buffer =>
  sha256(`consent ${via} ${token}`)

/**
 * The hash of the workspace of a chat in which a request's buttons were sent. Only who has their token can make that of another
 * workspace.
 */
export const consentWorkspaceHash = (token: string, team: string): Buffer =>
  sha256(`consent workspace ${team} ${token}`)

/** The hash of a link to connect a provider, or of several tokens that are only good together. */
export const connectTokenHash = (...tokens: string[]): Buffer => sha256(`connect ${tokens.join(' ')}`)

/** The hash of a link to sign in. */
export const signInTokenHash = (token: string): Buffer => sha256(`sign-in link ${token}`)

/** The hash of the token in a session's cookie. */
export const sessionTokenHash = (token: string): Buffer => sha256(`session ${token}`)

/** The hash of a claim of a confirmed action. */
export const claimTokenHash = (token: string): Buffer => sha256(`claim ${token}`)

/** The hash of an authorization code of a connected app. */
export const appCodeHash = (code: string): Buffer => sha256(`app code ${code}`)

/** The hash of a refresh token of a connected app. */
export const appRefreshHash = (token: string): Buffer => sha256(`app refresh ${token}`)

/** The hash of the secret of a client that an administrator entered. */
export const appSecretHash = (secret: string): Buffer => sha256(`app secret ${secret}`)

/** The hash of the network that a link to sign in was requested from. */
export const networkHash = (network: string): Buffer => sha256(`sign-in network ${network}`)

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
