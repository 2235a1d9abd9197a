import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { kindsVersion } from '../../src/db/queries/accounts/declared-kinds.ts'
import { ringOf } from '../support/connect.ts'
import { formOf } from '../support/form-of.ts'
import { type Visitor, signedInAdmin, signedInByMail, startConsole } from '../support/console.ts'
import type { TestAccount } from '../support/account.ts'
import { creditNote, customerDeletion, declare } from '../support/declared-kind.ts'
import type { TestGate } from '../support/gate.ts'
import { entriesOf } from '../support/ledger-entries.ts'

const path = '/console/kinds'
const reviewPath = `${path}/new-kind/review`

let gate: TestGate
let account: TestAccount
let admin: Visitor
beforeAll(async () => {
  gate = await startConsole({ env: { SECRETS_KEYS: ringOf('k1') } })
  account = await gate.account()
  admin = await signedInAdmin(gate, account.account, 'root@one.example')
}, 60_000)
afterAll(() => gate.stop())

const textOf = (document: unknown) => (typeof document === 'string' ? document : JSON.stringify(document))

/** Sends the form of a document; answers its review. */
const review = (document: unknown, kind?: string) =>
  admin.send(kind === undefined ? `${path}/new-kind` : `${path}/${kind}/change`, {
    document: textOf(document),
  })

/** The fields that a review would send back. */
const carriedBy = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(document|base|kind)" value="([^"]*)"/g)].map(
      ([, name, value]) => [
        name!,
        value!.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&#39;', "'"),
      ],
    ),
  )

/** Sends a form, and opens the page that it leads to. */
async function sendOn(address: string, fields: Record<string, string> = {}) {
  const answer = await admin.send(address, fields)
  return answer.status === 303 ? admin.open(answer.headers.get('location')!) : answer
}

/** Goes through the review, and declares. */
async function declareReviewed(document: unknown, kind?: string) {
  const { html } = await review(document, kind)
  return sendOn(reviewPath, { ...carriedBy(html), do: 'declare' })
}

const versionsOf = async (): Promise<number> => kindsVersion(gate.deps.db, account.account)

test('an administrator declares, changes and retires a kind, each with a ledger entry', async () => {
  expect((await admin.open(path)).text).toContain('No kinds in force.')
  const reviewed = await review(customerDeletion())
  expect(reviewed.text).toContain('customer_deletion is a new kind.')
  expect(await versionsOf()).toBe(0)
  expect((await declareReviewed(customerDeletion())).text).toContain('Kind declared.')
  const changed = customerDeletion({ title: 'Archive a customer' })
  expect((await declareReviewed(changed, 'customer_deletion')).text).toContain('Archive a customer')
  expect((await admin.open('/console/policies/kinds/customer_deletion')).status).toBe(200)
  expect((await admin.open('/console/keys/new')).text).toContain('customer deletion')
  expect((await sendOn(`${path}/customer_deletion/retire`)).text).toContain('Kind retired.')
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
  // Its document again puts it in force again.
  expect((await review(changed, 'customer_deletion')).text).toContain('would put the kind in force again')
  expect((await declareReviewed(changed, 'customer_deletion')).text).toContain('in force')
})

test('a kind can be read: fields with their bounds, card, rule, executor, and who declared it', async () => {
  await declareReviewed(creditNote())
  const list = (await admin.open(path)).text
  expect(list).toContain('Credit note credit_note 1 claim')
  expect(list).toContain('root@one.example')
  const page = (await admin.open(`${path}/credit_note`)).text
  for (const words of [
    'in force credit_note',
    'propose_credit_note',
    'Declared by root@one.example',
    '/cents whole number, 1 to 10000000 yes',
    '/currency one of: usd, eur yes',
    'whole cents at /cents, currency at /currency',
    'Customer /customer text of the agent',
    'up to 100.00 USD: guarded_write',
    'The default rule of the document is in force.',
    'Time to report 10 minutes',
  ])
    expect(page).toContain(words)
  await account.setPolicy({ kinds: { credit_note: { tier: 'write' } } })
  expect((await admin.open(`${path}/credit_note`)).text).toContain('Your policy sets this rule')
})

