import { GateError, OutcomeUnknown } from '../errors.ts'
import { isLoopbackHost } from '../network/loopback.ts'
import type { AdminOperation } from '../operations/administration/admin-operation.ts'
import { UsageError } from './verb.ts'

/** A gate on another machine. */
export interface RemoteGate {
  url: URL
  key: string
}

/** Calls an operation of the administration API by its name. */
export interface RemoteCall {
  (operation: string, input?: Record<string, unknown>): Promise<Record<string, unknown>>
  /** The texts of an answer that is a stream. */
  stream(operation: string): Promise<AsyncIterable<string>>
}

/** @throws UsageError where the key would be sent in the open */
export function gateAt(url: string, key: string): RemoteGate {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol) || parsed.username || parsed.search)
    throw new UsageError('--url must be the address of a gate, such as https://gate.my.example')
  if (parsed.protocol === 'http:' && !isLoopbackHost(parsed.hostname))
    throw new UsageError('--url must begin with https://: the key would be sent in the open')
  return { url: parsed, key }
}

/** @param operations  the registry of administration */
export function remoteCall(gate: RemoteGate, operations: AdminOperation[]): RemoteCall {
  const call = async (name: string, input: Record<string, unknown> = {}) =>
    (await (await request(gate, operationOf(operations, name), input)).json()) as Record<string, unknown>
  return Object.assign(call, {
    async stream(name: string) {
      const { body } = await request(gate, operationOf(operations, name), {})
      return textsOf(body!)
    },
  })
}

async function* textsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of body) yield decoder.decode(chunk, { stream: true })
}

function operationOf(operations: AdminOperation[], name: string): AdminOperation {
  const found = operations.find((operation) => operation.name === name)
  if (!found) throw new Error(`there is no operation ${name}`)
  return found
}

async function request(
  { url, key }: RemoteGate,
  { http: { method, path } }: AdminOperation,
  input: Record<string, unknown>,
): Promise<Response> {
  const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== null)
  const inPath = (name: string) => path.includes(`{${name}}`)
  const target = new URL(url)
  target.pathname =
    target.pathname.replace(/(?<!\/)\/+$/, '') +
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])))
  const rest = given.filter(([name]) => !inPath(name))
  if (method === 'GET') for (const [name, value] of rest) target.searchParams.set(name, String(value))
  const response = await fetch(target, {
    method,
    // The key is for this gate alone.
    redirect: 'error',
    headers: {
      authorization: `Bearer ${key}`,
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
    },
    ...(method === 'POST' ? { body: JSON.stringify(Object.fromEntries(rest)) } : {}),
  }).catch((error: unknown) => {
    throw unreached(method, url, error)
  })
  if (response.ok) return response
  const body = (await response.json().catch(() => ({}))) as { error?: string }
  throw new GateError('invalid', body.error ?? `The gate answered ${response.status}.`)
}

function unreached(method: 'GET' | 'POST', { host }: URL, error: unknown): GateError {
  const { cause } = error as { cause?: { code?: string } }
  const isSurelyNotSent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(cause?.code ?? '')
  if (method === 'GET' || isSurelyNotSent)
    return new GateError(
      'unavailable',
      `${host} could not be reached${cause?.code ? ` (${cause.code})` : ''}.`,
    )
  return new OutcomeUnknown('this command')
}
