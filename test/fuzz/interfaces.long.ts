import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { actionKinds } from '../../src/actions/registry.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { operations } from '../../src/operations/registry.ts'
import { ErrorBody } from '../../src/transports/openapi-schemas.ts'
import { jsonSchema } from '../../src/transports/json-schema.ts'
import { toolInput } from '../../src/transports/mcp/input.ts'
import { ringOf } from '../support/connect.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { rpc } from '../support/mcp-tool.ts'
import { makeConversation, writeFiles } from '../support/site.ts'
import { type Known, nearlyFitting } from './from-schema.ts'
import { bounded, hostileTexts, hostileTimes, seed, timeoutMs } from './runs.ts'

/** A mark in every text of the other account: no answer may have it. */
const foreignMark = 'FOREIGN-7f3a'
/** Longer than a wait may take on a machine that is shared by other tests: what hangs or explodes is found all the same. */
const slowMs = 10_000

let gate: TestGate
let own: Awaited<ReturnType<TestGate['account']>>
let foreign: Awaited<ReturnType<TestGate['account']>>
let foreignBefore: string
let known: Known
beforeAll(async () => {
  gate = await startGate({
    workers: false,
    env: { CONFIRM_WAIT_MS: '50', CONFIRM_SIGNAL_MS: '500', SECRETS_KEYS: ringOf('k1') },
  })
  ;[own, foreign] = [await gate.account(), await gate.account()]
  const ada = await own.addMember({ name: 'Ada', email: 'ada@example.com', slack: 'U0ADA', tier: 'write' })
  await own.addMember({ name: 'Alan', email: 'alan@example.com', tier: 'read_only' })
  const eve = await foreign.addMember({ name: foreignMark, email: 'eve@example.com', tier: 'write' })
  await makeConversation(gate, own.account, 'site', [ada])
  await makeConversation(gate, foreign.account, 'foreign-site', [eve])
  writeFiles(gate, own.account, 'site', { 'index.html': '<h1>Ada</h1>' })
  writeFiles(gate, foreign.account, 'foreign-site', { 'index.html': foreignMark })
  for (let n = 0; n < 3; n++) {
    await own.client.propose({ email: 'ada@example.com' }, `Lunch ${n}`)
    await foreign.client.propose({ email: 'eve@example.com' }, foreignMark)
  }
  foreignBefore = await stateOf(foreign.account)
  const actor = { email: 'ada@example.com' }
  known = {
    id: [1, 2, 3, 4, 5, 99],
    actor: [actor, { provider: 'slack', external_id: 'U0ADA' }, { email: 'eve@example.com' }],
    email: ['ada@example.com', 'alan@example.com', 'eve@example.com'],
    member: ['ada@example.com', 'slack:U0ADA', ada.memberId, eve.memberId],
    external_id: ['U0ADA'],
    kind: ['broadcast'],
    payload: [{ message: 'Hello.' }, { message: foreignMark.slice(0, 3) }],
    conversation_id: ['site', 'foreign-site'],
    path: ['index.html'],
    payment: ['pi_Sandbox01', 'pi_Sandbox05'],
    subscription: ['sub_Sandbox01'],
    created_after: hostileTimes,
    created_before: hostileTimes,
    idempotency_key: ['a', 'b', 'c'],
    // Otherwise most of the time is spent waiting, as asked.
    timeout_seconds: [0, 1],
    wait: [0, 1],
  }
}, 60_000)
afterAll(() => gate.stop())

const served = operations(actionKinds)

/** Everything of an account that a caller could change. */
async function stateOf(account: string): Promise<string> {
  const [row] = await gate.database.asSuperuser(
    `select (select json_agg(a order by id) from gate.action a where account_id = '${account}')::text
       || (select json_agg(m order by member_id) from gate.member m where account_id = '${account}')::text
       || (select count(*) from gate.ledger where account_id = '${account}')::text as state`,
  )
  return String(row!['state'])
}

/** What holds after each answer: no fault, the form of an error, nothing foreign, in time. */
function expectProper(
  answer: { status: number; body: any; isError: boolean; ms: number },
  asked: unknown,
): void {
  const said = JSON.stringify(answer.body)
  const context = JSON.stringify(asked).slice(0, 2_000)
  if (answer.status >= 500 && answer.body?.code !== 'unavailable')
    throw new Error(`${answer.status} ${said} to ${context}`)
  if (answer.isError && !ErrorBody.safeParse(answer.body).success)
    throw new Error(`no error of our form: ${said} to ${context}`)
  if (said.includes(foreignMark)) throw new Error(`foreign data: ${said} to ${context}`)
  // An answer may take as long as it was asked to wait.
  const waitSeconds = Number(/(?:wait=|"timeout_seconds":)(\d{1,2})\b/.exec(context)?.[1] ?? 0)
  if (answer.ms > slowMs + waitSeconds * 1_000) throw new Error(`${answer.ms} ms for ${context}`)
}

