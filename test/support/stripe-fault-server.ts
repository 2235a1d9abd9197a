import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { answer, fail, send, type Fault } from './fault-provider.ts'
import { stripeError, stripeFaultApi, type StripeAnswer, type StripeRequest } from './stripe-fault-api.ts'

export interface StripeFaultServer extends Omit<ReturnType<typeof stripeFaultApi>, 'work'> {
  /** The address for `STRIPE_API_BASE`. */
  apiBase: string
  requests: StripeRequest[]
  /** The requests of one method: `POST`. */
  requestsBy(method: string): StripeRequest[]
  /** Asked for every request; undefined = served well. */
  faultFor: (request: StripeRequest) => Fault | undefined
  /** Awaited before a request is served. */
  arriving?: (request: StripeRequest) => Promise<void>
  /** The next requests whose call begins so meet these, in order; then all is well. */
  failNext(call: string, ...faults: Fault[]): void
  /** Resolves when a request whose call begins so has arrived. */
  arrived(call: string): Promise<StripeRequest>
  stop(): Promise<void>
}

/** Stripe's refusal as a fault. `work`: what was asked is done all the same. */
export function refusal(
  status: number,
  type: string,
  code?: string,
  options: { work?: boolean; headers?: Record<string, string> } = {},
): Fault {
  return answer(status, stripeError(status, type, code).body as object, options)
}

/** Stripe on a port of the loopback interface, failing on demand. */
export async function startStripeFaultServer(): Promise<StripeFaultServer> {
  const { work, ...api } = stripeFaultApi()
  const requests: StripeRequest[] = []
  const queued: { call: string; fault: Fault }[] = []
  const waiting: { call: string; resolve: (request: StripeRequest) => void }[] = []
  const server = createServer(
    (incoming, response) => void serve(incoming, response).catch(() => response.destroy()),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const stripe: StripeFaultServer = {
    ...api,
    apiBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    requestsBy: (method) => requests.filter((request) => request.method === method),
    faultFor: () => undefined,
    failNext: (call, ...faults) => void queued.push(...faults.map((fault) => ({ call, fault }))),
    arrived: (call) => {
      const known = requests.find((request) => request.call.startsWith(call))
      return known ? Promise.resolve(known) : new Promise((resolve) => waiting.push({ call, resolve }))
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return stripe

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(incoming)
    requests.push(request)
    await stripe.arriving?.(request)
    const fault = nextQueued(request.call) ?? stripe.faultFor(request)
    const good: StripeAnswer | undefined = !fault || fault.work ? work(request) : undefined
    for (const { call, resolve } of waiting) if (request.call.startsWith(call)) resolve(request)
    if (fault) fail(fault, good, response)
    else send(response, good!.status, good!.body, good!.headers)
  }

  function nextQueued(call: string): Fault | undefined {
    const index = queued.findIndex((entry) => call.startsWith(entry.call))
    return index < 0 ? undefined : queued.splice(index, 1)[0]!.fault
  }
}

async function read(incoming: IncomingMessage): Promise<StripeRequest> {
  const body = await text(incoming)
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://127.0.0.1')
  const headers = incoming.headers as Record<string, string>
  return {
    call: `${incoming.method} ${pathname}`,
    method: incoming.method ?? '',
    path: pathname,
    key: headers['idempotency-key'],
    parameters: Object.fromEntries([...searchParams, ...new URLSearchParams(body)]),
    headers,
  }
}
