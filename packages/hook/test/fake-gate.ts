import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Hit {
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}
type Answer = (hit: Hit, response: ServerResponse) => void

export interface FakeGate {
  url: string
  hits: Hit[]
  /** Answers from now on. */
  answers: Answer
  close(): Promise<void>
}

export const goodKey = 'gate_testKey0123456789'

/** A gate of which a test says every byte. Until then it denies as the real one denies the canary. */
export async function startFakeGate(): Promise<FakeGate> {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part) => (body += part))
    request.on('end', () => {
      const { pathname: path, searchParams: query } = new URL(request.url!, 'http://gate')
      const hit = { path, query, headers: request.headers, body }
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

export const denyCanary: Answer = ({ path, query, headers }, response) => {
  const isKnown = headers.authorization === `Bearer ${goodKey}`
  const isText = query.get('as') === 'text'
  if (path === '/api/v1/runner/outcomes') return void response.end(isText ? 'ok' : '{"recorded":true}')
  if (!isKnown) return void response.writeHead(401).end('gate: Unknown key.')
  const reason = 'The canary is always denied: action 7.'
  response.end(isText ? reason : decision('deny', reason))
}

export const decision = (permissionDecision: string, permissionDecisionReason: string): string =>
  JSON.stringify({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason },
  })

const html = '<html><body>allow</body></html>'

/** Everything that is not the one answer that allows. */
export const otherAnswers: [string, Answer][] = [
  ['401', (_, response) => response.writeHead(401).end('gate: Unknown key.')],
  ['403 with the body allow', (_, response) => response.writeHead(403).end('allow')],
  ['500 with the body allow', (_, response) => response.writeHead(500).end('allow')],
  ['201 with the body allow', (_, response) => response.writeHead(201).end('allow')],
  ['429', (_, response) => response.writeHead(429).end('gate: Too many calls.')],
  [
    'a redirect to a place that allows',
    ({ path }, response) =>
      path === '/elsewhere'
        ? response.end('allow')
        : response.writeHead(302, { location: '/elsewhere' }).end('allow'),
  ],
  ['an empty answer', (_, response) => response.end()],
  [
    'a body that was cut',
    (_, response) => {
      response.writeHead(200, { 'content-length': '50' })
      response.write('allow', () => response.socket!.destroy())
    },
  ],
  [
    'a chunked body that was cut',
    (_, response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' })
      response.write('allow', () => response.socket!.destroy())
    },
  ],
  ['no answer at all', (_, response) => response.socket!.destroy()],
  ['allow and more', (_, response) => response.end('allow this')],
  ['allow and a line break', (_, response) => response.end('allow\n')],
  ['allow after a line break', (_, response) => response.end('\nallow')],
  ['allow in capitals', (_, response) => response.end('ALLOW')],
  ['allow with a zero byte', (_, response) => response.end('all\0ow')],
  ['the end that the script looks for', (_, response) => response.end('allow\n200 5')],
  ['JSON that allows', (_, response) => response.end(decision('allow', 'so'))],
  ['a page of a proxy', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html)],
  ['an answer that never comes', () => undefined],
  [
    'an answer that never ends',
    (_, response) => {
      response.writeHead(200)
      response.write('allow')
    },
  ],
]
