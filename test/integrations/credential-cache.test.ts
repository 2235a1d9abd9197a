import { expect, test } from '@jest/globals'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/connect.ts'
import { credentialCache } from '../../src/integrations/credential-cache.ts'
import { limits } from '../../src/limits.ts'
import { providerFactory } from '../../src/providers/provider-factory.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { seal } from '../../src/secrets/seal.ts'
import { ringOf } from '../support/connect.ts'

const keys = parseKeyRing(ringOf('k1'))
type Connected = { version: number; providers: ('slack' | 'resend' | 'stripe')[]; broken?: string }

/** What accounts have connected, and the integrations opened over it. */
function opened(connected: (account: string) => Connected) {
  const rowsOf = async (account: string, known: number) => {
    const { version, providers, broken } = connected(account)
    if (version === known) return [{ version, integration_id: null }]
    const rows = providers.map(async (provider) => {
      const place = { account, integration: `int_${provider}`, field: 'api_key' }
      const { ciphertext, wrappedKey, kid } = await seal(keys, place, secretOf[provider])
      const [sealed, wrapped] = [ciphertext.toString('base64'), wrappedKey.toString('base64')]
      return {
        version,
        integration_id: place.integration,
        provider,
        settings: { from: 'gate@example.com' },
        fingerprint: provider,
        secrets: [
          {
            field: 'api_key',
            ciphertext: sealed,
            wrapped_key: wrapped,
            kid: broken === provider ? 'lost' : kid,
          },
        ],
      }
    })
    return Promise.all(rows)
  }
  // A statement is here the values in it.
  const values = (_: unknown, account: string, known: number) => rowsOf(account, known)
  const read = (statement: (sql: typeof values) => unknown) => statement(values)
  const db = { read, run: read } as unknown as Db
  const providers = providerFactory(readConfig({ SLACK_BOT_TOKEN: 'xoxb-environment' }), undefined)
  return credentialCache({ db, keys, providers, log: { error: () => undefined } })
}

const secretOf = { slack: 'xoxb-own', resend: 're_own', stripe: 'sk_test_own' }

test('steps that begin at once share one channel and so one rate limit, also with one that is connected meanwhile', async () => {
  let now: Connected = { version: 1, providers: ['slack', 'stripe'] }
  const integrations = opened(() => now)
  const steps = (version: number) =>
    Promise.all(Array.from({ length: 5 }, () => integrations.channels('acct', version)))
  const [first, payments] = await Promise.all([steps(1), integrations.billing('acct')])
  now = { version: 2, providers: ['slack', 'stripe', 'resend'] }
  const second = await steps(2)
  const all = [...first, ...second]
  expect(new Set(all.map(({ slack }) => slack)).size).toBe(1)
  expect(new Set(second.map(({ email }) => email)).size).toBe(1)
  expect((await integrations.billing('acct'))!.provider).toBe(payments!.provider)
})

test('an account that goes on sending keeps its channel, however many others come', async () => {
  const integrations = opened(() => ({ version: 1, providers: ['slack'] }))
  const channelOf = async (n: number) => (await integrations.channels(`acct_${n}`, 1)).slack
  const [busy, idle] = [await channelOf(0), await channelOf(1)]
  for (let n = 2; n < limits.accountsOpenedMax; n++) await channelOf(n)
  expect(await channelOf(0)).toBe(busy)
  await channelOf(limits.accountsOpenedMax)
  expect(await channelOf(0)).toBe(busy)
  expect(await channelOf(1)).not.toBe(idle)
})

test('a credential that cannot be opened is tried again, and leaves the other channel as it is', async () => {
  const now: Connected = { version: 2, providers: ['slack', 'resend'], broken: 'slack' }
  const integrations = opened(() => now)
  const before = await integrations.channels('acct', 2)
  expect(before.slack).toMatchObject({ unreadable: { code: 'unavailable' } })
  now.broken = 'none'
  const after = await integrations.channels('acct', 2)
  expect(after.slack).toMatchObject({ channel: 'slack', credential: 'slack' })
  expect(after.email).toBe(before.email)
})
