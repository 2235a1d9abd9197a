import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { stepDelivery } from '../../src/db/queries/actions/deliveries.ts'
import type { DeliveryChannel } from '../../src/providers/ports.ts'
import { makeDeps } from '../../src/deps.ts'
import { type Sandbox, startSandbox } from '../../dev/sandbox/sandbox.ts'
import { type CommandResult, gateOn } from '../cli/gate-command.ts'
import { connect, goodForm, ringOf } from '../support/connect.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { until } from '../support/until.ts'

const ada = { email: 'ada@example.com' }
const ring = ringOf('k1')

// The stand-ins take the place of the real providers: this gate believes that they are, and what the environment has for
// them is refused. So whatever arrives was sent with the account's own credential.
let provider: Sandbox
let gate: TestGate
let run: (...argv: string[]) => Promise<CommandResult>
beforeAll(async () => {
  provider = await startSandbox()
  gate = await startGate({
    env: {
      SECRETS_KEYS: ring,
      SLACK_BOT_TOKEN: 'xoxb-invalid',
      SLACK_API_URL: provider.slackApiUrl,
      SLACK_CLIENT_ID: 'sandbox-client',
      SLACK_CLIENT_SECRET: 'sandbox-secret',
      SLACK_RATE_PER_SECOND: '0',
      RESEND_API_KEY: 're_invalid',
      RESEND_BASE_URL: provider.resendBaseUrl,
      RESEND_RATE_PER_SECOND: '0',
      MAIL_FROM: 'gate@environment.example',
      STRIPE_SECRET_KEY: 'sk_test_invalid',
      STRIPE_API_BASE: provider.stripeApiUrl,
    },
  })
  run = gateOn({ DATABASE_URL: gate.database.serviceUrl })
}, 60_000)
afterAll(async () => {
  await gate.stop()
  await provider.stop()
})

async function accountOfAda() {
  const account = await gate.account()
  const member = await account.addMember({ name: 'Ada', ...ada, slack: 'U0ADA', tier: 'write' })
  await account.addMember({ name: 'Bob', email: 'bob@example.com' })
  const broadcast = async (text: string) => {
    const { body } = await account.client.propose(ada, text)
    return (await account.client.confirm(body.id, ada)).body
  }
  return { ...account, member, broadcast, disconnect: (name: string) => disconnect(account.account, name) }
}

const disconnect = (account: string, name: string) =>
  run('integration', 'disconnect', '--account', account, '--provider', name, '--json')
const delivered = (text: string) =>
  provider
    .messages()
    .filter((message) => message.text === text)
    .map((message) => message.to)
    .sort()
const senders = async (account: string) =>
  (
    await gate.database.asSuperuser(
      `select message->>'from' as sender from gate.delivery where account_id = '${account}' and channel = 'email' order by action_id`,
    )
  ).map((row) => row['sender'])

test("an account's connection is used instead of the environment's, until it is disconnected", async () => {
  const { account, client, broadcast } = await accountOfAda()
  const nothing = { outcome: 'refused', slack: 0, email: 0, failed: { slack: 1, email: 1 } }
  expect((await broadcast('By the environment.')).result).toMatchObject(nothing)

  await connect(gate, client, ada, 'slack')
  await connect(gate, client, ada, 'resend')
  const own = await broadcast('By our own.')
  expect(own.result).toMatchObject({ outcome: 'done', slack: 1, email: 1 })
  expect(own.result).not.toHaveProperty('sandbox')
  expect(delivered('By our own.')).toEqual(['U0ADA', 'bob@example.com'])

  expect((await disconnect(account, 'resend')).json).toMatchObject({
    provider: 'resend',
    state: 'disconnected',
  })
  expect((await broadcast('By Slack alone.')).result).toMatchObject({
    slack: 1,
    email: 0,
    failed: { slack: 0, email: 1 },
  })
  await disconnect(account, 'slack')
  expect((await broadcast('By the environment again.')).result).toMatchObject(nothing)
  expect(await senders(account)).toEqual([
    'gate@environment.example',
    goodForm.resend.sender,
    'gate@environment.example',
    'gate@environment.example',
  ])
})

test("an account's own Stripe key is used for its payments, and no other account's", async () => {
  const [one, other] = [await accountOfAda(), await accountOfAda()]
  const payments = (client: typeof one.client) => callTool(client, 'list_payments', { actor: ada })
  expect((await payments(one.client)).body.error).toContain('No payment provider is connected')
  await connect(gate, one.client, ada, 'stripe')
  expect((await payments(one.client)).body.payments.length).toBeGreaterThan(0)
  expect((await payments(other.client)).isError).toBe(true)
  await disconnect(one.account, 'stripe')
  expect((await payments(one.client)).body.error).toContain('No payment provider is connected')
})

test("another account's broadcasts do not go by it", async () => {
  const [one, other] = [await accountOfAda(), await accountOfAda()]
  await connect(gate, one.client, ada, 'slack')
  await connect(gate, one.client, ada, 'resend')
  expect((await other.broadcast('Of the other.')).result).toMatchObject({ slack: 0, email: 0 })
  expect(delivered('Of the other.')).toEqual([])
})

test('a connected channel reaches members whom the environment has no channel for', async () => {
  const bare = await startGate({
    env: {
      SECRETS_KEYS: ring,
      STRIPE_SECRET_KEY: 'sk_test_invalid',
      RESEND_BASE_URL: provider.resendBaseUrl,
      RESEND_RATE_PER_SECOND: '0',
    },
  })
  try {
    const { client, addMember } = await bare.account()
    await addMember({ ...ada, tier: 'write' })
    const reach = async () => (await client.propose(ada, 'Hi.')).body.blast_radius
    expect(await reach()).toEqual({ slack: 0, email: 0, unreachable: 1 })
    await connect(bare, client, ada, 'resend')
    expect(await reach()).toEqual({ slack: 0, email: 1, unreachable: 0 })
  } finally {
    await bare.stop()
  }
}, 60_000)

