import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { adminWrite } from '../../src/db/admin-write.ts'
import { suspendAccount } from '../../src/db/queries/accounts/accounts.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import type { PageAnswer } from '../support/connect.ts'
import { askedByMail } from '../support/consent.ts'
import { type Visitor, signedInByMail, startConsole, visitor } from '../support/console.ts'
import { moveExpiry } from '../support/expiry.ts'
import { formOf } from '../support/form-of.ts'
import type { TestGate } from '../support/gate.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { until } from '../support/until.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startConsole({ workers: true })
}, 60_000)
afterAll(() => gate.stop())

/** Where somebody decides: two windows of the link, one of the console, and one of another member. */
const tabs = ['link', 'again', 'console', 'stranger'] as const
type Tab = (typeof tabs)[number]

type Op =
  | { does: 'open' | 'approve' | 'decline'; tab: Tab }
  | { does: 'change' | 'forge' | 'edit'; tab: Tab; message: string }
  | { does: 'policy'; tier: 'guarded_write' | 'write' }
  | { does: 'suspend'; is: boolean }
  | { does: 'expire' | 'cancel' | 'confirm' }
  | { does: 'twin'; message: string }

const tab = fc.constantFrom(...tabs)
const message = fc.constantFrom('One', 'Two', 'Three')
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constantFrom('open', 'approve', 'decline' as const), tab }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('change' as const), tab, message }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('approve' as const), tab }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('edit' as const), tab, message }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('forge' as const), tab, message }) },
  fc.record({
    does: fc.constant('policy' as const),
    tier: fc.constantFrom('guarded_write', 'write' as const),
  }),
  fc.record({ does: fc.constant('suspend' as const), is: fc.boolean() }),
  fc.record({ does: fc.constantFrom('expire', 'cancel', 'confirm' as const) }),
  fc.record({ does: fc.constant('twin' as const), message }),
) as fc.Arbitrary<Op>
/** The steps run at the same time, in any order. */
const history = fc.array(fc.array(op, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 12 })

let accounts = 0
async function scene() {
  const account = await gate.account()
  const policy = (tier: string) => account.setPolicy({ kinds: { broadcast: { tier, consent: 'page' } } })
  await policy('guarded_write')
  const [email, other] = [`ada${++accounts}@example.com`, `eve${accounts}@example.com`]
  await account.addMember({ name: 'Ada', email, tier: 'guarded_write' })
  await account.addMember({ name: 'Eve', email: other, tier: 'guarded_write' })
  const { body } = await account.client.propose({ email }, 'One')
  await account.client.confirm(body.id, { email })
  const { link } = await askedByMail(gate, email)
  const path = `/console/proposals/${body.id}`
  const places: Record<Tab, { by: Visitor; path: string }> = {
    link: { by: visitor(gate), path: link },
    again: { by: visitor(gate), path: link },
    console: { by: await signedInByMail(gate, email), path },
    stranger: { by: await signedInByMail(gate, other), path },
  }
  return { ...account, policy, email, other, id: body.id as number, places }
}

/** What a page shows, by the hash of its card. */
const shownPage = ({ html }: PageAnswer): [hash: string, text: string] | undefined => {
  const hash = /name="shown" value="([0-9a-f]{64})"/.exec(html)?.[1]
  const text = /<pre dir="ltr">│ ([^<]*)<\/pre>/.exec(html)?.[1]
  return hash === undefined || text === undefined ? undefined : [hash, text]
}

test('nothing is executed whose bytes nobody was shown, whatever else happens at the same time', async () => {
  let edited = 0
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const { account, client, policy, email, other, id, places } = await scene()
      const shown = new Map<string, string>()
      const forms = new Map<Tab, Record<string, string>>()
      const take = (at: Tab, page: PageAnswer) => {
        const found = page.status === 200 ? shownPage(page) : undefined
        if (!found) return
        if (at !== 'stranger') shown.set(...found)
        forms.set(at, formOf(page.html))
      }
      const send = async (at: Tab, fields: Record<string, string>) => {
        const form = forms.get(at) ?? forms.get('link') ?? forms.get('console')
        if (form) take(at, await places[at].by.send(places[at].path, { ...form, ...fields }))
      }
      const run = async (one: Op): Promise<unknown> => {
        switch (one.does) {
          case 'open':
            return take(one.tab, await places[one.tab].by.open(places[one.tab].path))
          case 'approve':
            return send(one.tab, { does: 'confirm' })
          case 'decline':
            return send(one.tab, { does: 'decline' })
          case 'change':
            return send(one.tab, { 'change.message': one.message, does: 'edit' })
          case 'edit':
            for (const next of ['open', 'change', 'approve'] as const) await run({ ...one, does: next })
            return
          case 'forge':
            return send(one.tab, { 'change.message': one.message, version: '2', does: 'confirm' })
          case 'policy':
            return policy(one.tier)
          case 'suspend':
            return suspendAccount(gate.deps.db, { ...adminWrite(account), suspend: one.is })
          case 'expire':
            return moveExpiry(gate.database, account, -8)
          case 'cancel':
            return client.cancel(id, { email })
          case 'confirm':
            return client.confirm(id, { email })
          case 'twin':
            return client.propose({ email }, one.message)
        }
      }
      await run({ does: 'open', tab: 'link' })
      for (const step of steps) await Promise.all(step.map(run))

      // No entry records that the expiry was moved.
      await gate.database.asSuperuser(`
        update gate.action a set expires_at = (
          select (l.entry::json -> 'data' ->> 'expires_at')::timestamptz from gate.ledger l
          where l.account_id = a.account_id and l.action_id = a.id and l.kind = 'proposed')
        where a.account_id = '${account}'`)
      await suspendAccount(gate.deps.db, { ...adminWrite(account), suspend: false })
      const row = (await readAction(gate.deps.db, account, id))!
      const kinds = await entryKindsOf(gate.database, account, id)
      const decisions = kinds.filter((kind) => ['confirmed', 'denied', 'cancelled', 'expired'].includes(kind))
      expect(kinds.filter((kind) => kind === 'confirmed').length).toBeLessThanOrEqual(1)
      if (kinds.includes('confirmed')) {
        expect(shown.get(row.card!.toString('hex'))).toBe(row.payload['message'])
        expect(kinds.includes('edited')).toBe(row.payload['message'] !== 'One')
        expect(row.former?.payload?.['message'] ?? row.payload['message']).toBe('One')
        edited += kinds.includes('edited') ? 1 : 0
        // What is sent is what was shown; a suspended account sends nothing.
        const sent = () =>
          gate.sandbox.messages(1_000).filter(({ to, text }) => to === other && text.length < 10)
        await until(
          'it has ended',
          async () => (await readAction(gate.deps.db, account, id))!.status !== 'proposed',
        )
        for (const { text } of sent()) expect(text).toBe(row.payload['message'])
      } else {
        expect(kinds).not.toContain('edited')
        expect([row.former, row.payload['message']]).toEqual([null, 'One'])
        expect(decisions.length).toBeLessThanOrEqual(1)
      }
      const verdict = (await verifyLedger(gate.database.db, account))!
      expect(verdict.ok ? 'valid' : `${verdict.place}: ${verdict.problem}`).toBe('valid')
    }),
    { numRuns: 40, endOnFailure: true },
  )
  // Histories in which nothing is ever changed would prove nothing.
  expect(edited).toBeGreaterThan(3)
}, 240_000)