test('the review shows what changes and the decision card with made-up values, and stores nothing', async () => {
  await declare(gate.deps.db, account.account, customerDeletion({ kind: 'reviewed_kind' }))
  const before = await versionsOf()
  const changed = customerDeletion({
    kind: 'reviewed_kind',
    title: 'Delete a customer for good',
    card: [{ label: 'Customer', value: '/customer/id', format: 'text' }],
  })
  const { text } = await review(changed, 'reviewed_kind')
  for (const words of [
    'Version 1 of reviewed_kind is in force. Version 2 would replace it.',
    'removed: title: Delete a customer',
    'added: title: Delete a customer for good',
    'removed: card line 2: Customer name, /customer/name as text',
    'Customer, written by the agent',
    'Example id',
    'Requested by: agent &quot;example agent&quot; for Example Member',
    'Kind: reviewed_kind, version 2',
    'Declare version 2',
  ])
    expect(text).toContain(words)
  expect(await versionsOf()).toBe(before)
})

test('a document is kept as it was typed: when it is refused, and when it is edited again', async () => {
  const typed = `  ${JSON.stringify(customerDeletion({ kind: 'typed_kind' }), null, 7)}\n`
  const reviewed = await review(typed)
  const again = await admin.send(reviewPath, { ...carriedBy(reviewed.html), do: 'edit' })
  const fieldIn = (html: string) =>
    /<textarea[^>]*>\n?([^<]*)<\/textarea>/.exec(html)![1]!.replaceAll('&quot;', '"')
  expect(fieldIn(again.html)).toBe(typed)
  const wrong = typed.replace('/customer/id', '/nowhere')
  const refused = await review(wrong)
  expect([refused.status, fieldIn(refused.html)]).toEqual([422, wrong])
  expect(refused.html).toContain('id="document-error"')
  expect(refused.text).toContain('subject must lead to a field of the payload')
  expect((await review('{')).text).toContain('document is not valid JSON')
})

test('a document of another kind, or the one in force, is refused beside the field', async () => {
  await declare(gate.deps.db, account.account, customerDeletion({ kind: 'kept_kind' }))
  const renamed = await review(customerDeletion({ kind: 'new_name' }), 'kept_kind')
  expect(renamed.text).toContain('document must keep the kind kept_kind')
  const same = await review(customerDeletion({ kind: 'kept_kind' }), 'kept_kind')
  expect([same.status, same.text]).toEqual([
    422,
    expect.stringContaining('already version 1 of kept_kind, which is in force'),
  ])
  expect(same.html).toContain('id="document-error"')
})

test('an address that is never called is refused before the review', async () => {
  const executor = { type: 'webhook', url: 'https://169.254.169.254/latest' }
  const refused = await review(customerDeletion({ kind: 'private_kind', executor }))
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('executor.url')])
  expect(refused.html).toContain('id="document-error"')
})

test('nothing is stored over a version that was declared after the review', async () => {
  const document = (title: string) => customerDeletion({ kind: 'raced_kind', title })
  await declare(gate.deps.db, account.account, document('First'))
  const { html } = await review(document('Mine'), 'raced_kind')
  await declare(gate.deps.db, account.account, document('Theirs'))
  const late = await admin.send(reviewPath, { ...carriedBy(html), do: 'declare' })
  expect([late.status, late.text]).toEqual([
    409,
    expect.stringContaining('A kind was declared or retired since you opened this page.'),
  ])
  expect(late.html).toContain('&quot;Mine&quot;')
  expect((await admin.open(`${path}/raced_kind`)).text).toContain('Theirs')
})

