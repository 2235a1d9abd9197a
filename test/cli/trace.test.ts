import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { type TestGate, startGate } from '../support/gate.ts'
import { type CommandResult, gateOn } from './gate-command.ts'

let gate: TestGate
let trace: (...argv: string[]) => Promise<CommandResult>
const folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'trace-'))
const log = join(folder, 'api.log')
beforeAll(async () => {
  writeFileSync(log, 'npm start\n{"level":30,"broken\n')
  const stream = new Writable({
    write(chunk, _encoding, done) {
      appendFileSync(log, chunk)
      done()
    },
  })
  gate = await startGate({ log: pino({ level: 'info' }, stream) })
  const command = gateOn({
    DATABASE_URL: gate.database.serviceUrl,
    TEMPORAL_NAMESPACE: gate.config.TEMPORAL_NAMESPACE,
  })
  trace = (...argv) => command('trace', ...argv)
})
afterAll(() => gate.stop())

test('the story of an action or of its request has ledger and log in order, and of no other account', async () => {
  const { account, client, actor, id } = await gate.openBroadcast({ recipients: 1 })
  const other = await gate.openBroadcast({ recipients: 1 })
  expect(other.id).toBe(id)
  const confirmed = await client.confirm(id, actor)
  const request = confirmed.headers.get('x-request-id')!
  const refused = await client.confirm(id, { email: 'nobody@example.com' })
  const foreign = (await other.client.get(id)).headers.get('x-request-id')!
  const of = ['--account', account.account, '--log', log]

  const byAction = (await trace(String(id), ...of, '--json')).json
  const steps = byAction.lines.map((line: any) => `${line.from} ${line.what}`)
  expect(steps).toEqual(
    expect.arrayContaining([
      'log proposed',
      'ledger proposed',
      'log decided',
      'log request confirm_action',
      'log outcome',
    ]),
  )
  expect(byAction.requests).toEqual(expect.arrayContaining([request, refused.headers.get('x-request-id')]))
  expect(byAction.requests).not.toContain(foreign)
  const times = byAction.lines.map(({ at }: any) => Date.parse(at))
  expect(times).toEqual(times.toSorted((a: number, b: number) => a - b))

  const byRequest = (await trace(request, ...of, '--json')).json
  expect(byRequest).toMatchObject({ id, kind: 'broadcast', status: 'executed' })
  const text = (await trace(request, ...of)).stdout
  expect(text).toContain('confirm_action')
  expect(text).toContain('Requests: ')
  for (const secret of ['Lunch', actor.email, account.key]) expect(text).not.toContain(secret)

  const stolen = await trace(foreign, ...of)
  expect([stolen.code, stolen.stderr]).toEqual([1, expect.stringContaining('No line of this account')])
})

test('a request that was about no action has its own lines, and what cannot be traced says why', async () => {
  const account = await gate.account()
  const answer = await account.client.request('GET', '/api/v1/actions?limit=many')
  const request = answer.headers.get('x-request-id')!
  const of = ['--account', account.account]
  const traced = (await trace(request, ...of, '--log', log, '--json')).json
  expect(traced.id).toBeUndefined()
  expect(traced.lines).toMatchObject([{ from: 'log', what: 'request list_actions' }])

  const pretty = join(folder, 'pretty.log')
  writeFileSync(pretty, '[12:00:00] INFO: listening\n')
  for (const [argv, code, words] of [
    [['latest', ...of], 2, 'number of an action'],
    [[request, ...of], 1, 'Give the log'],
    [['7', ...of], 1, 'was not found'],
    [['7', ...of, '--log', join(folder, 'absent.log')], 2, 'no such file'],
    [['7', ...of, '--log', folder], 2, 'it is a folder'],
    [['7', ...of, '--log', pretty], 1, 'has a line of JSON'],
  ] as const) {
    const result = await trace(...argv)
    expect([argv[0], result.code, result.stderr]).toEqual([argv[0], code, expect.stringContaining(words)])
  }
})
