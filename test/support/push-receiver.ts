import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A push that was sent to a browser, decrypted. */
export interface ReceivedPush {
  /** The browser's name here. */
  to: string
  text: string
  headers: IncomingMessage['headers']
  /** What the sender says of itself, where its signature holds. */
  claims: { aud: string; exp: number; sub: string }
  /** The key of the sender, in base64url. */
  key: string
  at: number
}

/** A push service on this machine, and the browsers that subscribed there. */
export interface PushReceiver {
  origin: string
  received: ReceivedPush[]
  /** Subscribes a browser, as `pushManager.subscribe` does. @returns the fields of the form that adds it */
  subscribe(browser: string): { endpoint: string; public_key: string; auth: string }
  /** How the service answers a browser's pushes from now on, instead of taking them. */
  answers(browser: string, answer: (response: ServerResponse) => void): void
  close(): Promise<void>
}

const base64url = (bytes: Buffer) => bytes.toString('base64url')

/** Checks and decrypts each push that it receives. What it cannot read is answered 400. */
export async function pushReceiver(): Promise<PushReceiver> {
  const browsers = new Map<string, { browser: string; ecdh: ReturnType<typeof createECDH>; auth: Buffer }>()
  const otherwise = new Map<string, (response: ServerResponse) => void>()
  const received: ReceivedPush[] = []
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.writeHead(400).end())
  })

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const known = browsers.get(request.url ?? '')
    if (!known) return void response.writeHead(404).end()
    const answer = otherwise.get(known.browser)
    if (answer) return answer(response)
    const text = decrypt(Buffer.concat(parts), known.ecdh, known.auth)
    const { headers } = request
    received.push({ to: known.browser, text, headers, ...sender(headers.authorization!), at: Date.now() })
    response.writeHead(201).end()
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    received,
    subscribe(browser) {
      const ecdh = createECDH('prime256v1')
      const auth = randomBytes(16)
      const path = `/push/${base64url(randomBytes(24))}`
      browsers.set(path, { browser, ecdh, auth })
      return {
        endpoint: `${origin}${path}`,
        public_key: base64url(ecdh.generateKeys()),
        auth: base64url(auth),
      }
    },
    answers: (browser, answer) => void otherwise.set(browser, answer),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** @source RFC 8291 §3, RFC 8188 §2: read from the side of the browser */
export function decrypt(body: Buffer, ecdh: ReturnType<typeof createECDH>, auth: Buffer): string {
  const salt = body.subarray(0, 16)
  const recordBytes = body.readUInt32BE(16)
  const sender = body.subarray(21, 21 + body[20]!)
  const record = body.subarray(21 + body[20]!)
  if (record.length > recordBytes) throw new Error('a push has one record')
  const hkdf = (secret: Buffer, by: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, by, info, length))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender])
  const ikm = hkdf(ecdh.computeSecret(sender), auth, info, 32)
  const key = hkdf(ikm, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = hkdf(ikm, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0))
    throw new Error('the record is not the last')
  return padded.subarray(0, end).toString('utf8')
}

/** @throws where the signature does not hold. @source RFC 8292 §2 and §3 */
function sender(header: string): Pick<ReceivedPush, 'claims' | 'key'> {
  const [, token, key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header)!
  const [head, body, signature] = token!.split('.')
  const point = Buffer.from(key!, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: base64url(point.subarray(1, 33)),
    y: base64url(point.subarray(33)),
  }
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const signed = Buffer.from(`${head}.${body}`)
  const holds = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature!, 'base64url'),
  )
  if (!holds || Buffer.from(head!, 'base64url').toString() !== '{"typ":"JWT","alg":"ES256"}')
    throw new Error('the sender is not who it says')
  return { claims: JSON.parse(Buffer.from(body!, 'base64url').toString()), key: key! }
}
