import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type TestGate, startGate } from '../support/gate.ts'
import { mandateScene } from '../support/mandate-scene.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate()
}, 60_000)
afterAll(() => gate.stop())

test('an action within a mandate is executed without a question, with a debit, an entry, and what is left', async () => {
  const { sign, payOut, debits, entries, verify, client } = await mandateScene(gate)
  const id = await sign()
  const paid = await payOut(2_000)
  expect(paid).toMatchObject({
    status: 'executed',
    consent: {
      strength: 'page',
      by: 'mandate',
      channel: 'mcp',
      mandate: {
        id,
        left: { uses: 49, uses_today: 49, cents: { usd: 28_000 }, cents_today: { usd: 18_000 } },
      },
    },
  })
  expect(await debits(id)).toEqual([{ action: paid.id, cents: 2_000, currency: 'usd' }])
  const [used] = await entries('mandate_used')
  expect(used!['entry']).toMatchObject({
    action: id,
    data: { by: 'mandate', strength: 'page', n: 1, used_for: paid.id, cents: 2_000, currency: 'usd' },
  })
  const confirmed = await entries('confirmed')
  expect(confirmed.at(-1)!['entry']).toMatchObject({ action: paid.id, data: { mandate: id } })
  expect((await client.get(paid.id)).body.consent.mandate.id).toBe(id)
  expect(await verify()).toMatchObject({ ok: true })
})

test('fifty uses that race never pass the budget', async () => {
  const { sign, payOut, debits, verify, entries } = await mandateScene(gate)
  const id = await sign({ cents: { usd: 10_000 }, cents_per_day: { usd: 10_000 } })
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => payOut(1_000).catch((error: unknown) => ({ error }))),
  )
  const made = await debits(id)
  expect(made.map(({ cents }) => cents)).toEqual(Array.from({ length: 10 }, () => 1_000))
  expect(new Set(made.map(({ action }) => action)).size).toBe(10)
  expect(await entries('mandate_used')).toHaveLength(10)
  const byMandate = answers.filter((answer) => 'consent' in answer && answer.consent?.by === 'mandate')
  expect(byMandate).toHaveLength(10)
  expect(await verify()).toMatchObject({ ok: true })
})
