import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'

/** A published limit: calls in any window of this length, for each subject. */
interface PublishedLimit {
  name: string
  calls: number
  windowMs: number
  subjectOf(body: string): string
}

interface Method {
  limits: PublishedLimit[]
  answer(body: string): object
}

const wholeTeam = () => ''
const channelOf = (body: string) => new URLSearchParams(body).get('channel') ?? ''

/**
 * What the providers publish, as strictly as it can be read: no burst, and windows that slide.
 * @source https://docs.slack.dev/apis/web-api/rate-limits (chat.postMessage: one a second for each conversation, several
 *   hundred a minute for a workspace; conversations.open: tier 3), https://resend.com/docs/api-reference/rate-limit
 */
const methods: Record<string, Method> = {
  '/slack/api/chat.postMessage': {
    limits: [
      { name: 'slack', calls: 3, windowMs: 1_000, subjectOf: wholeTeam },
      { name: 'slack, one conversation', calls: 1, windowMs: 1_000, subjectOf: channelOf },
    ],
    answer: () => ({ ok: true, ts: `${(Date.now() / 1_000).toFixed(6)}` }),
  },
  '/slack/api/conversations.open': {
    limits: [{ name: 'slack, conversations opened', calls: 50, windowMs: 60_000, subjectOf: wholeTeam }],
    answer: (body) => ({ ok: true, channel: { id: `D${new URLSearchParams(body).get('users')}` } }),
  },
  '/resend/emails/batch': {
    limits: [{ name: 'resend', calls: 2, windowMs: 1_000, subjectOf: wholeTeam }],
    answer: (body) => ({
      data: (JSON.parse(body) as object[]).map(() => ({ id: randomUUID() })),
      errors: [],
    }),
  },
}

/** When calls were accepted and refused, in milliseconds of this process, by the name of the limit that decided. */
export interface CallsMade {
  accepted: Record<string, number[]>
  refused: Record<string, number[]>
}

/**
 * The calls of a broadcast, answered at once, or refused with 429 where a published limit refuses them: nothing else runs in
 * this process, so calls are counted when they arrive. `GET /calls` tells the calls since the last time it was asked.
 * @returns what stops it
 */
export async function startLimitedProviders(port: number): Promise<() => void> {
  const windows = new Map<string, number[]>()
  let made: CallsMade = { accepted: {}, refused: {} }

  /** How long until a call would be accepted; 0: it is, and it counts. */
  function admit(method: Method, body: string): number {
    const now = performance.now()
    const limits = method.limits.map(({ name, calls, windowMs, subjectOf }) => {
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
    const method = methods[path]
    if (!method) throw new Error(`nothing answers ${path}`)
    const waitMs = admit(method, body)
    if (waitMs > 0) return refuse(response, waitMs)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(method.answer(body)))
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
