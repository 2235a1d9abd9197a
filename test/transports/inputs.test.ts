import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { actionKinds } from '../../src/actions/registry.ts'
import { pages } from '../../src/console/pages.ts'
import { operations } from '../../src/operations/registry.ts'
import { ErrorBody } from '../../src/transports/openapi-schemas.ts'
import { runnerDialects } from '../../src/runner-hooks/registry.ts'
import { jsonSchema } from '../../src/transports/json-schema.ts'
import { toolInput } from '../../src/transports/mcp/input.ts'
import { nearlyFitting } from '../fuzz/from-schema.ts'
import { customerDeletion, declare } from '../support/declared-kind.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { modernMessage } from '../support/mcp-tool.ts'
import { foreignWords } from '../support/spoilt-inputs.ts'

const actor = { email: 'ada@example.com' }

let gate: TestGate
let account: Awaited<ReturnType<TestGate['account']>>
let runner: string
/** An open proposal: what is wrongly taken is done to it. */
let id: number
beforeAll(async () => {
  gate = await startGate({ workers: false })
  account = await gate.account()
  const ada = await account.addMember({ name: 'Ada', email: 'ada@example.com', tier: 'write' })
  runner = (await account.mintKey({ powers: ['runner'], actors: [ada] })).key
  id = (await account.client.propose(actor, 'Lunch is at noon.')).body.id
  await declare(gate.database.db, account.account, customerDeletion())
}, 60_000)
afterAll(() => gate.stop())

interface Sent {
  path: string
  method?: string
  key?: string
  body?: string | Uint8Array
  headers?: Record<string, string | undefined>
}

interface Said {
  status: number
  type: string
  body: any
}

async function send({ path, method = 'POST', key = account.client.key, body, headers }: Sent): Promise<Said> {
  const all = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers }
  const answer = await fetch(`${gate.api.url}${path}`, {
    method,
    redirect: 'manual',
    headers: Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  })
  const type = (answer.headers.get('content-type') ?? '').split(';')[0]!
  const text = await answer.text()
  return { status: answer.status, type, body: type === 'application/json' ? JSON.parse(text) : text }
}

/** Everything that a call could have written, but the denials of hooks' calls that could not be read. */
const written = () =>
  gate.database.asSuperuser(
    `select a.*, (select count(*) from gate.ledger l where l.action_id = a.id) as entries
       from gate.action a where not (kind = 'runner_tool' and status = 'denied') order by id`,
  )

/** The error in an answer: of REST, of a tool, or of the protocol; undefined where it is none. */
function refusalOf({ status, body }: Said): { error: string; code: string } | undefined {
  const { result, error } = typeof body === 'object' ? body : ({} as any)
  if (error?.data) return { error: error.message, code: error.data.code }
  if (result?.isError) return JSON.parse(result.content[0].text)
  return status >= 400 ? body : undefined
}

/** Refused by the caller's mistake, in words of the gate. */
function expectRefused(said: Said, sent: unknown): void {
  const refusal = refusalOf(said)
  const context = JSON.stringify(sent)?.slice(0, 300)
  if (!refusal) throw new Error(`${said.status} ${JSON.stringify(said.body)} to ${context}`)
  if (said.status >= 500 || ['internal', 'unavailable'].includes(refusal.code))
    throw new Error(`${said.status} ${JSON.stringify(said.body)} to ${context}`)
  expect(ErrorBody.shape.code.safeParse(refusal.code).success).toBe(true)
  if (foreignWords.test(refusal.error.replaceAll(/unknown (?:field|query parameter) .*/g, '')))
    throw new Error(`foreign words: ${refusal.error}, to ${context}`)
}

const served = operations(actionKinds)
const bodies: Record<string, object> = {
  request_action: { kind: 'broadcast', actor, payload: { message: 'a' } },
  confirm_action: { actor },
  cancel_action: { actor },
  claim_action: {},
  report_outcome: { claim: 'clm_x', outcome: 'done' },
}
const hookBody = {
  session_id: 's',
  cwd: '/work',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_use_id: 't',
  tool_input: { command: 'ls' },
}

interface Posted extends Sent {
  body: string
  isRunner?: boolean
}

/** Each address that takes a body, with one that it reads. */
const posts = (): Posted[] => [
  ...served.flatMap(({ name, http }) =>
    http?.method === 'POST'
      ? [{ path: http.path.replace('{id}', String(id)), body: JSON.stringify(bodies[name]) }]
      : [],
  ),
  ...served.map(({ name }) => ({ path: '/api/mcp', body: JSON.stringify(legacyCall(name, {})) })),
  ...served.map(({ name }) => {
    const { body, headers } = modernMessage('tools/call', { name, arguments: {} })
    return { path: '/api/mcp', body: JSON.stringify(body), headers }
  }),
  ...Object.keys(runnerDialects).flatMap((of) =>
    ['tool-calls', 'outcomes'].map((what) => ({
      path: `/api/v1/runner/${what}?runner=${of}`,
      key: runner,
      body: JSON.stringify(hookBody),
      isRunner: true,
    })),
  ),
]

