import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parse as parseForm } from 'node:querystring'
import { text } from 'node:stream/consumers'
import { faultApis, type ApiAnswer, type SeenRequest } from './fault-apis.ts'

/** What goes wrong with one request. `work`: what was asked is done before it goes wrong. */
export type Fault =
  | { kind: 'drop' | 'hang' | 'cut_body'; work: boolean }
  | { kind: 'drip'; work: boolean; byteEveryMs: number }
  | { kind: 'answer'; work: boolean; status: number; headers?: Record<string, string>; body: string | object }

export interface FaultProvider {
  slackApiUrl: string
  resendBaseUrl: string
  requests: SeenRequest[]
  /** Effective deliveries by delivery id (Slack) or address (e-mail): more than 1 is a duplicate. */
  deliveries: Map<string, number>
  slackMessages: ReturnType<typeof faultApis>['slackMessages']
  emails: ReturnType<typeof faultApis>['emails']
  /** Asked for every request; undefined = served well. */
  faultFor: (request: SeenRequest) => Fault | undefined
  /** Awaited before a request is served. */
  arriving?: (request: SeenRequest) => Promise<void>
  /** The next requests to `call` meet these, in order; then all is well. */
  failNext(call: string, ...faults: Fault[]): void
  /** Resolves when a request to `call` has arrived. */
  arrived(call: string): Promise<SeenRequest>
  stop(): Promise<void>
}

export const drop: Fault = { kind: 'drop', work: false }
export const workThenDrop: Fault = { kind: 'drop', work: true }
export const hang: Fault = { kind: 'hang', work: false }
export const workThenHang: Fault = { kind: 'hang', work: true }
export const cutBody: Fault = { kind: 'cut_body', work: true }
export const drip: Fault = { kind: 'drip', work: true, byteEveryMs: 50 }
export const html200: Fault = answer(200, '<html><body>secret-looking body</body></html>', { work: true })
export const tooMany = (headers: Record<string, string> = {}): Fault =>
  answer(429, { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many.', ok: false }, { headers })

export function answer(
  status: number,
  body: string | object,
  { work = false, headers = {} }: { work?: boolean; headers?: Record<string, string> } = {},
): Fault {
  return { kind: 'answer', work, status, headers, body }
}

/** Slack and Resend on one port of the loopback interface, failing on demand. */
export async function startFaultProvider(): Promise<FaultProvider> {
  const { work, ...seen } = faultApis()
  const requests: SeenRequest[] = []
  const queued: { call: string; fault: Fault }[] = []
  const waiting: { call: string; resolve: (request: SeenRequest) => void }[] = []
  const server = createServer(
    (incoming, response) => void serve(incoming, response).catch(() => response.destroy()),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const provider: FaultProvider = {
    ...seen,
    slackApiUrl: `${base}/slack/`,
    resendBaseUrl: `${base}/resend`,
    requests,
    faultFor: () => undefined,
    failNext: (call, ...faults) => void queued.push(...faults.map((fault) => ({ call, fault }))),
    arrived: (call) => {
      const known = requests.find((request) => request.call === call)
      return known ? Promise.resolve(known) : new Promise((resolve) => waiting.push({ call, resolve }))
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return provider

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(incoming)
    requests.push(request)
    await provider.arriving?.(request)
    const fault = nextQueued(request.call) ?? provider.faultFor(request)
    const good = !fault || fault.work ? work(request) : undefined
    for (const { call, resolve } of waiting) if (call === request.call) resolve(request)
    if (fault) fail(fault, good, response)
    else send(response, good!.status, good!.body)
  }

  function nextQueued(call: string): Fault | undefined {
    const index = queued.findIndex((entry) => entry.call === call)
    return index < 0 ? undefined : queued.splice(index, 1)[0]!.fault
  }
}

async function read(incoming: IncomingMessage): Promise<SeenRequest> {
  const body = await text(incoming)
  const isForm = incoming.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  return {
    call: (incoming.url ?? '').replace(/^\/(slack|resend)\//, ''),
    headers: incoming.headers as Record<string, string>,
    form: isForm ? (parseForm(body) as Record<string, string>) : {},
    json: isForm || body === '' ? undefined : JSON.parse(body),
  }
}

export function fail(fault: Fault, good: ApiAnswer | undefined, response: ServerResponse): void {
  const body = JSON.stringify(good?.body ?? {})
  if (fault.kind === 'hang') return
  if (fault.kind === 'drop') return void response.destroy()
  if (fault.kind === 'answer') return send(response, fault.status, fault.body, fault.headers)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  if (fault.kind !== 'drip') {
    return void response.write(body.slice(0, body.length / 2), () => response.socket?.destroy())
  }
  let sent = 0
  const timer = setInterval(() => response.write(body[sent++ % body.length]), fault.byteEveryMs)
  response.on('close', () => clearInterval(timer))
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body))
}
