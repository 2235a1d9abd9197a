import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { exportLedger } from '../../src/ledger/export.ts'
import { askedByMail, askedInSlack, clickBody, decideBy, interact } from '../support/consent.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'
import { wholeDatabase, wholeHistory } from '../support/whole.ts'

const logged: string[] = []
let gate: TestGate
beforeAll(async () => {
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged.push(chunk.toString('utf8'))
      done()
    },
  })
  gate = await startGate({ log: pino({ level: 'trace' }, stream) })
}, 60_000)
afterAll(() => gate.stop())

test('the token of a request is with its receiver alone: in no table, history, log, row or export once it is sent', async () => {
  const { account, client, addMember, setPolicy } = await gate.account()
  const asks = (consent: string) => setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent } } })
  const [actor, slack] = [{ email: 'ada@example.com' }, 'U0ADA']
  await addMember({ name: 'Ada', ...actor, slack, tier: 'guarded_write' })
  await asks('chat')
  const first = (await client.propose(actor, 'The first one.')).body.id
  await client.confirm(first, actor)
  const { token } = await askedInSlack(gate, slack)
  await asks('page')
  const second = (await client.propose(actor, 'The second one.')).body.id
  await client.confirm(second, actor)
  const { link } = await askedByMail(gate, actor.email)
  await until('both are noted as sent', async () => {
    const rows = await gate.database.asSuperuser(`select 1 from gate.consent_request where state = 'sent'`)
    return rows.length === 2
  })
  const open = await wholeDatabase(gate)

  await asks('chat')
  await interact(gate.api.url, clickBody({ token: token!, user: slack }))
  await decideBy(link)
  await until('both are executed', async () => {
    const { body } = await client.list({ status: 'executed' })
    return body.actions.length === 2
  })
  const exported: string[] = []
  for await (const line of (await exportLedger(gate.deps.db, account))!) exported.push(JSON.stringify(line))
  const places = {
    'database while it is open': open,
    database: await wholeDatabase(gate),
    history: await wholeHistory(gate),
    log: logged.join(''),
    export: exported.join('\n'),
    rows: JSON.stringify((await client.list()).body),
  }
  // These signs must be there, so that the search means something.
  for (const [place, sign] of [
    ['database', account],
    ['history', 'askMember'],
    ['log', '/decide/:token'],
    ['export', 'consent_requested'],
    ['rows', 'The second one.'],
  ] as const)
    expect({ place, isThere: places[place].includes(sign) }).toEqual({ place, isThere: true })
  for (const [place, text] of Object.entries(places))
    for (const secret of [token!, link.slice(-43)]) {
      const bytes = Buffer.from(secret)
      for (const form of [secret, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)])
        expect({ place, isThere: text.includes(form) }).toEqual({ place, isThere: false })
    }
  // Nor a text or an address where Temporal keeps it.
  for (const text of ['The first one.', 'ada@example.com', slack]) expect(places.history).not.toContain(text)
}, 60_000)
