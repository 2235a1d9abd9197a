import { createHmac, createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Claims = Record<string, unknown>

/** What the next token of a lying provider is. */
export interface NextToken {
  claims?: Claims
  alg?: 'RS256' | 'HS256' | 'none'
  /** Its key is another one than the provider publishes. */
  isForeignKey?: boolean
}

/** A stand-in of an OpenID provider that gives out whatever token a test wants, and checks nothing. */
export interface LyingIssuer {
  issuer: string
  next: NextToken
  /** What the authorization request asked, by its URL. Answers the way back, with what a test changes of it. */
  authorize(url: string, answer?: Record<string, string | undefined>): string
  /** The requests to its token endpoint. */
  exchanges: URLSearchParams[]
  /** What its metadata says besides. */
  metadata: Record<string, unknown>
  stop(): Promise<void>
}

export async function lyingIssuer(): Promise<LyingIssuer> {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...key.publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' }
  const nonces = new Map<string, string>()
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      const answer = (content: unknown) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content))
      if (request.url === '/.well-known/openid-configuration')
        return answer({ ...metadata(), ...made.metadata })
      if (request.url === '/keys') return answer({ keys: [jwk] })
      const sent = new URLSearchParams(body)
      made.exchanges.push(sent)
      const nonce = nonces.get(sent.get('code')!)
      const token = tokenOf({ nonce, ...made.next.claims })
      return answer({ access_token: 'x', token_type: 'bearer', expires_in: 60, id_token: token })
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
  })
  function tokenOf(claims: Claims): string {
    const { alg = 'RS256', isForeignKey } = made.next
    const now = Math.floor(Date.now() / 1_000)
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const told = { iss: issuer, aud: 'gate', iat: now, exp: now + 300, sub: 'ada', ...claims }
    const signed = `${part({ alg, kid: 'k1', typ: 'JWT' })}.${part(told)}`
    if (alg === 'none') return `${signed}.`
    if (alg === 'HS256') {
      // The well-known trick: the public key, which everyone has, as the secret.
      const pem = key.publicKey.export({ type: 'spki', format: 'pem' })
      return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`
    }
    const signer = createSign('RSA-SHA256').update(signed)
    return `${signed}.${signer.sign((isForeignKey ? foreign : key).privateKey, 'base64url')}`
  }
  const made: LyingIssuer = {
    issuer,
    next: {},
    exchanges: [],
    metadata: {},
    authorize(url, changed = {}) {
      const asked = new URL(url).searchParams
      const code = randomUUID()
      nonces.set(code, asked.get('nonce')!)
      const back = new URL(asked.get('redirect_uri')!)
      for (const [name, value] of Object.entries({ code, state: asked.get('state')!, ...changed }))
        if (value !== undefined) back.searchParams.set(name, value)
      return back.href
    },
    stop: () => new Promise((done) => server.close(() => done())),
  }
  return made
}