describe('an e-mail slice that an earlier attempt left half done', () => {
  test.each([
    ['by the same credential is repeated under its key', true, { outcome: 'done', email: 2 }, 2],
    [
      'by another credential is never repeated: there the key means nothing',
      false,
      { outcome: 'unknown', email: 0 },
      0,
    ],
  ])(
    '%s',
    async (name, isSame, result, count) => {
      const account = await gate.account()
      await account.addMember({ name: 'Ada', ...ada, tier: 'write' })
      await account.addMember({ name: 'Bob', email: 'bob@example.com' })
      const { client } = account
      await connect(gate, client, ada, 'resend')
      const { body } = await client.propose(ada, name)
      await gate.stopWorkers()
      try {
        const [own] = await gate.database.asSuperuser(
          `select fingerprint from gate.integration where account_id = '${account.account}'`,
        )
        expect((await client.confirm(body.id, ada)).status).toBe(202)
        const credential = isSame ? { credential: own!['fingerprint'] } : {}
        const { email } = await gate.deps.channelsOf(account.account, 1)
        const names = { proposerName: 'Ada', accountName: 'x' }
        const frozen = (email as DeliveryChannel).freeze({ text: name, ...names, actionNumber: body.id })
        const message = { ...frozen, ...credential }
        await stepDelivery(gate.deps.db, {
          account: account.account,
          id: body.id,
          channel: 'email',
          record: null,
          claim: { slice: 0, sliceMax: 100, message: JSON.stringify(message) },
        })
        await gate.startWorkers()
        const ended = await until('it ends', async () => {
          const row = (await client.get(body.id)).body
          return row.status === 'executed' && row
        })
        expect(ended.result).toMatchObject(result)
        expect(delivered(name)).toHaveLength(count)
      } finally {
        await gate.startWorkers()
      }
    },
    60_000,
  )
})

describe('a process that cannot open a credential', () => {
  test.each([
    ['another ring', ringOf('k9')],
    ['no ring', ''],
  ])('with %s refuses, and never falls back to the environment', async (_, keys) => {
    const { account, client } = await accountOfAda()
    for (const name of ['slack', 'stripe'] as const) await connect(gate, client, ada, name)
    const { SECRETS_KEYS: _ring, ...config } = gate.config
    const deps = makeDeps(
      { ...config, ...(keys === '' ? {} : { SECRETS_KEYS: keys }) },
      { log: gate.deps.log },
    )
    try {
      const refusal = { code: 'unavailable', message: expect.stringContaining('cannot be decrypted') }
      expect((await deps.channelsOf(account, 2)).slack).toMatchObject({
        unreadable: expect.objectContaining(refusal),
      })
      await expect(deps.billing(account)).rejects.toMatchObject(refusal)
    } finally {
      await deps.close()
    }
  })
})

test('a connection of the sandbox is used there alone, and one from outside is not used in it', async () => {
  const { account, client } = await accountOfAda()
  await connect(gate, client, ada, 'stripe')
  const inside = makeDeps({ ...gate.config, SANDBOX: true }, { sandboxUrl: provider.url, log: gate.deps.log })
  try {
    const [real, sandbox] = [await gate.deps.billing(account), await inside.billing(account)]
    expect(real!.fingerprint).toMatch(/^[0-9a-f]{16}$/)
    expect(sandbox!.fingerprint).toBe('sandbox')
    const marked = `update gate.integration set settings = '{"sandbox":true}' where account_id = '${account}'`
    await gate.database.asSuperuser(marked)
    await gate.database.asSuperuser(
      `update gate.account set integrations_version = 9 where account_id = '${account}'`,
    )
    // Now the environment's, which is another account's.
    expect(await gate.deps.billing(account)).toBeUndefined()
    expect((await inside.billing(account))!.fingerprint).toBe('sandbox')
  } finally {
    await inside.close()
  }
})

test('production starts without a channel where accounts can connect their own, and not otherwise', () => {
  const {
    SLACK_BOT_TOKEN: _s,
    RESEND_API_KEY: _r,
    STRIPE_SECRET_KEY: _k,
    SLACK_CLIENT_SECRET: _c,
    ...rest
  } = gate.config
  const production = { ...rest, NODE_ENV: 'production' as const }
  const deps = makeDeps(production, { log: gate.deps.log })
  expect(deps.isSandbox).toBe(false)
  const { SECRETS_KEYS: _ring, ...without } = production
  expect(() => makeDeps(without, { log: gate.deps.log })).toThrow(/No channel is configured.*SECRETS_KEYS/)
  return deps.close()
})

test.each([
  ['STRIPE_API_BASE', 'http://stripe.example'],
  ['STRIPE_API_BASE', 'https://stripe.example/v1'],
  ['SLACK_API_URL', 'https://slack.example/api?team=1'],
  ['RESEND_BASE_URL', 'https://user:hush@resend.example'],
])(
  '%s=%s stops the start with the variable named, also where accounts alone have a key for it',
  (variable, value) => {
    const { STRIPE_SECRET_KEY: _k, RESEND_API_KEY: _r, ...config } = gate.config
    const start = () => makeDeps({ ...config, [variable]: value }, { log: gate.deps.log })
    expect(start).toThrow(new RegExp(`^${variable} must be (?!.*hush)`))
  },
)