test('each version shows what it changed, and an earlier one can be declared again', async () => {
  for (const title of ['One title', 'Two titles', 'Three titles'])
    await declare(gate.deps.db, account.account, customerDeletion({ kind: 'old_kind', title }))
  const all = (await admin.open(`${path}/old_kind/versions`)).text
  expect(all).toContain('Version 3 in force')
  expect(all).toContain('removed: title: Two titles')
  expect(all).toContain('added: title: Three titles')
  expect(all).toContain('The first version.')
  expect((await admin.open(`${path}/old_kind/versions?before=3`)).text).not.toContain('Three titles 3')
  const first = (await admin.open(`${path}/old_kind/versions/1`)).text
  expect(first).toContain('One title, version 1')
  expect((await admin.open(`${path}/old_kind/versions/4`)).status).toBe(404)
  const form = await admin.open(`${path}/old_kind/change?version=1`)
  expect(form.text).toContain('The document below is that of version 1.')
  expect(form.html).toContain('&quot;One title&quot;')
})

test('proposals, the overview, the ledger and the audit log call an action by the title of its kind', async () => {
  const other = await gate.account()
  await other.addMember({ email: 'grace@one.example', tier: 'write' })
  await declare(gate.deps.db, other.account, creditNote({ title: 'Goodwill credit' }))
  const payload = { customer: 'cus_1', cents: 5_000, currency: 'eur' }
  const { body } = await other.client.request('POST', '/api/v1/actions', {
    body: { kind: 'credit_note', actor: { email: 'grace@one.example' }, payload },
  })
  const root = await signedInAdmin(gate, other.account, 'root@two.example')
  for (const page of ['/console', '/console/proposals', '/console/ledger', '/console/audit'])
    expect([page, (await root.open(page)).text]).toEqual([page, expect.stringContaining('Goodwill credit')])
  expect((await root.open(`/console/proposals/${body.id}`)).text).toContain(`Goodwill credit #${body.id}`)
  const row = await root.open(`/console/ledger/${body.id}`)
  expect(row.text).toContain(`Action #${body.id}: Goodwill credit`)
  expect(row.html).toContain('href="/console/kinds/credit_note/versions/1"')
  const member = await signedInByMail(gate, 'grace@one.example')
  expect((await member.open(`/console/proposals/${body.id}`)).text).toContain('credit_note, version 1')
})

test('every page calls an action by the title of the version that it was proposed with', async () => {
  const other = await gate.account()
  await other.addMember({ email: 'grace@versions.example', tier: 'write' })
  await other.addMember({ email: 'alan@versions.example', tier: 'read_only' })
  const fields = { customer: { type: 'string', maxLength: 40 } }
  const payload = { type: 'object', properties: fields, required: ['customer'] }
  const document = customerDeletion({ payload, subject: '/customer', card: [] })
  const titled = (title: string) => declare(gate.deps.db, other.account, { ...document, title })
  const propose = async (name: string): Promise<number> => {
    const actor = { email: `${name}@versions.example` }
    const body = { kind: 'customer_deletion', actor, payload: { customer: 'cus_42' } }
    return (await other.client.request('POST', '/api/v1/actions', { body })).body.id
  }
  await titled('First title')
  const [open, cancelled, denied] = [await propose('grace'), await propose('grace'), await propose('alan')]
  await other.client.request('POST', `/api/v1/actions/${cancelled}/cancel`, {
    body: { actor: { email: 'grace@versions.example' } },
  })
  await titled('Second title')
  const second = await propose('grace')
  await titled('Newest title')
  const root = await signedInAdmin(gate, other.account, 'root@versions.example')
  const grace = await signedInByMail(gate, 'grace@versions.example')
  const pages: [Visitor, string, string[]][] = [
    [root, '/console', ['First title: cus_42', `First title: cus_42 #${denied}`, `Second title #${second}`]],
    [root, '/console/proposals', [`First title #${open}`, `Second title #${second}`]],
    [root, `/console/proposals/${open}`, [`First title #${open}`]],
    [root, `/console/ledger/${denied}`, [`Action #${denied}: First title`, 'First title: cus_42']],
    [root, '/console/audit', [`First title #${open}`, `Second title #${second}`]],
    [grace, '/console/me', [`First title #${cancelled}`]],
    [grace, `/console/proposals/${cancelled}`, [`First title #${cancelled}`, `Second title #${second}`]],
  ]
  for (const [person, page, titles] of pages) {
    const { text } = await person.open(page)
    for (const title of titles) expect([page, text]).toEqual([page, expect.stringContaining(title)])
    expect([page, text]).toEqual([page, expect.not.stringContaining('Newest title')])
  }
  // Its list of kinds has the newest title.
  const ledger = (await root.open('/console/ledger')).text
  for (const title of ['First title: cus_42', 'Second title: cus_42', 'Newest title'])
    expect(ledger).toContain(title)
  expect(ledger).not.toContain('Newest title: ')
})

