import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { actionKinds } from '../../src/actions/registry.ts'
import { listRow } from '../../src/operations/actions/list-row.ts'
import { operations } from '../../src/operations/registry.ts'
import type { ActionRequest } from '../../src/operations/schemas.ts'
import type { ApiClient } from '../support/api-client.ts'
import { customerDeletion, declare } from '../support/declared-kind.ts'
import { useGate } from '../support/use-gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { buildSite } from '../support/site.ts'

type Args = Record<string, unknown>
type Answer = { isError: boolean; body: unknown }

const gate = useGate()

/** Accounts that are alike but for their ids: one is spoken to over REST, the other over MCP. */
async function twins(): Promise<[ApiClient, ApiClient]> {
  const make = async () => {
    const account = await gate.account()
    const ada = await account.addMember({ name: 'Ada', email: 'ada@example.com', slack: 'U1', tier: 'write' })
    await account.addMember({ name: 'Bob', email: 'bob@example.com' })
    await account.addCurriculum({ slug: 's', title: 'Safe', modules: 2, grants: 'guarded_write' })
    for (let n = 0; n < 3; n++) await account.client.propose({ email: 'ada@example.com' }, `Row ${n + 1}`)
    await account.client.propose({ email: 'bob@example.com' }, 'Row 4, denied')
    await buildSite(gate, account, ada)
    await declare(gate.deps.db, account.account, customerDeletion())
    return account.client
  }
  return Promise.all([make(), make()])
}

const byName = new Map(operations(actionKinds).map((operation) => [operation.name, operation]))

function overRest(client: ApiClient, name: string, given: Args): Promise<Answer> {
  const { method, path } = byName.get(name)!.http!
  const { idempotency_key: key, ...rest } = given
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  const url = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(rest[field])))
  const others = Object.fromEntries(Object.entries(rest).filter(([field]) => !inPath.includes(field)))
  const headers = key === undefined ? {} : { 'idempotency-key': String(key) }
  // An empty text in a call of a tool is left out of a query.
  const { shape } = byName.get(name)!.input
  const isOptional = (field: string) => shape[field]?.safeParse(undefined).success === true
  const sent = Object.entries(others as Record<string, string>).filter(
    ([field, value]) => value !== '' || !isOptional(field),
  )
  const query = method === 'GET' ? `?${new URLSearchParams(sent)}` : ''
  return client
    .request(method, url + query, method === 'GET' ? {} : { body: others, headers })
    .then(({ status, body }) => ({ isError: status >= 400, body }))
}

const overMcp = (client: ApiClient, name: string, given: Args): Promise<Answer> =>
  callTool(client, name, given).then(({ isError, body }) => ({ isError, body }))

const withClaim = (given: Args, claim: string | undefined): Args =>
  given['claim'] === held ? { ...given, claim } : given
const claimIn = ({ body }: Answer): string => (body as { claim: string }).claim

/** A list over MCP has shorter rows. */
const asTool = (name: string, { isError, body }: Answer): Answer =>
  name === 'list_actions' && !isError
    ? { isError, body: { ...(body as object), actions: (body as Page).actions.map(listRow) } }
    : { isError, body }
type Page = { actions: ActionRequest[] }

/** Without what differs between any two calls: times, digests, and by which way it came. */
function plain(answer: Answer): unknown {
  return JSON.parse(
    JSON.stringify(answer)
      .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"<time>"')
      .replaceAll(/"(digest|recipients_digest)":"[0-9a-f]{64}"/g, '"$1":"<hash>"')
      .replaceAll(/"(source|channel)":"(api|mcp)"/g, '"$1":"<way>"')
      .replaceAll(/"claim":"[\w-]{43}"/g, '"claim":"<claim>"')
      .replaceAll(/"request_id":"[0-9a-f-]{36}"/g, '"request_id":"<id>"')
      .replaceAll('"param":"Idempotency-Key"', '"param":"idempotency_key"')
      .replaceAll(/use (the MCP tool )?(\w+)(, with the same key at POST \/api\/mcp)?\./g, 'use $2.')
      .replaceAll(/Read it with (get_action|GET \/api\/v1\/actions\/\d+)/g, 'Read it with <read>')
      .replaceAll(/version (is )?[0-9a-f]{12}/g, 'version <hash>'),
  )
}

const identity = fc.constantFrom(
  'ada@example.com',
  'bob@example.com',
  'ADA@example.com',
  'nobody@example.com',
  '',
)
const actor: fc.Arbitrary<Args> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ email: 'ada@example.com' }) },
  fc.record({ email: identity }),
  fc.record({
    provider: fc.constantFrom('slack', 'email', 'teams'),
    external_id: fc.constantFrom('U1', 'U9', 'bob@example.com'),
  }),
  fc.constantFrom(
    {},
    { provider: 'slack' },
    { mail: 'x' },
    { email: 'bob@example.com', provider: 'slack', external_id: 'U1' },
  ),
)
const id = fc.integer({ min: 1, max: 9 })
const conversation_id = fc.constantFrom('site', 'site', 'site', 'SITE', 'none', 'a.b')
const maybe = <T>(name: string, value: fc.Arbitrary<T>) =>
  fc.option(
    value.map((v) => ({ [name]: v })),
    { nil: {} },
  )
const merged = (...parts: fc.Arbitrary<Args>[]): fc.Arbitrary<Args> =>
  fc.tuple(...parts).map((values) => Object.assign({}, ...values) as Args)
