import { expect, test } from '@jest/globals'
import { makeDeps } from '../../src/deps.ts'
import { limits } from '../../src/limits.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { connect, goodForm, ringOf } from '../support/connect.ts'
import { useGate } from '../support/use-gate.ts'
import { gateOn } from './gate-command.ts'

const gate = useGate({ env: { SECRETS_KEYS: ringOf('k1') } })

const ada = { email: 'ada@example.com' }
const cli = (env: Record<string, string> = {}) => gateOn({ DATABASE_URL: gate.database.serviceUrl, ...env })

async function accountOfAda() {
  const account = await gate.account()
  await account.addMember({ name: 'Ada', ...ada, tier: 'write' })
  const run = (verb: string, ...options: string[]) =>
    cli()('integration', verb, '--account', account.account, ...options)
  return { ...account, run }
}

test('the list shows what may be shown, by whom it was connected, and what was replaced', async () => {
  const { client, run } = await accountOfAda()
  expect((await run('list', '--json')).json).toEqual([])
  for (const provider of ['stripe', 'slack', 'resend', 'resend'] as const)
    await connect(gate, client, ada, provider)
  const { json } = await run('list', '--json')
  const shared = {
    integration_id: expect.stringMatching(/^int_\w{16}$/),
    by: 'ada@example.com',
    sandbox: true,
    connected_at: expect.stringMatching(/Z$/),
    disconnected_at: null,
    last4: null,
    server: null,
    room: null,
    tenant: null,
    app_id: null,
    team: null,
    sender: null,
    state: 'connected',
  }
  const resend = { ...shared, provider: 'resend', last4: 'ount', sender: goodForm.resend.sender }
  expect(json).toEqual([
    resend,
    { ...shared, provider: 'slack', team: 'Sandbox' },
    { ...shared, provider: 'stripe', last4: 'ount' },
    { ...resend, state: 'disconnected', disconnected_at: expect.any(String) },
  ])
  const { stdout } = await run('list')
  expect(stdout).toMatch(/PROVIDER +STATE/)
})

test('a disconnect deletes the secret, is an entry of the ledger, and is refused where there is nothing', async () => {
  const { account, client, run } = await accountOfAda()
  await connect(gate, client, ada, 'stripe')
  const done = await run('disconnect', '--provider', 'stripe', '--json')
  expect(done).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('The credential still works at Stripe until you revoke it there.'),
  })
  const integration = done.json.integration_id
  expect(done.json).toEqual({ integration_id: integration, provider: 'stripe', state: 'disconnected' })
  const secrets = await gate.database.asSuperuser(
    `select 1 from gate.integration_secret where account_id = '${account}'`,
  )
  expect(secrets).toEqual([])
  expect((await entriesOf(gate.database, account)).at(-1)).toMatchObject({
    kind: 'integration_disconnected',
    actionId: null,
    entry: { actor: 'admin', data: { integration, provider: 'stripe' } },
  })
  expect(await run('disconnect', '--provider', 'stripe')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `Stripe is not connected to ${account}.\n`,
  })
  const verified = await cli()('ledger', 'verify', '--account', account, '--json')
  expect(verified.json).toMatchObject({ ok: true })
})

test('an account that does not exist has no list, and nothing to disconnect', async () => {
  const nobody = ['--account', 'acct_0000000000000000']
  for (const verb of [['list'], ['disconnect', '--provider', 'slack']])
    expect(await cli()('integration', verb[0]!, ...nobody, ...verb.slice(1))).toMatchObject({
      code: 1,
      stderr: 'Account acct_0000000000000000 was not found.\n',
    })
  expect(await cli()('integration', 'disconnect', ...nobody, '--provider', 'telegram')).toMatchObject({
    code: 2,
  })
})