describe('the secret of a webhook', () => {
  const kind = 'called_kind'
  const secretPath = `${path}/${kind}/secret`
  const secretIn = (html: string) => /whsec_[\w+/]{43}=/.exec(html)?.[0]
  const rotations = async () =>
    (await entriesOf(gate.database, account.account)).filter(({ kind }) => kind === 'kind_secret_rotated')
  beforeAll(async () => {
    const executor = { type: 'webhook', url: 'https://executor.example/delete' }
    await declare(gate.deps.db, account.account, customerDeletion({ kind, executor }))
  })

  test('is made after a confirmation, shown once, and kept encrypted', async () => {
    expect((await admin.open(`${path}/${kind}`)).html).toContain(`href="${secretPath}"`)
    const asked = await admin.open(secretPath)
    expect(asked.text).toContain('Secret none')
    expect(asked.text).toContain('not called before it has a secret')
    expect([secretIn(asked.html), await rotations()]).toEqual([undefined, []])
    const fields = formOf(asked.html)
    const made = await admin.send(secretPath, fields)
    expect(made.text).toContain('It is shown only once.')
    const secret = secretIn(made.html)!
    const [stored] = await gate.database.asSuperuser(
      `select secret_id, ciphertext, wrapped_key, kid from gate.kind_secret where kind = '${kind}'`,
    )
    expect(await openedBy(stored!)).toEqual([secret])
    // A reload, or a second click.
    const again = await sendOn(secretPath, fields)
    expect(again.text).toContain('This secret was made, and it is shown only once.')
    expect(secretIn(again.html)).toBeUndefined()
    for (const page of [`${path}/${kind}`, secretPath])
      expect((await admin.open(page)).html).not.toContain('whsec_')
    expect(await rotations()).toHaveLength(1)
  })

  test('is rotated: both sign for a day, and the page says so before', async () => {
    expect((await admin.open(secretPath)).text).toContain('signed by the new and by the current secret')
    const second = secretIn((await admin.send(secretPath)).html)!
    const asked = await admin.open(secretPath)
    expect(asked.text).toContain('Secret before it signs until')
    expect(asked.text).toContain('The secret before it stops signing now.')
    const rows = await gate.database.asSuperuser(
      `select secret_id, ciphertext, wrapped_key, kid from gate.kind_secret where kind = '${kind}' order by valid_until nulls first`,
    )
    expect(rows).toHaveLength(2)
    expect(await openedBy(rows[0]!)).toEqual([second])
  })

  test('is of a webhook alone: of a kind that is claimed nothing is made', async () => {
    await declare(gate.deps.db, account.account, customerDeletion({ kind: 'claimed_kind' }))
    expect((await admin.open(`${path}/claimed_kind`)).html).not.toContain('/secret"')
    expect((await admin.open(`${path}/claimed_kind/secret`)).text).toContain('has no webhook')
    const refused = await admin.send(`${path}/claimed_kind/secret`)
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('Kind claimed_kind with a webhook was not found'),
    ])
  })

  test('cannot be made where the service can store none, and the page says what to set', async () => {
    const { secretsKeys } = gate.deps
    gate.deps.secretsKeys = undefined
    try {
      const before = await rotations()
      const refused = await admin.send(secretPath)
      expect([refused.status, refused.text]).toEqual([
        409,
        expect.stringContaining('Its operator must set SECRETS_KEYS.'),
      ])
      expect(await rotations()).toEqual(before)
    } finally {
      gate.deps.secretsKeys = secretsKeys
    }
  })

  const openedBy = ({ secret_id: secretId, ciphertext, wrapped_key: wrappedKey, kid }: Record<string, any>) =>
    gate.deps.openKindSecrets(account.account, kind, [{ secretId, ciphertext, wrappedKey, kid }])
})
