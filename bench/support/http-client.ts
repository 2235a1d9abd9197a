import { connect, type Socket } from 'node:net'

/** One keep-alive connection, one request at a time: the same simple client for both sides of a comparison. */
export interface HttpClient {
  /** Sends a request built by `getRequest` or `postRequest`. @throws Error if the connection breaks */
  send(request: string): Promise<HttpAnswer>
  close(): void
}

export interface HttpAnswer {
  status: number
  body: string
}

export function getRequest(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n\r\n`
}

export function postRequest(
  path: string,
  key: string,
  body: unknown,
  headers: Record<string, string> = {},
): string {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n` +
    `${more.join('')}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`
  )
}

/** Parses only what these servers send: a status line, headers with `content-length`, and the body. */
export function httpClient(url: string): HttpClient {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let received = Buffer.alloc(0)
  let waiting: { resolve(answer: HttpAnswer): void; reject(error: Error): void } | undefined
  let broken: Error | undefined

  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const head = received.toString('latin1', 0, headEnd)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (length === undefined) return fail(new Error(`an answer without content-length: ${head}`))
    const end = headEnd + 4 + Number(length)
    if (received.length < end) return
    const answer = { status: Number(head.slice(9, 12)), body: received.toString('utf8', headEnd + 4, end) }
    received = received.subarray(end)
    const { resolve } = waiting!
    waiting = undefined
    resolve(answer)
  })
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the connection was closed')))

  function fail(error: Error): void {
    broken ??= error
    waiting?.reject(error)
    waiting = undefined
  }

  return {
    send(request) {
      return new Promise((resolve, reject) => {
        if (broken) return reject(broken)
        waiting = { resolve, reject }
        socket.write(request)
      })
    },
    close: () => void socket.destroy(),
  }
}

/** Several clients with one connection each. */
export function httpClients(url: string, count: number): { all: HttpClient[]; close(): void } {
  const all = Array.from({ length: count }, () => httpClient(url))
  return { all, close: () => all.forEach((client) => client.close()) }
}

/** @throws Error with the answer if its status is different */
export function expectStatus(answer: HttpAnswer, status: number): HttpAnswer {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.body}`)
  return answer
}
