import { afterEach, expect, jest, test } from '@jest/globals'
import { attemptCall } from '../../src/actions/billing/attempt.ts'
import type { ProviderCallRow } from '../../src/db/queries/actions/provider-calls.ts'
import { limits } from '../../src/limits.ts'
import type { BillingAccess, BillingOutcome } from '../../src/providers/billing.ts'

afterEach(() => void jest.useRealTimers())

const ok: BillingOutcome = { state: 'ok', id: 're_1', status: 'succeeded' }
const unknown: BillingOutcome = { state: 'unknown', code: 'connection_lost' }

/** A provider that answers what it is told, and remembers what it was asked. */
function provider(answers: { perform?: BillingOutcome; reconcile?: BillingOutcome } = {}) {
  const asked: string[] = []
  const access: BillingAccess = {
    fingerprint: 'first',
    retryDelayMs: 1_000,
    provider: {
      perform: async (_call: unknown, key: string, { isRepeat }: { isRepeat: boolean }) => {
        asked.push(`perform ${key} ${isRepeat ? 'again' : 'first'}`)
        return answers.perform ?? ok
      },
      reconcile: async () => {
        asked.push('reconcile')
        return answers.reconcile ?? { state: 'unknown', code: 'not_found_at_provider' }
      },
    } as never,
  }
  return { access, asked }
}

function begun(
  changes: Partial<ProviderCallRow> & { ageMs?: number; wasSending?: boolean; isSuspended?: boolean } = {},
) {
  const { ageMs = 0, wasSending = true, isSuspended = false, ...call } = changes
  return {
    wasSending,
    isSuspended,
    call: {
      step: 'call',
      provider: 'stripe',
      request: { type: 'refund', reference: 'r' },
      key: 'act_1_call',
      state: 'sending' as const,
      attempt: wasSending ? 2 : 1,
      credential: 'first',
      first_attempted_at: new Date(Date.now() - ageMs),
      code: null,
      answer: null,
      ...call,
    },
  }
}
const { signal } = new AbortController()

test('a call is never sent again under a key that the provider may have forgotten', async () => {
  const { access, asked } = provider()
  jest.useFakeTimers()
  const tried = await attemptCall(access, begun({ ageMs: limits.billingKeyAgeMsMax }), signal)
  expect(asked).toEqual(['reconcile'])
  expect(tried).toMatchObject({ state: 'unknown', code: 'not_found_at_provider', againMs: null })
  const fresh = provider()
  await attemptCall(fresh.access, begun({ ageMs: limits.billingKeyAgeMsMax - 1 }), signal)
  expect(fresh.asked).toEqual(['perform act_1_call again'])
})

test('keys are kept for a day by the provider, and used for less', () => {
  expect(limits.billingKeyAgeMsMax).toBeLessThanOrEqual(20 * 3_600_000)
})

test('a call that was not sent when its account was suspended is not sent', async () => {
  const { access, asked } = provider()
  const tried = await attemptCall(access, begun({ wasSending: false, isSuspended: true }), signal)
  expect(asked).toEqual([])
  expect(tried).toMatchObject({ state: 'not_done', code: 'account_suspended', againMs: null })
})

test('a call is never sent again with another credential', async () => {
  const { access, asked } = provider({ reconcile: ok })
  const tried = await attemptCall(access, begun({ credential: 'another' }), signal)
  expect(asked).toEqual(['reconcile'])
  expect(tried).toMatchObject({ state: 'ok', answer: { id: 're_1' } })
})

test.each<[string, BillingOutcome]>([
  ['a revoked key', { state: 'not_done', code: 'api_key_expired' }],
  ['a rate limit', { state: 'not_done', code: 'rate_limit', retryAfterMs: 500 }],
])('%s on a repeat says nothing about the try before', async (_what, perform) => {
  const { access } = provider({ perform })
  expect(await attemptCall(access, begun(), signal)).toMatchObject({ state: 'sending', againMs: 2_000 })
  expect(await attemptCall(access, begun({ attempt: limits.billingTriesMax }), signal)).toMatchObject({
    state: 'unknown',
  })
})

test('a refusal of the call itself on a repeat is believed: an earlier success would have been replayed', async () => {
  const { access } = provider({
    perform: { state: 'not_done', code: 'charge_already_refunded', isConsidered: true },
  })
  expect(await attemptCall(access, begun(), signal)).toMatchObject({
    state: 'not_done',
    code: 'charge_already_refunded',
  })
})

test('a first try that was refused, or put off, did nothing for certain', async () => {
  const refused = provider({ perform: { state: 'not_done', code: 'api_key_expired' } })
  expect(await attemptCall(refused.access, begun({ wasSending: false }), signal)).toMatchObject({
    state: 'not_done',
    againMs: null,
  })
  const late = provider({ perform: { state: 'not_done', code: 'rate_limit', retryAfterMs: 90_000 } })
  expect(await attemptCall(late.access, begun({ wasSending: false }), signal)).toMatchObject({
    state: 'pending',
    againMs: 90_000,
  })
})

test('waits between tries double, within a bound', async () => {
  const { access } = provider({ perform: unknown })
  const waits = []
  for (let attempt = 2; attempt < limits.billingTriesMax; attempt++)
    waits.push((await attemptCall(access, begun({ attempt }), signal)).againMs)
  const longest = 1_000 * limits.billingBackoffMax
  expect(waits.slice(0, 6)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, longest])
  expect(new Set(waits.slice(5))).toEqual(new Set([longest]))
})

test('without a connected provider nothing is claimed about a try that was perhaps done', async () => {
  expect(await attemptCall(undefined, begun(), signal)).toMatchObject({ state: 'unknown' })
  expect(await attemptCall(undefined, begun({ wasSending: false }), signal)).toMatchObject({
    state: 'not_done',
    code: 'not_connected',
  })
})

test('a call that was consented to for one account of the provider is not made at another', async () => {
  const request = { type: 'payout', reference: 'r', credential: 'first' }
  const { access, asked } = provider()
  access.fingerprint = 'second'
  expect(await attemptCall(access, begun({ wasSending: false, request }), signal)).toMatchObject({
    state: 'not_done',
    code: 'credential_changed',
  })
  expect(asked).toEqual([])
})

test('behind the stop switch what was perhaps done is looked for, and not repeated', async () => {
  const { access, asked } = provider()
  expect(await attemptCall(access, begun({ isSuspended: true }), signal)).toMatchObject({ state: 'unknown' })
  expect(asked).toEqual(['reconcile'])
})

test('a look that fails is tried again; one that ends is believed', async () => {
  const last = { attempt: limits.billingTriesMax, ageMs: limits.billingKeyAgeMsMax + 1_000 }
  const { access } = provider({ reconcile: { state: 'unknown', code: 'timeout' } })
  expect(await attemptCall(access, begun(last), signal)).toMatchObject({ state: 'sending' })
  expect(await attemptCall(provider().access, begun(last), signal)).toMatchObject({ state: 'unknown' })
})
