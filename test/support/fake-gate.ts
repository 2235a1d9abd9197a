import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bodyOf } from './fake-models.ts'

export const gateKey = 'test-key-of-the-runner'

export interface GateCall {
  /** `tool-calls` or `outcomes`. */
  path: string
  isText: boolean
  key: string | undefined
  entrypoint: string | undefined
  body: unknown
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
      const call = {
        path: url.pathname.replace('/api/v1/runner/', ''),
        isText: url.searchParams.get('as') === 'text',
        key: request.headers.authorization?.replace('Bearer ', ''),
        entrypoint: request.headers['x-runner-entrypoint'] as string | undefined,
        body: text ? JSON.parse(text) : null,
      }
      calls.push(call)
      if (call.path === 'outcomes') return response.end(call.isText ? 'ok' : '{"recorded":true}')
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

/** The body that decides, in the form that was asked for: text, or that of Claude Code, the only runner that reads JSON. */
function decisionBody({ isText }: GateCall, decision: string, reason = 'Because.'): string {
  if (isText) return decision === 'deny' ? reason : decision
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: reason,
    },
  })
}

const type = ({ isText }: GateCall): string => (isText ? 'text/plain' : 'application/json')

export const decides =
  (decision: string, reason?: string): Script =>
  (response, call) =>
    response.writeHead(200, { 'content-type': type(call) }).end(decisionBody(call, decision, reason))

/** A status that is no decision, with a body that would allow. */
export const answersWith =
  (status: number, headers: Record<string, string> = {}): Script =>
  (response, call) =>
    response.writeHead(status, { 'content-type': type(call), ...headers }).end(decisionBody(call, 'allow'))

/** As the gate refuses a request: `{error, code}`, or as text `gate: …`. */
export const refuses =
  (status: number, code: string, error: string): Script =>
  (response, call) =>
    response
      .writeHead(status, { 'content-type': type(call) })
      .end(call.isText ? `gate: ${error}` : JSON.stringify({ error, code, request_id: 'r' }))

export const says =
  (body: string, contentType = 'text/plain'): Script =>
  (response) =>
    response.writeHead(200, { 'content-type': contentType }).end(body)

/** Never answers: the connection stays open until the client leaves. */
export const hangs: Script = () => undefined

/** The whole permission arrives, but not all that was announced. */
export const cutsOff: Script = (response, call) => {
  const body = decisionBody(call, 'allow')
  response.writeHead(200, { 'content-type': type(call), 'content-length': String(body.length + 100) })
  response.write(body, () => response.socket?.destroy())
}

export const allowsOnly =
  (key: string): Script =>
  (response, call) =>
    call.key === key
      ? decides('allow')(response, call)
      : refuses(401, 'invalid_key', 'This key is not valid.')(response, call)