const key = maybe('idempotency_key', fc.constantFrom('one', 'two', 'with space', 'k'.repeat(256)))
const unknown = maybe('surprise', fc.constant('x'))
const message = fc.oneof(
  fc.constantFrom('Hi.', '', ' ', 'a\0', '\ud800', 'a\r\nb'),
  fc.string({ maxLength: 20 }),
)

const calls: Record<string, fc.Arbitrary<Args>> = {
  check_capability: merged(actor, fc.option(fc.constant({ surprise: 'x' }), { nil: {}, freq: 8 })),
  request_action: merged(
    fc.record({ kind: fc.constantFrom('broadcast', 'broadcast', 'broadcast', 'refund') }),
    fc.record({
      actor,
      payload: fc.oneof({ weight: 4, arbitrary: fc.record({ message }) }, fc.constantFrom({}, { text: 'x' })),
    }),
    maybe('rationale', fc.constantFrom('Because.', 'Because.', '', 'a\ud800', 'x'.repeat(501))),
    key,
  ),
  confirm_action: merged(
    fc.record({ id, actor }),
    maybe('digest', fc.constantFrom('0'.repeat(64), 'x')),
    key,
  ),
  cancel_action: merged(fc.record({ id, actor }), key, unknown),
  claim_action: merged(fc.record({ id }), unknown),
  report_outcome: merged(
    fc.record({
      id,
      claim: fc.constantFrom('c'.repeat(43), 'c', ''),
      outcome: fc.constantFrom('done', 'failed', 'late'),
    }),
    maybe('result', fc.constantFrom({}, { a: 'a\0' }, { a: '\ud800' }, 'x')),
    unknown,
  ),
  get_action: fc.record({ id }),
  list_actions: merged(
    maybe('limit', fc.integer({ min: -1, max: 202 })),
    maybe('kind', fc.constantFrom('broadcast', 'runner_tool', 'k'.repeat(65))),
    maybe('status', fc.constantFrom('proposed', 'denied', 'cancelled', 'executed', 'open')),
    maybe('after', fc.integer({ min: -1, max: 5 })),
  ),
  list_workspace_files: merged(
    fc.record({ conversation_id }),
    actor,
    maybe('after', fc.constantFrom('css/', 'index.html', 'zz', '', 'x'.repeat(1_026))),
    unknown,
  ),
  read_workspace_file: merged(
    fc.record({
      conversation_id,
      path: fc.constantFrom(
        'index.html',
        'index.html',
        'css/site.css',
        'large.txt',
        '.env',
        '../x',
        '',
        'no',
      ),
    }),
    actor,
    maybe('offset', fc.constantFrom(0, 1, 65_536, 70_000, 2 ** 40, -1)),
    unknown,
  ),
}

/** Stands for the claim that the last `claim_action` answered. */
const held = 'held'

/** Calls that succeed; the generated calls are refused more often than not. */
const ada = { email: 'ada@example.com' }
const everyVerb: [string, Args][] = [
  ['check_capability', ada],
  ['request_action', { kind: 'broadcast', actor: ada, payload: { message: 'Hi.' }, idempotency_key: 'one' }],
  ['request_action', { kind: 'broadcast', actor: ada, payload: { message: 'Hi.' }, idempotency_key: 'one' }],
  ['confirm_action', { id: 1, actor: ada, idempotency_key: 'one' }],
  ['confirm_action', { id: 1, actor: ada, idempotency_key: 'one' }],
  ['confirm_action', { id: 1, actor: ada }],
  ['cancel_action', { id: 2, actor: ada }],
  ['confirm_action', { id: 3, actor: { email: 'bob@example.com' } }],
  ['request_action', { kind: 'customer_deletion', actor: ada, payload: { customer: { id: 'cus_1' } } }],
  ['confirm_action', { id: 7, actor: ada }],
  ['claim_action', { id: 7 }],
  ['claim_action', { id: 7 }],
  ['report_outcome', { id: 7, claim: held, outcome: 'done', result: { a: 1 } }],
  ['report_outcome', { id: 7, claim: held, outcome: 'failed' }],
  ['get_action', { id: 1 }],
  ['list_actions', { limit: 3 }],
  ['list_workspace_files', { conversation_id: 'site', ...ada }],
  ['read_workspace_file', { conversation_id: 'site', path: 'large.txt', ...ada }],
  ['read_workspace_file', { conversation_id: 'site', path: 'large.txt', offset: 65_536, ...ada }],
]

test('the property below calls every operation that both ways offer', () => {
  const both = [...byName.values()].filter((operation) => operation.http).map((operation) => operation.name)
  expect(Object.keys(calls)).toEqual(both)
})

test('the same calls over REST and MCP get the same answers, successes and refusals alike', async () => {
  const call = fc.oneof(
    ...Object.entries(calls).map(([name, args]) => args.map((given): [string, Args] => [name, given])),
  )
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 4, maxLength: 10 }), async (steps) => {
      const [rest, mcp] = await twins()
      let claims = ['', '']
      for (const [name, given] of steps) {
        const [one, other] = await Promise.all([
          overRest(rest, name, withClaim(given, claims[0])),
          overMcp(mcp, name, withClaim(given, claims[1])),
        ])
        if (name === 'claim_action' && !one.isError) claims = [claimIn(one), claimIn(other)]
        expect({ name, given, ...(plain(asTool(name, one)) as object) }).toEqual({
          name,
          given,
          ...(plain(other) as object),
        })
        seen.add(`${name} ${one.isError ? 'refused' : 'answered'}`)
      }
    }),
    { numRuns: 12, examples: [[everyVerb]] },
  )
  // The property would say nothing if everything were refused.
  for (const name of Object.keys(calls)) expect(seen).toContain(`${name} answered`)
}, 90_000)
