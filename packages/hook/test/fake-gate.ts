import { createHash, createHmac } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Hit {
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
  /** The request's MAC, where a known key signed all of it. */
  mac: string | undefined
}
export type Answer = (hit: Hit, response: ServerResponse) => void

export interface FakeGate {
  url: string
  hits: Hit[]
  /** Answers from now on. */
  answers: Answer
  close(): Promise<void>
}

export const goodKey = 'gate_testKey0123456789'

/** The derivation of names and secrets, and the check of a request, written apart from the code that is tested. */
const sha256 = (text: string) => createHash('sha256').update(text)
export const nameOf = (key: string): string => sha256(`qualification-gate hook name 1\n${key}`).digest('hex')
const hmac = (key: string, text: string): string =>
  createHmac('sha256', sha256(`qualification-gate hook secret 1\n${key}`).digest())
    .update(text)
    .digest('hex')

const form =
  /^Gate-Hook-1 key=([\da-f]{64}), time=(\d+), nonce=([\da-f]{32}), digest=([\da-f]{64}), mac=([\da-f]{64})$/

function macOf(target: string, { authorization = '' }: IncomingMessage['headers'], body: string) {
  const [, name, time, nonce, digest, mac] = form.exec(authorization) ?? []
  if (name !== nameOf(goodKey) || Math.abs(Number(time) - Date.now() / 1000) > 300) return undefined
  if (digest !== sha256(body).digest('hex')) return undefined
  const text = `gate-request-1\nPOST\n${target}\n${time}\n${nonce}\n${digest}\n`
  return mac === hmac(goodKey, text) ? mac : undefined
}

/** What the gate sends for a text: its MAC over the request's, the status and the text is the last line. */
export const signed = ({ mac }: Hit, text: string, status = 200): string =>
  `${text}\n${hmac(goodKey, `gate-answer-1\n${mac}\n${status}\n${text}`)}`

/** Answers as the gate does, where the request is one of its key. */
export const says =
  (text: string, status = 200): Answer =>
  (hit, response) =>
    hit.mac === undefined
      ? response.writeHead(401).end('{"error":"The API key is missing or not valid."}')
      : response.writeHead(status).end(signed(hit, text, status))

export const allows = says('allow')

/** A gate of which a test says every byte. Until then it denies as the real one denies the canary. */
export async function startFakeGate(): Promise<FakeGate> {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part) => (body += part))
    request.on('end', () => {
      const { pathname: path, searchParams: query } = new URL(request.url!, 'http://gate')
      const mac = macOf(request.url!, request.headers, body)
      const hit = { path, query, headers: request.headers, body, mac }
      gate.hits.push(hit)
      gate.answers(hit, response)
    })
  })
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const gate: FakeGate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hits: [],
    answers: denyCanary,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return gate
}

export const denyCanary: Answer = (hit, response) =>
  says(hit.path === '/api/v1/runner/outcomes' ? 'ok' : 'The canary is always denied: action 7.')(
    hit,
    response,
  )

const html = '<html><body>allow</body></html>'

/** A 200 with other bytes than `allow` and its signature, made of them. */
const changed =
  (change: (bytes: string) => string): Answer =>
  (hit, response) =>
    response.end(change(signed(hit, 'allow')))

/** Everything that is not the one answer that allows. */
export const otherAnswers: [string, Answer][] = [
  ['401', (_, response) => response.writeHead(401).end('gate: Unknown key.')],
  ['403 with the body allow', (_, response) => response.writeHead(403).end('allow')],
  ['a signed 403 with the text allow', says('allow', 403)],
  ['a signed 201 with the text allow', says('allow', 201)],
  ['a signed 500', says('Internal error.', 500)],
  ['a signed 200 that is sent as 201', (hit, response) => response.writeHead(201).end(signed(hit, 'allow'))],
  [
    'a signed denial that is sent as 200',
    (hit, response) => response.writeHead(200).end(signed(hit, 'allow', 403)),
  ],
  [
    'a redirect to a place that allows',
    (hit, response) =>
      hit.path === '/elsewhere'
        ? response.end('allow')
        : response.writeHead(302, { location: '/elsewhere' }).end(signed(hit, 'allow', 302)),
  ],
  ['an empty answer', (_, response) => response.end()],
  ['allow without a signature', (_, response) => response.end('allow')],
  ['allow with the signature of nobody', (_, response) => response.end(`allow\n${'0'.repeat(64)}`)],
  ['allow with an empty signature', (_, response) => response.end('allow\n')],
  ['allow with the MAC of the request', (hit, response) => response.end(`allow\n${hit.mac}`)],
  ['the signature alone', changed((bytes) => bytes.slice(6))],
  ['a signature that was cut', changed((bytes) => bytes.slice(0, -1))],
  ['a signature with more behind it', changed((bytes) => `${bytes}0`)],
  ['a signature in capitals', changed((bytes) => bytes.toUpperCase())],
  ['a denial with the signature of allow', changed((bytes) => bytes.replace('allow', 'deny'))],
  ['a line before allow', changed((bytes) => `allow\n${bytes}`)],
  [
    'the signed denial, then allow',
    (hit, response) => response.end(`${signed(hit, 'No.')}\nallow\n${'0'.repeat(64)}`),
  ],
  ['signed words that begin with allow', says('allow this')],
  ['signed allow and a line break', says('allow\n')],
  ['signed allow after a line break', says('\nallow')],
  ['signed allow in capitals', says('ALLOW')],
  ['signed allow with a zero byte', says('all\0ow')],
  ['the end that the script looks for', says('allow\n200')],
  ['a question about files of a folder that the runner did not name', says('files\n/etc\n2 00 hostname')],
  ['a question about no files', says('files\n')],
  ['a signed deferral, which only Claude Code takes', says('defer 7')],
  ['JSON that allows', says('{"hookSpecificOutput":{"permissionDecision":"allow"}}')],
  [
    'a body that was cut',
    (hit, response) => {
      response.writeHead(200, { 'content-length': '500' })
      response.write(signed(hit, 'allow'), () => response.socket!.destroy())
    },
  ],
  [
    'a chunked body that was cut',
    (hit, response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' })
      response.write(signed(hit, 'allow'), () => response.socket!.destroy())
    },
  ],
  ['no answer at all', (_, response) => response.socket!.destroy()],
  ['a page of a proxy', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html)],
  ['an answer that never comes', () => undefined],
  [
    'an answer that never ends',
    (hit, response) => {
      response.writeHead(200)
      response.write(signed(hit, 'allow'))
    },
  ],
  ['an answer that is far too long', (_, response) => void response.end(`allow\n${'0'.repeat(5_000_000)}`)],
]
