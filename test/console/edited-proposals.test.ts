import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { creditNote, declare, throwawayPerformer } from '../support/declared-kind.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { signedInByMail, startConsole } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import type { TestGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startConsole({ workers: true, performers: throwawayPerformer([]) })
}, 60_000)
afterAll(() => gate.stop())

/** A credit note of which a member may change everything but whom it is for. */
const editableNote = () => {
  const { payload, card, ...note } = creditNote() as { payload: any; card: object[] }
  const more = {
    memo: { type: 'string', maxLength: 40, minLength: 3 },
    copies: { type: 'integer', minimum: 1, maximum: 3 },
    is_urgent: { type: 'boolean' },
    reason: { type: 'string', enum: ['late', 'broken'] },
    extra: { type: 'object', properties: { note: { type: 'string' } } },
  }
  const lines = ['cents', 'memo', 'copies', 'is_urgent', 'reason', 'extra/note'].map((at, n) => ({
    label: `Line ${n + 1}`,
    value: `/${at}`,
    format: at === 'cents' ? 'money' : 'text',
  }))
  return {
    ...note,
    payload: { ...payload, properties: { ...payload.properties, ...more } },
    card: [...card, ...lines],
    editable: lines.map(({ value }) => value),
  }
}

const payload = {
  customer: 'cus_1',
  cents: 8_000,
  currency: 'usd',
  memo: 'Sorry.',
  copies: 2,
  is_urgent: true,
  reason: 'late',
}

test('in the console, a member changes what the document of the kind lets them, within its schema', async () => {
  const account = await gate.account()
  await declare(gate.deps.db, account.account, editableNote())
  const email = 'ada@example.com'
  const ada = await account.addMember({ name: 'Ada', email, tier: 'guarded_write' })
  await account.addMember({ name: 'Eve', email: 'eve@example.com', tier: 'guarded_write' })
  const { body } = await account.client.request('POST', '/api/v1/actions', {
    body: { kind: 'credit_note', actor: { email }, payload, ask: true },
  })
  expect(body.status).toBe('proposed')
  const path = `/console/proposals/${body.id}`
  const visitor = await signedInByMail(gate, email)
  const form = formOf((await visitor.open(path)).html)
  const sent = (changes: Record<string, string>, does = 'edit') =>
    visitor.send(path, {
      ...form,
      ...Object.fromEntries(Object.entries(changes).map(([name, text]) => [`change.${name}`, text])),
      does,
    })

  for (const [changes, says] of [
    [{}, 'You changed nothing'],
    [{ cents: '80.01' }, 'Line 1 must be from 0.01 to 80.00'],
    [{ memo: 'No' }, 'must have at least 3 characters'],
    [{ copies: '4' }, 'must be at most 3'],
    [{ copies: '1.5' }, 'must be a whole number'],
    [{ copies: 'two' }, 'Line 3 must be a number'],
    [{ is_urgent: 'maybe' }, 'Line 4 must be true or false'],
    [{ reason: 'else' }, 'Line 5 must be one of its values'],
    [{ customer: 'cus_2' }, 'You changed nothing'],
  ] as [Record<string, string>, string][]) {
    const refused = await sent(changes)
    expect([changes, refused.status, refused.text]).toEqual([changes, 422, expect.stringContaining(says)])
    for (const [name, text] of Object.entries(changes))
      if (['cents', 'memo', 'copies'].includes(name))
        expect(formOf(refused.html)[`change.${name}`] ?? text).toBe(text)
  }
  expect((await visitor.send(path, { ...form, other: 'x', does: 'edit' })).status).toBe(422)
  // It is nobody else's to change, nor to see.
  const eve = await signedInByMail(gate, 'eve@example.com')
  expect((await eve.send(path, { ...form, 'change.cents': '1.00', does: 'edit' })).status).not.toBe(200)

  const changes = {
    cents: '50.00',
    memo: '',
    copies: '3',
    is_urgent: 'false',
    reason: 'broken',
    'extra.note': 'By hand.',
  }
  const review = await sent(changes, 'confirm')
  expect([review.status, review.text]).toEqual([200, expect.stringContaining('Line 1, which was 80.00 USD')])
  expect(review.text).toContain('Line 5, changed by the member')
  expect((await account.client.get(body.id)).body).toMatchObject({ status: 'proposed', payload })
  expect((await visitor.send(path, { ...formOf(review.html), does: 'confirm' })).status).toBe(303)
  const row = await until('executed', async () => {
    const now = (await account.client.get(body.id)).body
    return now.status === 'executed' && now
  })
  const { memo: _memo, ...kept } = payload
  expect(row).toMatchObject({
    payload: {
      ...kept,
      cents: 5_000,
      copies: 3,
      is_urgent: false,
      reason: 'broken',
      extra: { note: 'By hand.' },
    },
    consent: { strength: 'page', by: ada.email, channel: 'console' },
    edited_by_member: {
      former_digest: body.digest,
      changes: [
        { field: 'cents', from: 8_000, to: 5_000 },
        { field: 'copies', from: 2, to: 3 },
        { field: 'extra', to: { note: 'By hand.' } },
        { field: 'is_urgent', from: true, to: false },
        { field: 'memo', from: 'Sorry.' },
        { field: 'reason', from: 'late', to: 'broken' },
      ],
    },
  })
  expect(row.payload).not.toHaveProperty('memo')
  expect((await visitor.open(path)).text).toContain('Changed by the member')
  const [stored] = await gate.database.asSuperuser(
    `select amount_cents from gate.action where account_id = '${account.account}' and id = ${body.id}`,
  )
  expect(Number(stored!['amount_cents'])).toBe(5_000)
  expect(await entryKindsOf(gate.database, account.account, body.id)).toEqual(
    expect.arrayContaining(['edited', 'confirmed', 'executed']),
  )
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})
