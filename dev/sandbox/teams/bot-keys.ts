import { type KeyObject, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'

/** A key pair that signs calls as the Bot Connector does. */
export interface ConnectorKey {
  kid: string
  readonly privateKey: KeyObject
}

/** Absent parts: as Microsoft's own are. */
export interface TokenParts {
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
}

/** The key is made on first use: that takes longer than the whole sandbox, and few use it. */
export function connectorKey(kid: string): ConnectorKey {
  let made: KeyObject | undefined
  return {
    kid,
    get privateKey() {
      return (made ??= generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey)
    },
  }
}

/** The public half as a JWK. `endorsements`: for which channels it may sign. */
export const publicJwk = ({ kid, privateKey }: ConnectorKey, endorsements: string[] | undefined) => ({
  ...createPublicKey(privateKey).export({ format: 'jwk' }),
  kid,
  use: 'sig',
  ...(endorsements === undefined ? {} : { endorsements }),
})

/** A token for a bot. */
export function connectorToken(
  { kid, privateKey }: ConnectorKey,
  { app, serviceUrl }: { app: string; serviceUrl: string },
  { claims = {}, header = {} }: TokenParts = {},
): string {
  const seconds = Math.floor(Date.now() / 1_000)
  const head = { typ: 'JWT', alg: 'RS256', kid, x5t: kid, ...header }
  const body = {
    serviceurl: serviceUrl,
    nbf: seconds - 10,
    exp: seconds + 3_600,
    iss: 'https://api.botframework.com',
    aud: app,
    ...claims,
  }
  const text = [head, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}
