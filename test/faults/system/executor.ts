import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { type Fault, fail, send } from '../../support/fault-provider.ts'

/** A call as the executor received it. */
export interface ExecutorCalled {
  /** `webhook-id`. */
  id: string
  /** Whether it is signed with the secret of the account and kind that it names. */
  isSigned: boolean
  body: string
  data: { [field: string]: any }
}

/** What a webhook of the run calls: does each id once, as docs/write-an-executor.md says, and fails on demand. */
export interface ExecutorStandIn {
  /** `host:port`. */
  address: string
  /** By `account kind`. */
  secrets: Map<string, string>
  received: ExecutorCalled[]
  /** What it did, by the id of the call and the version that it deployed. */
  effects: { id: string; version: string }[]
  faultFor(): Fault | undefined
  /** Awaited before a call is served. */
  arriving?: ((call: ExecutorCalled) => Promise<void>) | undefined
  stop(): Promise<void>
}

/** How often long work is asked about until it is done. */
const pollsOfLongWork = 2

export async function startExecutor(): Promise<ExecutorStandIn> {
  const ended = new Map<string, { status: number; body: object }>()
  const pollsLeft = new Map<string, number>()
  const server = createServer((request, response) => {
    const served = request.method === 'POST' ? called(request, response) : asked(request, response)
    served.catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const standIn: ExecutorStandIn = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    secrets: new Map(),
    received: [],
    effects: [],
    faultFor: () => undefined,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return standIn

  async function called(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await readCall(request, standIn.secrets)
    standIn.received.push(call)
    await standIn.arriving?.(call)
    const fault = standIn.faultFor()
    const isFirst = !ended.has(call.id)
    if (!fault || fault.work) work(call)
    if (fault) return fail(fault, ended.get(call.id), response)
    // It did the work and broke before it could say so.
    if (isFirst && call.data['payload'].lost) return send(response, 500, {})
    answer(call.id, response)
  }

  /** Long work is asked about where its `Location` said, and any call at the `status_url`: the same address. */
  async function asked(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = decodeURIComponent((request.url ?? '').replace('/calls/', ''))
    const fault = standIn.faultFor()
    if (fault && !fault.work) return fail(fault, undefined, response)
    // Whoever asks may rest on the answer: what was not done so far never will be.
    if (!ended.has(id)) ended.set(id, { status: 422, body: {} })
    pollsLeft.set(id, (pollsLeft.get(id) ?? 0) - 1)
    if (fault) return fail(fault, ended.get(id), response)
    answer(id, response)
  }

  function work({ id, data }: ExecutorCalled): void {
    if (ended.has(id)) return
    const { version, refused, long } = data['payload']
    if (refused) return void ended.set(id, { status: 422, body: {} })
    if (long) pollsLeft.set(id, pollsOfLongWork)
    standIn.effects.push({ id, version })
    ended.set(id, { status: 200, body: { deployed: version } })
  }

  function answer(id: string, response: ServerResponse): void {
    if ((pollsLeft.get(id) ?? 0) > 0)
      return send(response, 202, {}, { location: `/calls/${encodeURIComponent(id)}` })
    const { status, body } = ended.get(id)!
    send(response, status, body)
  }
}

async function readCall(request: IncomingMessage, secrets: Map<string, string>): Promise<ExecutorCalled> {
  const body = await text(request)
  const { data } = JSON.parse(body) as { data: ExecutorCalled['data'] }
  const id = String(request.headers['webhook-id'])
  return { id, isSigned: isSigned(), body, data }

  function isSigned(): boolean {
    try {
      new Webhook(secrets.get(`${data['account']} ${data['kind']}`)!).verify(
        body,
        request.headers as Record<string, string>,
      )
      return true
    } catch {
      return false
    }
  }
}
