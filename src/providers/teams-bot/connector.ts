import { boundedBody } from '../../executors/bounded-body.ts'
import { CallFailure, type Network, sendGuarded } from '../../executors/guarded-request.ts'
import { parseExactJson } from '../../gate/json/exact-json.ts'
import { limits } from '../../limits.ts'
import { timeLimit } from '../../waiting/time-limit.ts'
import type { Bot } from './bot.ts'
import type { BotPlace } from './place.ts'

/** Answers are ids and tokens. */
const answerBytesMax = 65_536
const idCharsMax = 500
/** A token is not used in its last minutes. */
const tokenSpareMs = 300_000
const tokenLifeMsMax = 86_400_000

export interface BotRequest {
  url: string
  method: 'POST' | 'PUT'
  headers: Record<string, string>
  body: string
}

export interface BotAnswer {
  status: number
  retryAfter: string | undefined
  /** Undefined: it is no object, or too long. */
  body: Record<string, unknown> | undefined
}

/** Sends one request. @throws CallFailure where no answer came */
export type AskBot = (request: BotRequest, signal: AbortSignal) => Promise<BotAnswer>

/** Asks addresses of Microsoft as addresses of executors are asked: checked, pinned, without redirects, bounded. */
export const askGuarded =
  (network: Network, account: string): AskBot =>
  async (request, signal) => {
    const answer = await sendGuarded(network, { account, ...request }, signal)
    const body = await boundedBody(answer, answerBytesMax, signal)
    return {
      status: answer.statusCode ?? 0,
      retryAfter: answer.headers['retry-after'],
      body: objectIn(body?.toString('utf8')),
    }
  }

/** Asks the operator's own stand-in, wherever that is. */
export const askStandIn: AskBot = async ({ url, ...request }, signal) => {
  const answer = await fetch(url, { ...request, signal, redirect: 'manual' })
  const retryAfter = answer.headers.get('retry-after') ?? undefined
  return { status: answer.status, retryAfter, body: objectIn(await answer.text()) }
}

function objectIn(text = ''): BotAnswer['body'] {
  try {
    const value = parseExactJson(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** An id that can stand in a path and in a row. */
export const idIn = (body: BotAnswer['body']): string | undefined => {
  const id = body?.['id']
  return typeof id === 'string' && id.length <= idCharsMax && /^[\x21-\x7e]+$/.test(id) ? id : undefined
}

/** Microsoft gave no token. `isFinal`: it refuses the bot. */
export class TokenProblem extends Error {
  readonly code: string
  readonly isFinal: boolean

  constructor(code: string, isFinal: boolean) {
    super(`the bot got no token: ${code}`)
    this.code = code
    this.isFinal = isFinal
  }
}

export interface Connector {
  /** Gets a token, or answers the one there is. @throws TokenProblem, CallFailure */
  token(): Promise<string>
  /** Calls the service with the token. @throws TokenProblem before the call, CallFailure */
  call(method: BotRequest['method'], path: string, body: object, signal?: AbortSignal): Promise<BotAnswer>
}

/** Calls the service as a bot. A token is kept until shortly before it ends, or is refused. */
export function connector(bot: Bot, place: BotPlace, ask: AskBot): Connector {
  let kept: { token: string; until: number } | undefined
  let asked: Promise<string> | undefined

  async function inTime(request: BotRequest, stop: AbortSignal | undefined): Promise<BotAnswer> {
    const { signal, clear } = timeLimit(limits.providerCallMs, stop)
    try {
      return await ask(request, signal)
    } finally {
      clear()
    }
  }

  async function newToken(): Promise<string> {
    const { status, body } = await inTime(tokenRequest(bot, place), undefined)
    const { access_token: token, expires_in: seconds, error } = body ?? {}
    if (status === 200 && typeof token === 'string' && /^[\x21-\x7e]{1,16000}$/.test(token)) {
      const lifeMs = Math.min(Number(seconds) * 1_000 || 0, tokenLifeMsMax)
      kept = { token, until: Date.now() + lifeMs - tokenSpareMs }
      return token
    }
    const said = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : `http_${status}`
    throw new TokenProblem(said, status === 400 || status === 401)
  }

  async function token(): Promise<string> {
    if (kept && Date.now() < kept.until) return kept.token
    return (asked ??= newToken().finally(() => (asked = undefined)))
  }

  return {
    token,
    async call(method, path, body, signal) {
      const headers = { ...headersOf('application/json'), authorization: `Bearer ${await token()}` }
      const url = new URL(path, place.serviceUrl).href
      const answer = await inTime({ url, method, headers, body: JSON.stringify(body) }, signal)
      if (answer.status === 401) kept = undefined
      return answer
    },
  }
}

/** @source Microsoft identity platform, OAuth 2.0 client credentials; the scope of the Bot Connector */
const tokenRequest = ({ tenant, app, secret }: Bot, place: BotPlace): BotRequest => ({
  url: place.tokenUrl(tenant),
  method: 'POST',
  headers: headersOf('application/x-www-form-urlencoded'),
  body: new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: app,
    client_secret: secret,
    scope: 'https://api.botframework.com/.default',
  }).toString(),
})

const headersOf = (type: string) => ({ 'content-type': type, 'user-agent': 'qualification-gate' })

/** The code of a failure to get a token or to call, and whether it is final. Pure. */
export function failureOf(error: unknown): { code: string; isFinal: boolean } {
  if (error instanceof TokenProblem) return error
  if (error instanceof CallFailure) return { code: error.code, isFinal: error.code === 'address_refused' }
  return { code: 'no_answer', isFinal: false }
}