async function expectWhole(): Promise<void> {
  const rows = await gate.database.asSuperuser(
    `select count(*)::int as rows, max(id)::int as last from gate.action where account_id = '${own.account}'`,
  )
  expect(rows[0]!['rows']).toBe(rows[0]!['last'])
  expect(await stateOf(foreign.account)).toBe(foreignBefore)
  for (const { account } of [own, foreign])
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
}

test(
  `whatever a tool is called with, it answers in time, in form and of its own account (SEED=${seed})`,
  async () => {
    const call = fc.oneof(
      ...served.map((operation) =>
        nearlyFitting(jsonSchema(toolInput(operation)), known).map((args) => ({
          name: operation.name,
          args: operation.tool.reportsProgress ? soon(args) : args,
        })),
      ),
    )
    await fc.assert(
      fc.asyncProperty(call, async ({ name, args }) => {
        const started = performance.now()
        const { status, body } = await rpc(own.client, 'tools/call', { name, arguments: args })
        const { result, error } = body
        const said = error?.data ? { ...error.data, error: error.message } : answerOf(result)
        const isError = error !== undefined || result?.isError === true
        expectProper(
          { status: statusOf(said, status), body: said, isError, ms: performance.now() - started },
          [name, args],
        )
      }),
      bounded(1_500),
    )
    await expectWhole()
  },
  timeoutMs,
)

/** A call that may wait, for a second at most: otherwise it waits for as long as it was asked to. */
const soon = (args: unknown) =>
  typeof args === 'object' && args !== null && !Array.isArray(args) ? { timeout_seconds: 1, ...args } : args

const answerOf = (result: any) =>
  result?.structuredContent ?? JSON.parse(result?.content?.[0]?.text ?? 'null')
const statusOf = (said: any, http: number) => (said?.code === 'internal' ? 500 : http)

test(
  `whatever an address of the API is sent, it answers in time, in form and of its own account (SEED=${seed})`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(...served.filter(({ http }) => http).map(requests)), async (request) => {
        const started = performance.now()
        const { method, path, body, headers } = request
        const answer = await own.client.request(method, path, {
          ...(body === undefined ? {} : { body }),
          headers,
        })
        const ms = performance.now() - started
        expectProper({ ...answer, isError: answer.status >= 400, ms }, request)
      }),
      bounded(1_500),
    )
    await expectWhole()
  },
  timeoutMs,
)

interface Request {
  method: string
  path: string
  body?: unknown
  headers: Record<string, string>
}

const idempotencyKeys = fc.constantFrom('a', 'b', 'c', 'a'.repeat(255), 'a'.repeat(256), 'x y', '~')

/** Requests of one operation, nearly as it takes them. */
function requests({ http, input, isKeyed }: Operation): fc.Arbitrary<Request> {
  const { method, path } = http!
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return fc
    .tuple(
      nearlyFitting(jsonSchema(input), known),
      fc.oneof(
        fc.constant({}),
        idempotencyKeys.map((key) => (isKeyed ? { 'idempotency-key': key } : {})),
      ),
      fc.oneof({ weight: 9, arbitrary: fc.constant('') }, fc.constantFrom(...hostileTexts)),
    )
    .map(([given, headers, tail]) => {
      const fields = { ...(typeof given === 'object' && given !== null ? given : { given }) } as Record<
        string,
        unknown
      >
      let address: string = path
      for (const name of named) {
        address = address.replace(`{${name}}`, encoded(fields[name] ?? 1))
      }
      const isGet = method === 'GET'
      const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !named.includes(name)))
      const query = Object.entries(rest).map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      const end = tail === '' ? '' : `?${encoded(tail)}`
      return {
        method,
        path: isGet && query.length > 0 ? `${address}?${query.join('&')}` : `${address}${end}`,
        headers: headers as Record<string, string>,
        ...(isGet ? {} : { body: rest }),
      }
    })
}

/** Encodes a value for an address; halves of characters cannot be in one. */
const encoded = (value: unknown): string =>
  encodeURIComponent((typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed())
