import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bodyOf } from './fake-models.ts'

export const gateKey = 'test-key-of-the-runner'

export interface GateCall {
  /** `tool-calls` or `outcomes`. */
  path: string
  /** The key that signed the request, if it is the gate's; else how the request names its key. */
  key: string | undefined
  entrypoint: string | null
  body: unknown
  mac: string
}

export interface FakeGate {
  url: string
  calls: GateCall[]
  close: () => Promise<void>
}

/** What the gate does with a request about a tool call. */
export type Script = (response: ServerResponse, call: GateCall) => void

/** A gate on loopback that does as told, for faults that a real one is not brought to easily. */
export async function startFakeGate(script: Script): Promise<FakeGate> {
  const calls: GateCall[] = []
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const url = new URL(request.url ?? '', 'http://gate')
      const { authorization = '' } = request.headers
      const call = {
        path: url.pathname.replace('/api/v1/runner/', ''),
        key: authorization.includes(nameOf(gateKey)) ? gateKey : authorization,
        entrypoint: url.searchParams.get('entrypoint'),
        body: text ? JSON.parse(text) : null,
        mac: /mac=([\da-f]{64})/.exec(authorization)?.[1] ?? '',
      }
      calls.push(call)
      if (call.path === 'outcomes') return response.end(signed(call, 'ok'))
      script(response, call)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const sha256 = (text: string) => createHash('sha256').update(text)
const nameOf = (key: string) => sha256(`qualification-gate hook name 1\n${key}`).digest('hex')

/** A text with the MAC of the gate, as it answers a request of `gateKey`. */
function signed({ mac }: GateCall, text: string, status = 200): string {
  const secret = sha256(`qualification-gate hook secret 1\n${gateKey}`).digest()
  const own = createHmac('sha256', secret).update(`gate-answer-1\n${mac}\n${status}\n${text}`).digest('hex')
  return `${text}\n${own}`
}

const type = { 'content-type': 'text/plain' }

export const decides =
  (decision: string, reason = 'Because.'): Script =>
  (response, call) =>
    response.writeHead(200, type).end(signed(call, { deny: reason, defer: 'defer 7' }[decision] ?? decision))

/** A status that is no decision, with a text that would allow. */
export const answersWith =
  (status: number, headers: Record<string, string> = {}): Script =>
  (response, call) =>
    response.writeHead(status, { ...type, ...headers }).end(signed(call, 'allow', status))

/** Refuses a request as the gate does. */
export const refuses =
  (status: number, error: string): Script =>
  (response, call) =>
    response.writeHead(status, type).end(signed(call, error, status))

/** Answers with a text that is not from the gate. */
export const says =
  (body: string, contentType = 'text/plain'): Script =>
  (response) =>
    response.writeHead(200, { 'content-type': contentType }).end(body)

/** Never answers: the connection stays open until the client leaves. */
export const hangs: Script = () => undefined

/** The whole permission arrives, but not all that was announced. */
export const cutsOff: Script = (response, call) => {
  const body = signed(call, 'allow')
  response.writeHead(200, { ...type, 'content-length': String(body.length + 100) })
  response.write(body, () => response.socket?.destroy())
}

export const allowsOnly =
  (key: string): Script =>
  (response, call) =>
    call.key === key
      ? decides('allow')(response, call)
      : response.writeHead(401, type).end('This key is not valid.')
