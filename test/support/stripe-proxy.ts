import { type IncomingMessage, type ServerResponse, createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What goes wrong with one write. `lose`: it is done and its answer is lost. `drop`: it never arrives. `hang`: it is done and
 * its answer is never sent. A number: answered with that status, not done.
 */
export type StripeFault =
  | 'none'
  | 'lose'
  | 'drop'
  | 'hang'
  | { status: number; headers?: Record<string, string>; code?: string }

export interface StripeProxy {
  url: string
  /** What goes wrong with the next writes, in order. Later ones and all reads pass. */
  next(...faults: StripeFault[]): void
  /** The writes that came, in order. */
  writes: { method: string; path: string; key: string | undefined; authorization: string | undefined }[]
  /** Resolves when the next write has come and was answered by the stand-in, or refused. */
  written(): Promise<void>
  stop(): Promise<void>
}

/** Stands in front of the stateful stand-in, and spoils single writes. */
export async function startStripeProxy(target: string): Promise<StripeProxy> {
  const faults: StripeFault[] = []
  const writes: StripeProxy['writes'] = []
  let heard: (() => void)[] = []
  const server = createServer((request, response) => {
    const isRead = request.method === 'GET'
    const fault = isRead ? 'none' : (faults.shift() ?? 'none')
    if (!isRead) {
      writes.push({
        method: request.method!,
        path: request.url!,
        key: request.headers['idempotency-key'] as string | undefined,
        authorization: request.headers.authorization,
      })
    }
    void serve(target, fault, request, response).finally(() => {
      if (isRead) return
      for (const hear of heard) hear()
      heard = []
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: (...coming) => void faults.push(...coming),
    writes,
    written: () => new Promise((resolve) => void heard.push(resolve)),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function serve(
  target: string,
  fault: StripeFault,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request)
  if (fault === 'drop') return void request.socket.destroy()
  if (typeof fault === 'object') {
    const error = {
      type: fault.status < 500 ? 'invalid_request_error' : 'api_error',
      code: fault.code,
      message: 'spoiled',
    }
    response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers })
    return void response.end(JSON.stringify({ error }))
  }
  const answer = await passOn(target, request, body)
  if (fault === 'lose') return void request.socket.destroy()
  if (fault === 'hang') return
  const { 'transfer-encoding': _, ...headers } = answer.headers
  response.writeHead(answer.status, headers)
  response.end(answer.body)
}

function passOn(target: string, { method, url, headers }: IncomingMessage, body: Buffer) {
  return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>(
    (resolve, reject) => {
      const sent = forward(
        new URL(url!, target),
        { method, headers: { ...headers, host: new URL(target).host } },
        (answer) => {
          bodyOf(answer).then(
            (text) => resolve({ status: answer.statusCode!, headers: answer.headers, body: text }),
            reject,
          )
        },
      )
      sent.once('error', reject)
      sent.end(body)
    },
  )
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of message) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
