import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { stepDelivery } from '../../src/db/queries/actions/deliveries.ts'
import { makeDeps } from '../../src/deps.ts'
import { type Sandbox, startSandbox } from '../../dev/sandbox/sandbox.ts'
import type { DeliveryChannel } from '../../src/providers/ports.ts'
import { fingerprintOf } from '../../src/providers/fingerprint.ts'
import type { ApiClient } from '../support/api-client.ts'
import { connect, ringOf } from '../support/connect.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

const ada = { email: 'ada@example.com' }

// The stand-ins take the place of the real providers: this gate believes that they are.
let provider: Sandbox
let gate: TestGate
beforeAll(async () => {
  provider = await startSandbox()
  gate = await startGate({
    env: {
      SECRETS_KEYS: ringOf('k1'),
      CONFIRM_WAIT_MS: '1000',
      SLACK_API_URL: provider.slackApiUrl,
      SLACK_CLIENT_ID: 'sandbox-client',
      SLACK_CLIENT_SECRET: 'sandbox-secret',
      SLACK_RATE_PER_SECOND: '0',
      RESEND_API_KEY: 're_environment',
      RESEND_BASE_URL: provider.resendBaseUrl,
      RESEND_RATE_PER_SECOND: '0',
      MAIL_FROM: 'gate@environment.example',
    },
  })
}, 60_000)
afterAll(async () => {
  await gate.stop()
  await provider.stop()
})

const delivered = (text: string) => provider.messages().filter((message) => message.text === text)
const endOf = (client: ApiClient, id: number) =>
  until('it ends', async () => {
    const { body } = await client.get(id)
    return body.status === 'executed' && body
  })

/** Leaves the first slice as a claim before a send leaves it. */
const leaveHalfDone = (account: string, id: number, channel: 'slack' | 'email', message: object) =>
  stepDelivery(gate.deps.db, {
    account,
    id,
    channel,
    record: null,
    claim: { slice: 0, sliceMax: 100, message: JSON.stringify(message) },
  })

describe("a broadcast to Slack and e-mail, with the account's Slack credential damaged", () => {
  async function damaged() {
    const made = await gate.account()
    const { account, client, addMember } = made
    await addMember({ name: 'Ada', ...ada, slack: 'U0ADA', tier: 'write' })
    await addMember({ name: 'Bob', email: 'bob@example.com' })
    for (const name of ['slack', 'resend'] as const) await connect(gate, client, ada, name)
    await gate.database.asSuperuser(
      `update gate.integration_secret s set wrapped_key = '\\x00' from gate.integration i
       where i.account_id = '${account}' and i.provider = 'slack' and s.integration_id = i.integration_id`,
    )
    const text = `Of ${account}.`
    const { body } = await client.propose(ada, text)
    expect(body.blast_radius).toEqual({ slack: 1, email: 1, unreachable: 0 })
    const confirm = async () => expect((await client.confirm(body.id, ada)).status).toBe(202)
    return { ...made, id: body.id as number, text, confirm }
  }

  const codes = async (account: string) =>
    (
      await gate.database.asSuperuser(
        `select codes[1] as code from gate.delivery where account_id = '${account}' and channel = 'slack'`,
      )
    ).map((row) => row['code'])

  const begunLongAgo = (account: string) =>
    gate.database.asSuperuser(
      `update gate.action set begun_at = now() - interval '21 hours' where account_id = '${account}' and decision = 'confirm'`,
    )

  test('reaches by e-mail, waits with the rest, and ends at once when the account is stopped', async () => {
    const { account, client, id, text, confirm, suspend } = await damaged()
    await confirm()
    expect(delivered(text)).toHaveLength(1)
    expect((await client.get(id)).body).toMatchObject({ status: 'proposed', execution: { delivered: 1 } })
    await suspend(true)
    expect((await endOf(client, id)).result).toMatchObject({
      outcome: 'partial',
      stopped: 'account_suspended',
      email: 1,
      failed: { slack: 1, email: 0 },
    })
    expect(await codes(account)).toEqual(['account_suspended'])
    expect(delivered(text)).toHaveLength(1)
  }, 60_000)

  test('ends by itself once it has waited long enough: what was not sent has failed', async () => {
    const { account, client, id, text, confirm } = await damaged()
    await confirm()
    await begunLongAgo(account)
    const { result } = await endOf(client, id)
    expect(result).toMatchObject({
      outcome: 'partial',
      email: 1,
      failed: { slack: 1 },
      unknown: { slack: 0 },
    })
    expect(result).not.toHaveProperty('stopped')
    expect(await codes(account)).toEqual(['credential_unreadable'])
    expect(delivered(text)).toHaveLength(1)
  }, 60_000)

  test('what an earlier attempt perhaps sent is unknown then', async () => {
    const { account, client, id, confirm } = await damaged()
    await gate.stopWorkers()
    try {
      await confirm()
      await leaveHalfDone(account, id, 'slack', { text: 'x', credential: 'of-then' })
      await begunLongAgo(account)
    } finally {
      await gate.startWorkers()
    }
    expect((await endOf(client, id)).result).toMatchObject({ email: 1, unknown: { slack: 1 } })
    expect(await codes(account)).toEqual(['credential_unreadable'])
  }, 60_000)
})

