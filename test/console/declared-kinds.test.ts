import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Visitor, signedInAdmin } from '../support/console.ts'
import type { TestAccount } from '../support/account.ts'
import { customerDeletion } from '../support/declared-kind.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { entriesOf } from '../support/ledger-entries.ts'

const path = '/console/policies/declared'

let gate: TestGate
let account: TestAccount
let admin: Visitor
beforeAll(async () => {
  gate = await startGate({ workers: false })
  account = await gate.account()
  admin = await signedInAdmin(gate, account.account, 'root@one.example')
}, 60_000)
afterAll(() => gate.stop())

/** Sends a form, and opens the page that it leads to. */
async function send(address: string, form: Record<string, string>) {
  const answer = await admin.send(address, form)
  return answer.status === 303 ? admin.open(answer.headers.get('location')!) : answer
}

const declare = (at: string, document: unknown) =>
  send(at === 'new' ? '/console/policies/declare' : `${path}/${at}`, {
    document: typeof document === 'string' ? document : JSON.stringify(document),
  })

test('an administrator declares, changes and retires a kind', async () => {
  expect((await admin.open(path)).text).toContain('No declared kinds.')
  expect((await declare('new', customerDeletion())).text).toContain('Kind declared.')
  expect((await declare('new', customerDeletion())).text).toContain('Nothing changed')
  const changed = customerDeletion({ title: 'Archive a customer' })
  expect((await declare('customer_deletion', changed)).text).toContain('Archive a customer')
  expect((await admin.open(`${path}/customer_deletion`)).text).toContain('Version 2 is in force')
  expect((await admin.open('/console/policies/kinds/customer_deletion')).status).toBe(200)
  expect((await admin.open('/console/keys/new')).text).toContain('customer deletion')
  expect((await send(`${path}/customer_deletion/retire`, {})).text).toContain('Kind retired.')
  expect((await admin.open(path)).text).toContain('Declare again')
  expect((await admin.open('/console/policies/kinds/customer_deletion')).status).toBe(404)
  const entries = (await entriesOf(gate.database, account.account)).filter(({ kind }) =>
    kind.startsWith('kind_'),
  )
  expect(entries.map(({ kind, entry }) => [kind, entry.actor.startsWith('admin:adm_')])).toEqual([
    ['kind_set', true],
    ['kind_set', true],
    ['kind_retired', true],
  ])
  const audit = (await admin.open('/console/audit')).text
  expect(audit).toContain('Kind declared: customer_deletion, version 2')
  expect(audit).toContain('Kind retired: customer_deletion')
})

test('a wrong document is shown again with what is wrong', async () => {
  const wrong = await declare('new', customerDeletion({ kind: 'other_kind', subject: '/nowhere' }))
  expect(wrong.text).toContain('subject must lead to a field of the payload')
  expect(wrong.text).toContain('/nowhere')
  expect((await declare('new', '{')).text).toContain('document is not valid JSON')
  await declare('new', customerDeletion({ kind: 'kept_kind' }))
  const renamed = await declare('kept_kind', customerDeletion({ kind: 'new_name' }))
  expect(renamed.text).toContain('document must keep the kind kept_kind')
})
