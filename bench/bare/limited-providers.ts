import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'

/** A published limit: calls in any window of this length, for each subject. */
interface PublishedLimit {
  name: string
  calls: number
  windowMs: number
  subjectOf(body: string): string
}

const wholeTeam = () => ''
const channelOf = (body: string) => new URLSearchParams(body).get('channel') ?? ''

/**
 * What the providers publish, as strictly as it can be read: no burst, and windows that slide.
 * @source https://docs.slack.dev/apis/web-api/rate-limits (chat.postMessage: one a second for each conversation, several
 *   hundred a minute for a workspace; conversations.open: tier 3), https://resend.com/docs/api-reference/rate-limit
 */
const published: Record<string, PublishedLimit[]> = {
  '/slack/api/chat.postMessage': [
    { name: 'slack', calls: 3, windowMs: 1_000, subjectOf: wholeTeam },
    { name: 'slack, one conversation', calls: 1, windowMs: 1_000, subjectOf: channelOf },
  ],
  '/slack/api/conversations.open': [
    { name: 'slack, conversations opened', calls: 50, windowMs: 60_000, subjectOf: wholeTeam },
  ],
  '/resend/emails/batch': [{ name: 'resend', calls: 2, windowMs: 1_000, subjectOf: wholeTeam }],
}

/** When calls were accepted and refused, in milliseconds of this process, by the name of the limit that decided. */
export interface CallsMade {
  accepted: Record<string, number[]>
  refused: Record<string, number[]>
}

/**
 * Answers in front of the stand-ins, and refuses with 429 what a provider's published limit refuses. `GET /calls` tells the
 * calls since the last time it was asked.
 */
export async function startLimitedProviders(port: number, standInUrl: string): Promise<() => void> {
  const windows = new Map<string, number[]>()
  let made: CallsMade = { accepted: {}, refused: {} }

  /** How long until a call would be accepted; 0: it is, and it counts. */
  function admit(path: string, body: string): number {
    const now = performance.now()
    const limits = (published[path] ?? []).map(({ name, calls, windowMs, subjectOf }) => {
      const key = `${name} ${subjectOf(body)}`
      const recent = (windows.get(key) ?? []).filter((at) => at > now - windowMs)
      return { name, key, recent, waitMs: recent.length < calls ? 0 : recent.at(-calls)! + windowMs - now }
    })
    const hit = limits.find(({ waitMs }) => waitMs > 0)
    if (hit) {
      ;(made.refused[hit.name] ??= []).push(now)
      return hit.waitMs
    }
    for (const { name, key, recent } of limits) {
      windows.set(key, [...recent, now])
      ;(made.accepted[name] ??= []).push(now)
    }
    return 0
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/'
    if (path === '/calls') {
      response.end(JSON.stringify(made))
      made = { accepted: {}, refused: {} }
      return
    }
    const body = await textOf(request)
    const waitMs = admit(path, body)
    if (waitMs > 0) return refuse(response, waitMs)
    const { authorization, 'content-type': type = '', ...others } = request.headers
    const passed = await fetch(new URL(path, standInUrl), {
      method: request.method!,
      headers: {
        ...(authorization ? { authorization } : {}),
        'content-type': type,
        ...picked(others, ['idempotency-key', 'x-batch-validation']),
      },
      ...(request.method === 'GET' ? {} : { body }),
    })
    response.statusCode = passed.status
    response.setHeader('content-type', passed.headers.get('content-type') ?? 'application/json')
    response.end(await passed.text())
  }

  const server = createServer((request, response) => void answer(request, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return () => server.close()
}

/** A refusal in the form that both SDKs read. */
function refuse(response: ServerResponse, waitMs: number): void {
  response.statusCode = 429
  response.setHeader('retry-after', String(Math.max(1, Math.ceil(waitMs / 1_000))))
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ ok: false, error: 'ratelimited', name: 'rate_limit_exceeded', message: '' }))
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}

const picked = (headers: IncomingMessage['headers'], names: string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])))
