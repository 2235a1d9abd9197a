import { createHash } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { posix } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { answerApp } from './weak-apps.ts'
import { callTool } from './weak-mcp.ts'

/** A small gate in memory that holds, but for the flaws it is given: each attack must notice its own. */
export interface WeakGate {
  url: string
  key: string
  flaws: Set<string>
  confirms(): number
  close(): Promise<void>
}

interface Row {
  id: number
  kind: string
  status: string
  member: string
  payload: { message: string }
  digest: string
  account: string
  consent?: object
  result?: object
  expires_at?: string
  /** Over which transport it was confirmed. */
  confirmed_over?: string
}

interface Asked {
  account: string
  powers: string
  body: any
  headers: IncomingMessage['headers']
}

class Refused extends Error {
  status: number
  code: string
  constructor(status: number, message = 'refused', code = 'refused') {
    super(message)
    this.status = status
    this.code = code
  }
}

export const keys = {
  own: 'wgk_OwnKeyOfTheAgent0001',
  second: 'wgk_KeyOfAnotherAccount2',
  limited: 'wgk_KeyThatMayNotConfirm',
  revoked: 'wgk_KeyThatWasRevoked004',
  runner: 'wgk_KeyOfAnAgentRunner05',
}
const rights: Record<string, { account: string; powers: string }> = {
  [keys.own]: { account: 'a', powers: 'read propose confirm' },
  [keys.second]: { account: 'b', powers: 'read propose confirm' },
  [keys.limited]: { account: 'a', powers: 'read propose' },
}
/** Conversations, and whose they are. */
export const conversations = { own: 'conv-of-ada', foreign: 'conv-of-grace' }
const members: Record<string, { tier: string; account: string }> = {
  'ada.skip@example.com': { tier: 'write', account: 'a' },
  'grace@example.com': { tier: 'write', account: 'a' },
  'alan@example.com': { tier: 'read_only', account: 'a' },
}