describe("an e-mail slice that was left half done by the environment's credential", () => {
  const mark = fingerprintOf('re_environment')
  test.each([
    ['which is the same now: repeated under its key', { credential: mark }, { outcome: 'done', email: 1 }, 1],
    ['which was replaced', { credential: fingerprintOf('re_before') }, { outcome: 'unknown', email: 0 }, 0],
    ['which was a stand-in', { credential: 'sandbox' }, { outcome: 'unknown', email: 0 }, 0],
    ['by a service that did not note which', {}, { outcome: 'unknown', email: 0 }, 0],
  ])(
    '%s',
    async (name, credential, result, count) => {
      const { account, client, addMember } = await gate.account()
      await addMember({ name: 'Ada', ...ada, tier: 'write' })
      const { body } = await client.propose(ada, name)
      await gate.stopWorkers()
      try {
        expect((await client.confirm(body.id, ada)).status).toBe(202)
        const { email } = await gate.deps.channelsOf(account, 0)
        const names = { proposerName: 'Ada', accountName: 'x' }
        const message = (email as DeliveryChannel).freeze({ text: name, ...names, actionNumber: body.id })
        await leaveHalfDone(account, body.id, 'email', { ...message, ...credential })
      } finally {
        await gate.startWorkers()
      }
      expect((await endOf(client, body.id)).result).toMatchObject(result)
      expect(delivered(name)).toHaveLength(count)
    },
    60_000,
  )
})

test('every channel names its credential, a stand-in as such', async () => {
  const { account, client, addMember } = await gate.account()
  await addMember({ name: 'Ada', ...ada, tier: 'write' })
  const credentialOf = async (deps: TestGate['deps'], version: number) =>
    Object.values(await deps.channelsOf(account, version)).map((channel) =>
      'credential' in channel ? channel.credential : undefined,
    )
  expect(await credentialOf(gate.deps, 0)).toEqual([fingerprintOf('re_environment')])
  await connect(gate, client, ada, 'resend')
  const inside = makeDeps({ ...gate.config, SANDBOX: true }, { sandboxUrl: provider.url, log: gate.deps.log })
  try {
    expect(await credentialOf(inside, 0)).toEqual(['sandbox', 'sandbox'])
    await gate.database.asSuperuser(
      `update gate.integration set settings = '{"sandbox":true,"from":"a@b.example"}' where account_id = '${account}'`,
    )
    const [, email] = await credentialOf(inside, 1)
    expect(email).toMatch(/^sandbox [0-9a-f]{16}$/)
  } finally {
    await inside.close()
  }
})