const legacyCall = (name: string, args: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})

const first = (body: string, more: string): string =>
  body === '{}' ? `{${more}}` : `{${more},${body.slice(1)}`
const deep = (open: string, close: string) => `"deep":${open.repeat(60_000)}0${close.repeat(60_000)}`

test('a body that cannot be what was meant is refused everywhere, and nothing is written', async () => {
  const before = await written()
  expect(before).toHaveLength(1)
  for (const given of posts()) {
    const { path, body, isRunner = false } = given
    const isMcp = path === '/api/mcp'
    const variants: [what: string, changed: Partial<Sent>][] = [
      ['of another type', { headers: { 'content-type': 'text/plain' } }],
      ['a form', { body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
      ['of no type', { body: new TextEncoder().encode(body), headers: { 'content-type': undefined } }],
      ['empty', { body: '' }],
      ['no UTF-8', { body: Uint8Array.from([...new TextEncoder().encode(body.slice(0, -1)), 0xff, 0x7d]) }],
      ['half', { body: body.slice(0, -1) }],
      ['two', { body: `${body}${body}` }],
      ['a text', { body: '"a"' }],
      ['null', { body: 'null' }],
      ['a list', { body: `[${body}]` }],
      ['with the name __proto__', { body: first(body, '"__proto__":{"a":1}') }],
      ['with a query that is unknown', { path: `${path}${path.includes('?') ? '&' : '?'}unheard_of=1` }],
      ...(isRunner || isMcp
        ? []
        : ([
            ['with an unknown field', { body: first(body, '"unheard_of":1') }],
            ['deep, in objects', { body: first(body, deep('{"a":', '}')) }],
            ['deep, in lists', { body: first(body, deep('[', ']')) }],
            ['with a name twice', { body: first(body, '"a":1,"a":2') }],
          ] as [string, Partial<Sent>][])),
      ...(isRunner
        ? ([
            ['with a name twice', { body: first(body, '"cwd":"/else"') }],
            ['deep', { body: body.replace('"tool_input":{', `"tool_input":{${deep('{"a":', '}')},`) }],
          ] as [string, Partial<Sent>][])
        : []),
      ...(isMcp
        ? ([
            ['with a name twice', { body: first(body, '"id":1') }],
            [
              'with an unknown argument',
              { body: body.replace('"arguments":{', '"arguments":{"unheard_of":1') },
            ],
            ['deep', { body: body.replace('"arguments":{', `"arguments":{${deep('{"a":', '}')}`) }],
          ] as [string, Partial<Sent>][])
        : []),
    ]
    for (const [what, changed] of variants) {
      if (isMcp && what.startsWith('with a query')) continue
      const sent: Sent = { ...given, ...changed, headers: { ...given.headers, ...changed.headers } }
      const said = await send(sent)
      // A hook is answered with a denial where its body can be read at all: an error would say nothing to its agent.
      if (isRunner && said.status === 200)
        expect(JSON.stringify(said.body)).toMatch(/deny|denied|block|"recorded":false/)
      else expectRefused(said, [what, path, sent.body?.slice(0, 80)])
    }
  }
  expect(await written()).toEqual(before)
})

test('a byte order mark is ignored', async () => {
  const plain = { path: '/api/v1/actions', body: JSON.stringify(bodies['request_action']) }
  const marked = await send({ ...plain, body: `\u{feff}${plain.body}` })
  expect([marked.status, marked.body.status]).toEqual([201, 'proposed'])
  const call = JSON.stringify(legacyCall('check_capability', actor))
  expect((await send({ path: '/api/mcp', body: `\u{feff}${call}` })).body.result.isError).toBeUndefined()
})

test('an input that is wrong anywhere is refused in words of the gate, over REST and both eras of MCP', async () => {
  const known = { actor: [actor], id: [999], kind: ['broadcast', 'customer_deletion'], wait: [0] }
  let refused = 0
  for (const operation of served) {
    const { name, http, input, tool } = operation
    const tools = jsonSchema(toolInput(operation))
    const [calls, requests] = [tools, jsonSchema(input)].map((schema) =>
      fc.sample(nearlyFitting(schema, known), { seed: 38, numRuns: 8 }),
    )
    for (const args of calls!) {
      const given = tool.reportsProgress ? { timeout_seconds: 0, ...(args as object) } : args
      const { body, headers } = modernMessage('tools/call', { name, arguments: given })
      for (const sent of [
        { path: '/api/mcp', body: JSON.stringify(legacyCall(name, given)) },
        { path: '/api/mcp', body: JSON.stringify(body), headers },
      ]) {
        const said = await send(sent)
        if (!refusalOf(said)) continue
        expectRefused(said, sent.body)
        refused += 1
      }
    }
    for (const given of http?.method === 'POST' ? requests! : []) {
      const said = await send({ path: http!.path.replace(/\{\w+\}/, '999'), body: JSON.stringify(given) })
      if (said.status !== 201) expectRefused(said, given)
    }
  }
  expect(refused).toBeGreaterThan(100)
})

test('a number, a flag, an object and a list that are sent as text are refused with what to send', async () => {
  const refused = async (sent: Sent) => refusalOf(await send(sent))
  const call = (name: string, args: object) => ({
    path: '/api/mcp',
    body: JSON.stringify(legacyCall(name, args)),
  })
  const post = (body: object) => ({ path: '/api/v1/actions', body: JSON.stringify(body) })
  const deletion = { kind: 'customer_deletion', actor }
  const wants = async (sent: Sent, param: string, says: RegExp) =>
    expect(await refused(sent)).toMatchObject({ code: 'invalid', param, error: expect.stringMatching(says) })
  const asNumber = /: send it as a number, without quotation marks\.$/
  await wants(call('get_action', { id: '7' }), 'id', asNumber)
  await wants(call('await_action', { id: 7, timeout_seconds: '5' }), 'timeout_seconds', asNumber)
  await wants(call('list_actions', { limit: '20' }), 'limit', asNumber)
  await wants(
    call('get_action', { id: 7, receipt: 'true' }),
    'receipt',
    /: send it without quotation marks\.$/,
  )
  await wants(
    call('confirm_action', { id: 7, actor: '{"email":"a"}' }),
    'actor',
    /: send it as an object, not as text\.$/,
  )
  await wants(
    post({ ...deletion, payload: '{"customer":{"id":"c"}}' }),
    'payload',
    /as an object, not as text\.$/,
  )
  await wants(
    post({ ...deletion, payload: { customer: '{"id":"c"}' } }),
    'payload.customer',
    /as an object, not/,
  )
  await wants(
    post({ ...deletion, payload: { customer: { id: 'c' }, keep_invoices: 'true' } }),
    'payload.keep_invoices',
    /must be true or false: send it without quotation marks\.$/,
  )
  await wants(
    post({ ...(bodies['request_action'] as object), ask: 'true' }),
    'ask',
    /without quotation marks/,
  )
  // In a query everything is text.
  await wants(
    { method: 'GET', path: '/api/v1/actions?limit=2.5' },
    'limit',
    /^limit must be a whole number\.$/,
  )
  await wants({ method: 'GET', path: '/api/v1/actions?limit=1&limit=2' }, 'limit', /sent more than once/)
})

test('a slash at the end of an address leads to the same route', async () => {
  const same = async (sent: Sent) => {
    const [path, query] = sent.path.split('?')
    const withSlash = { ...sent, path: `${path}/${query === undefined ? '' : `?${query}`}` }
    const [plain, slashed] = [await send(sent), await send(withSlash)]
    const told = ({ status, type, body }: Said) => ({
      status,
      type,
      code: refusalOf({ status, type, body })?.code,
    })
    expect({ path: sent.path, ...told(slashed) }).toEqual({ path: sent.path, ...told(plain) })
    return plain
  }
  const gets = served.flatMap(({ http }) =>
    http?.method === 'GET' ? [http.path.replaceAll(/\{\w+\}/g, '999')] : [],
  )
  const programs = [
    '/api/mcp',
    '/api/v1/runner/tool-calls',
    '/api/v1/ledger/1/proof',
    '/api/v1/ledger/consistency?from=1',
    '/api/v1/ledger/checkpoint',
    '/api/v1/ledger/epochs/consistency?from=1',
    '/.well-known/gate-receipts.json',
    '/api/openapi.json',
    '/llms.txt',
    '/healthz',
    '/readyz',
    '/integrations/slack/interactions',
  ]
  for (const path of [...gets, ...programs]) await same({ method: 'GET', path })
  for (const { path, body, key } of posts().filter(({ isRunner }, n) => n < 6 || isRunner))
    await same({ path: path.replace(`/${id}/`, '/999/'), body, ...(key ? { key } : {}) })
  const person = { accept: 'text/html', authorization: undefined, 'content-type': undefined }
  const ofPersons = [
    ...pages.map(({ path }) => path.replaceAll(/:\w+/g, '1')),
    '/decide',
    '/integrations/connect',
    '/checkout/done',
  ]
  for (const path of ofPersons) {
    const { type } = await same({ method: 'GET', path, headers: person })
    expect([path, type]).not.toEqual([path, 'application/json'])
  }
})