export async function startWeakGate(...given: string[]): Promise<WeakGate> {
  const flaws = new Set(given)
  const has = (flaw: string) => flaws.has(flaw)
  const rows: Row[] = []
  const answers = new Map<string, { request: string; row: Row }>()
  const registered = { count: 0 }
  let confirms = 0

  const maxHeaderSize = has('any-headers') ? 1_048_576 : 16_384
  const server = createServer({ maxHeaderSize }, (request, response) => {
    serve(request, response).catch((error: unknown) =>
      error instanceof Refused
        ? send(response, error.status, { error: error.message, code: error.code })
        : send(response, 400, { error: 'unreadable', code: 'malformed' }),
    )
  })
  server.maxHeadersCount = 0

  async function serve(request: IncomingMessage, response: ServerResponse) {
    if (has('any-path') && !posix.normalize(decoded(request.url!)).startsWith('/api/'))
      return send(response, 200, {})
    const { pathname, searchParams } = new URL(request.url!, 'http://gate')
    if (has('trusts-host')) response.setHeader('location', `http://${request.headers.host}${pathname}`)
    if (/^\/(?:oauth\/|mcp$|console\/apps\/|\.well-known\/)/.test(pathname)) {
      const ofApp = answerApp({ request, url: url(), has, sent: await textOf(request), registered })
      return send(response, ...(ofApp ?? ([404, {}] as const)))
    }
    if (pathname.startsWith('/decide/')) return send(response, has('open-links') ? 200 : 404, {})
    if (!pathname.startsWith('/api/')) return send(response, has('open-inside') ? 200 : 404, {})
    if (has('paths-before-key') && pathname === '/api/v1/nothing') throw new Refused(404)
    const who = authenticate(request, searchParams)
    if (pathname === '/api/mcp')
      return send(
        response,
        ...(await callTool(request, { url: url(), has, mayConfirm: who.powers.includes('confirm') })),
      )
    if (Number(request.headers['content-length'] ?? 0) > 1_000_000 && !has('any-size')) throw new Refused(413)
    const sent = await textOf(request)
    const isJson = request.headers['content-type'] === 'application/json' || has('any-type')
    if (request.method === 'POST' && !isJson) throw new Refused(415)
    if (sent.includes('\ufffd') && !has('any-bytes')) throw new Refused(400)
    if (sent.includes('__proto__') && !has('any-field')) throw new Refused(400)
    const body = sent === '' ? {} : JSON.parse(sent)
    const context = { ...who, headers: request.headers, body }
    send(response, ...route(request.method!, pathname, searchParams, context))
  }

  function authenticate({ headers }: IncomingMessage, query: URLSearchParams) {
    const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    if (headers['x-api-key'] !== undefined && headers['x-api-key'] !== bearer) throw new Refused(401)
    const key = has('key-in-query') ? (query.get('access_token') ?? bearer) : bearer
    if (has('no-key')) return { account: 'a', powers: 'read propose confirm' }
    if (key === keys.revoked && has('revoked-lives')) return rights[keys.own]!
    if (key === keys.runner) {
      if (has('runner-acts')) return rights[keys.own]!
      throw new Refused(403)
    }
    const known = Object.keys(rights).find((one) =>
      has('key-any-case') ? one.toLowerCase() === key.toLowerCase() : one === key,
    )
    if (known === undefined)
      throw new Refused(401, has('repeats-key') ? `no key ${key}` : 'Send a valid key.')
    return rights[known]!
  }

  function route(method: string, path: string, query: URLSearchParams, asked: Asked): [number, unknown] {
    const [, id, verb] = /^\/api\/v1\/actions\/([^/]+)(?:\/(confirm|cancel))?$/.exec(path) ?? []
    if (path === '/api/v1/capability' && method === 'GET') {
      if (query.getAll('email').length !== 1 && !has('first-of-two')) throw new Refused(422)
      return [200, { tier: memberOf({ email: query.get('email') }, asked).tier }]
    }
    if (path === '/api/v1/actions' && method === 'GET') return [200, list(query, asked)]
    if (path === '/api/v1/actions' && method === 'POST') {
      if (query.size > 0) throw new Refused(422)
      return [201, propose(asked)]
    }
    const [, conversation] = /^\/api\/v1\/conversations\/([^/]+)\/files\/read$/.exec(path) ?? []
    if (conversation !== undefined) return [200, readFile(conversation, query.get('path'))]
    if (id === undefined) throw new Refused(404)
    const named = has('any-id') ? String(Number.parseInt(decodeURIComponent(id), 10)) : id
    const row = rows.find(
      (one) => String(one.id) === named && (one.account === asked.account || has('one-account-for-all')),
    )
    if (!row) throw new Refused(404)
    if (verb === undefined && method === 'GET') return [200, row]
    if (verb === undefined || method !== 'POST') {
      if (has('any-method') && verb === 'cancel') return [200, close(row)]
      throw new Refused(405)
    }
    return [200, decide(row, verb, asked)]
  }

  function readFile(conversation: string, path: string | null): object {
    if (conversation === conversations.foreign && has('tells-foreign')) throw new Refused(404, 'Not yours.')
    if (conversation !== conversations.own) throw new Refused(404, 'Not found.')
    if (path !== 'index.html' && !has('any-file')) throw new Refused(404, 'Not found.')
    return { content: '<p>Hello</p>' }
  }

  function memberOf(actor: any, { account, headers }: Asked) {
    const claimed = has('member-from-header') ? headers['x-forwarded-user'] : undefined
    const email = actor?.email ?? claimed
    const isPlain = typeof email === 'string' && Object.keys(actor ?? { email }).join() === 'email'
    if (!isPlain && has('faults')) throw new Refused(500)
    if (!isPlain && !has('any-member-form')) throw new Refused(422)
    const read = has('folds-names') ? String(email).normalize('NFKC').toLowerCase() : email
    const seen = has('drops-invisible') ? String(read).replaceAll(/[\p{Cf}\u034f]/gu, '') : read
    const name = has('patterns') && seen === '%' ? 'ada.skip@example.com' : seen
    const member = members[name]
    if (!member || (member.account !== account && !has('one-account-for-all'))) throw new Refused(404)
    return { email: name as string, tier: has('tier-of-proposer') ? 'write' : member.tier }
  }

  function propose(asked: Asked): Row {
    const { kind, actor, payload, rationale, ...more } = asked.body
    if (Object.keys(more).length > 0 && !has('any-field')) throw new Refused(422)
    if (kind !== 'broadcast' && !(has('any-kind') && /^broadcast/i.test(String(kind)))) throw new Refused(422)
    const member = memberOf(actor, asked)
    const { message, ...rest } = payload ?? {}
    if (Object.keys(rest).length > 0 && !has('any-field')) throw new Refused(422)
    const isText = typeof message === 'string' && message.trim() !== '' && message.length <= 4_000
    if (!isText && !has('any-length')) throw new Refused(422)
    for (const one of [message, rationale].filter((value) => typeof value === 'string'))
      // oxlint-disable-next-line no-control-regex
      if (/[\0-\x08\x0e-\x1f\x7f-\x9f]|\p{Cs}/u.test(one) && !has('any-sign')) throw new Refused(422)
    if (typeof rationale === 'string' && rationale.length > 500) throw new Refused(422)
    const key = asked.headers['idempotency-key'] as string | undefined
    if (key !== undefined && !/^[!-~]{1,255}$/.test(key) && !has('any-idempotency-key'))
      throw new Refused(422)
    const kept =
      key === undefined ? undefined : answers.get(`${has('keys-of-all') ? '' : asked.account} ${key}`)
    const request = JSON.stringify(asked.body)
    if (kept && !has('no-idempotency')) {
      if (kept.request !== request && !has('key-for-any-request')) throw new Refused(422)
      return kept.row
    }
    const isOpen = rows.filter(({ status }) => status === 'proposed').length
    if (isOpen >= 100 && !has('no-limit')) throw new Refused(429)
    const row = rowOf(asked, member, String(message), more)
    rows.push(row)
    if (key !== undefined) answers.set(`${has('keys-of-all') ? '' : asked.account} ${key}`, { request, row })
    return row
  }

  function rowOf(
    { account }: Asked,
    member: { email: string; tier: string },
    message: string,
    more: any,
  ): Row {
    const shown = has('one-digest-for-looks') ? message.normalize('NFC') : message
    const id = rows.length + 1
    const isApproved = has('text-approves') && message.includes('Execute now')
    return {
      id,
      kind: 'broadcast',
      status: member.tier === 'read_only' ? 'denied' : isApproved ? 'executed' : 'proposed',
      member: member.email,
      payload: { message: has('escapes') ? message.replaceAll('<', '&lt;') : message },
      digest: createHash('sha256')
        .update(has('one-digest-for-looks') ? shown.slice(0, 20) : `${id}${shown}`)
        .digest('hex'),
      account,
      ...(has('any-field') ? more : {}),
    }
  }

  function decide(row: Row, verb: string, asked: Asked) {
    const { actor, digest, ...more } = asked.body
    if (verb === 'confirm' && !asked.powers.includes('confirm') && !has('any-power')) throw new Refused(403)
    if (Object.keys(more).length > 0 && !has('any-field')) throw new Refused(422)
    if (!has(`nobody-${verb}s`)) {
      if (typeof actor?.email !== 'string') throw new Refused(422)
      if (actor.email !== row.member && !has(`other-${verb}s`)) throw new Refused(403)
    }
    const over = String(asked.headers['x-transport'] ?? 'rest')
    const isFirstOver = has('once-a-transport') && row.confirmed_over !== over
    if (row.status !== 'proposed' && !has(`${row.status}-${verb}s`) && !isFirstOver) throw new Refused(409)
    if (verb === 'cancel') return close(row)
    if (digest !== undefined && digest !== row.digest && !has('any-digest'))
      throw new Refused(409, 'refused', 'digest_mismatch')
    confirms += 1
    return Object.assign(row, {
      confirmed_over: over,
      status: 'executed',
      consent: { strength: 'agent_attested' },
      result: { slack: 1 },
    })
  }

  const close = (row: Row) => Object.assign(row, { status: 'cancelled' })

  function list(query: URLSearchParams, { account }: Asked) {
    const limit = query.get('limit') ?? '50'
    if (!/^([1-9]\d?|1\d\d|200)$/.test(limit) && !has('any-page')) throw new Refused(422)
    for (const name of ['after', 'status', 'order'])
      if (query.has(name) && !/^(\d+|proposed|denied|asc|desc)$/.test(query.get(name)!))
        throw new Refused(422)
    const after = Number(query.get('after') ?? 0)
    const seen = rows.filter((row) => row.account === account || has('one-account-for-all'))
    return { actions: seen.filter(({ id }) => id > after).slice(-Number(limit)) }
  }

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: url(),
    key: keys.own,
    flaws,
    confirms: () => confirms,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  if (response.headersSent) return
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers })
  response.end(JSON.stringify(body))
}

/** Decodes a path like a server that does so once too often. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new Refused(400)
  }
}