test('rewrap moves every credential to the first key, a repeat does nothing, and the old key can be dropped', async () => {
  const accounts = [await accountOfAda(), await accountOfAda()]
  for (const { client } of accounts)
    for (const provider of ['stripe', 'resend'] as const) await connect(gate, client, ada, provider)
  const kids = async () =>
    (await gate.database.asSuperuser('select distinct kid from gate.integration_secret order by 1')).map(
      (row) => row['kid'],
    )
  expect(await kids()).toEqual(['k1'])
  const opens = async (ring: string, account: string) => {
    const deps = makeDeps(
      { ...gate.config, SECRETS_KEYS: ring },
      { sandboxUrl: gate.sandbox.url, log: gate.deps.log },
    )
    const opened = await deps.channelsOf(account, 2).then(
      ({ email }) => email !== undefined && !('unreadable' in email),
      () => false,
    )
    await deps.close()
    return opened
  }
  const both = ringOf('k2', 'k1')
  const { account } = accounts[0]!
  expect([await opens(both, account), await opens(ringOf('k2'), account)]).toEqual([true, false])

  const rewrap = (ring: string) => cli({ SECRETS_KEYS: ring })('secrets', 'rewrap', '--json')
  const { json } = await rewrap(both)
  expect(json.rewrapped).toBeGreaterThanOrEqual(4)
  expect(await kids()).toEqual(['k2'])
  expect((await rewrap(both)).json).toEqual({ rewrapped: 0, unreadable: 0 })
  for (const { account: each } of accounts) expect(await opens(ringOf('k2'), each)).toBe(true)
  expect(await opens(ringOf('k1'), account)).toBe(false)
})

test('rewrap without the keys says which variable is missing, and with the wrong ones changes nothing', async () => {
  const { client, account } = await accountOfAda()
  await connect(gate, client, ada, 'stripe')
  expect(await cli()('secrets', 'rewrap')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('SECRETS_KEYS must be set'),
  })
  const wrong = await cli({ SECRETS_KEYS: ringOf('k7') })('secrets', 'rewrap', '--json')
  expect(wrong).toMatchObject({
    code: 1,
    json: { rewrapped: 0, unreadable: expect.any(Number) },
    stderr: expect.stringMatching(/^acct_\w+ int_\w+ (api_key|bot_token): SECRETS_KEYS has no key k\d/),
  })
  expect(wrong.stderr).not.toContain(ringOf('k7').slice(3))
  const rows = await gate.database.asSuperuser(
    `select kid from gate.integration_secret where account_id = '${account}'`,
  )
  expect(rows).toEqual([{ kid: 'k1' }])
})

test('rewrap goes past what it cannot open, however much of that there is, and says so at the end', async () => {
  const { client, account } = await accountOfAda()
  await connect(gate, client, ada, 'stripe')
  const lost = limits.rewrapRows + 1
  // Before the good one in the order of their fields.
  await gate.database.asSuperuser(
    `insert into gate.integration_secret (account_id, integration_id, field, ciphertext, wrapped_key, kid)
     select account_id, integration_id, 'a' || n, ciphertext, wrapped_key, 'lost'
     from gate.integration_secret, generate_series(1, ${lost}) n where account_id = '${account}'`,
  )
  const { code, json, stderr } = await cli({ SECRETS_KEYS: ringOf('k3', 'k2', 'k1') })(
    'secrets',
    'rewrap',
    '--json',
  )
  expect([code, json]).toEqual([1, { rewrapped: expect.any(Number), unreadable: lost }])
  expect(stderr.split('\n')).toEqual([
    expect.stringMatching(new RegExp(`^${account} int_\\w{16} a1: SECRETS_KEYS has no key lost`)),
    `${lost} credentials could not be decrypted and were not changed. ${json.rewrapped} were rewrapped.`,
    '',
  ])
  const kids = await gate.database.asSuperuser(
    `select kid, count(*)::int as n from gate.integration_secret where account_id = '${account}' group by kid order by kid`,
  )
  expect(kids).toEqual([
    { kid: 'k3', n: 1 },
    { kid: 'lost', n: lost },
  ])
})
