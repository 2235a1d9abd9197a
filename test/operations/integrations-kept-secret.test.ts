import '../support/one-realm.ts'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { pino } from 'pino'
import { exportLedger } from '../../src/ledger/export.ts'
import { gateOn } from '../cli/gate-command.ts'
import { browser, goodForm, installSlack, linkFor, ringOf } from '../support/connect.ts'
import { type TestGate, startGate } from '../support/gate.ts'

const ada = { email: 'ada@example.com' }
const logged: string[] = []
let gate: TestGate
beforeAll(async () => {
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged.push(chunk.toString('utf8'))
      done()
    },
  })
  gate = await startGate({ env: { SECRETS_KEYS: ringOf('k1') }, log: pino({ level: 'trace' }, stream) })
}, 60_000)
afterAll(() => gate.stop())

/** Every row of every table, as text; bytes in hex, as PostgreSQL writes them. */
async function wholeDatabase(): Promise<string> {
  const tables = await gate.database.asSuperuser(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace in ('gate'::regnamespace, 'gate_private'::regnamespace) and c.relkind = 'r'`,
  )
  const rows = await Promise.all(
    tables.map(({ name }) => gate.database.asSuperuser(`select t::text as line from ${String(name)} t`)),
  )
  return rows
    .flat()
    .map(({ line }) => String(line))
    .join('\n')
}

/** Every event of every workflow, payloads as they read. */
async function wholeHistory(): Promise<string> {
  const connection = await Connection.connect({ address: gate.config.TEMPORAL_ADDRESS! })
  try {
    const { workflow } = new Client({ connection, namespace: gate.config.TEMPORAL_NAMESPACE })
    const histories: string[] = []
    for await (const { workflowId } of workflow.list()) {
      const history = await workflow.getHandle(workflowId).fetchHistory()
      histories.push(
        JSON.stringify(history, (_, value) =>
          value instanceof Uint8Array || value?.type === 'Buffer'
            ? Buffer.from(value.data ?? value).toString('utf8')
            : value,
        ),
      )
    }
    return histories.join('\n')
  } finally {
    await connection.close()
  }
}

test('keys, tokens and links are in no log, no history, no page, no answer and no export, and nowhere in clear in the database', async () => {
  const { account, client, addMember } = await gate.account()
  await addMember({ name: 'Ada', ...ada, tier: 'write' })
  const links = {
    stripe: await linkFor(client, ada, 'stripe'),
    resend: await linkFor(client, ada, 'resend'),
    slack: await linkFor(client, ada, 'slack'),
  }
  const visitor = browser()
  const pages = [
    await browser().send(links.stripe.url, { key: 're_WrongProvidersKey' }),
    await browser().send(links.stripe.url, { key: 'sk_test_invalidKeyOfTheAccount' }),
    await browser().send(links.stripe.url, goodForm.stripe),
    await browser().send(links.resend.url, goodForm.resend),
    await installSlack(links.slack.url, visitor),
  ]
  expect(pages.map((page) => page.status)).toEqual([422, 422, 200, 200, 200])
  const used = await gate.deps.channelsOf(account, 3)
  expect(Object.keys(used)).toEqual(['slack', 'email'])

  const run = gateOn({ DATABASE_URL: gate.database.serviceUrl })
  const exported: string[] = []
  for await (const line of (await exportLedger(gate.deps.db, account))!) exported.push(JSON.stringify(line))
  const places = {
    database: await wholeDatabase(),
    history: await wholeHistory(),
    log: logged.join(''),
    export: exported.join('\n'),
    rows: JSON.stringify((await client.list({ limit: '200' })).body),
    list: (await run('integration', 'list', '--account', account, '--json')).stdout,
    pages: pages.map((page) => page.html).join('\n'),
  }
  // What must be there, so that looking means something.
  for (const [place, sign] of [
    ['database', account],
    ['history', account],
    ['log', '/integrations/connect/:token'],
    ['export', 'executed'],
    ['rows', 'integration_id'],
    ['list', goodForm.stripe.key.slice(-4)],
    ['pages', 'is connected'],
  ] as const)
    expect({ place, isThere: places[place].includes(sign) }).toEqual({ place, isThere: true })

  const secrets = [
    goodForm.stripe.key,
    goodForm.resend.key,
    're_WrongProvidersKey',
    'sk_test_invalidKeyOfTheAccount',
    'xoxb-sandbox-',
    'sandbox-secret',
    ...Object.values(links).map(({ url }) => url.split('/').at(-1)!),
    ...visitor.cookies.values(),
  ]
  for (const [place, text] of Object.entries(places)) {
    for (const secret of secrets) {
      const bytes = Buffer.from(secret)
      for (const form of [secret, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)])
        expect({ place, secret, isThere: text.includes(form) }).toEqual({ place, secret, isThere: false })
    }
  }
}, 60_000)
