import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { exportLedger } from '../../src/ledger/export.ts'
import { gateOn } from '../cli/gate-command.ts'
import { bring, connectBy, goodForm, installSlack, linkFor, ringOf, signedInFor } from '../support/connect.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { wholeDatabase, wholeHistory } from '../support/whole.ts'

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

test('keys, tokens and links are in no log, no history, no page, no answer and no export, and nowhere in clear in the database', async () => {
  const { account, client, addMember } = await gate.account()
  await addMember({ name: 'Ada', ...ada, tier: 'write' })
  const links = {
    stripe: await linkFor(client, ada, 'stripe'),
    resend: await linkFor(client, ada, 'resend'),
    slack: await linkFor(client, ada, 'slack'),
  }
  const unused = await linkFor(client, ada, 'stripe')
  const visitor = await signedInFor(gate, links.stripe.url)
  const { stripe, resend, slack } = links
  const pages = [
    await visitor.send(stripe.url, { key: 're_WrongProvidersKey' }),
    await visitor.send(stripe.url, { key: 'sk_test_invalidKeyOfTheAccount' }),
    await bring(visitor, stripe.url, goodForm.stripe),
    await connectBy(visitor, stripe.url, goodForm.stripe),
    await connectBy(visitor, resend.url, goodForm.resend),
    // Brought, and never confirmed.
    await bring(visitor, unused.url, { key: 'rk_test_NeverPutIntoUse' }),
    await installSlack(visitor, slack.url),
  ]
  expect(pages.map((page) => page.status)).toEqual([422, 422, 200, 200, 200, 200, 200])
  const used = await gate.deps.channelsOf(account, 3)
  expect(Object.keys(used)).toEqual(['slack', 'email'])

  const run = gateOn({ DATABASE_URL: gate.database.serviceUrl })
  const exported: string[] = []
  for await (const line of (await exportLedger(gate.deps.db, account))!) exported.push(JSON.stringify(line))
  const places = {
    database: await wholeDatabase(gate),
    history: await wholeHistory(gate),
    log: logged.join(''),
    export: exported.join('\n'),
    rows: JSON.stringify((await client.list({ limit: '200' })).body),
    list: (await run('integration', 'list', '--account', account, '--json')).stdout,
    pages: pages.map((page) => page.html).join('\n'),
  }
  // These signs must be there, so that the search means something.
  for (const [place, sign] of [
    ['database', account],
    ['history', account],
    ['log', '/integrations/connect/:token'],
    ['export', 'executed'],
    ['rows', 'integration_id'],
    ['list', goodForm.stripe.key.slice(-4)],
    ['pages', 'now uses this connection'],
  ] as const)
    expect({ place, isThere: places[place].includes(sign) }).toEqual({ place, isThere: true })

  const secrets = [
    goodForm.stripe.key,
    goodForm.resend.key,
    're_WrongProvidersKey',
    'sk_test_invalidKeyOfTheAccount',
    'rk_test_NeverPutIntoUse',
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
