import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyFile } from '#verify'
import { readSealedTo } from '../../src/operations/seals/ledger-proofs.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import { appendTo, asOwner, isProven } from '../seals/scene.ts'
import { type Visitor, signedInAdmin, startConsole } from '../support/console.ts'
import type { OpenBroadcast, TestGate } from '../support/gate.ts'

let gate: TestGate
let open: OpenBroadcast
let admin: Visitor
beforeAll(async () => {
  gate = await startConsole({ workers: false })
  open = await gate.openBroadcast()
  admin = await signedInAdmin(gate, open.account.account)
}, 60_000)
afterAll(() => gate.stop())

const seqIn = (page: string): number =>
  Number(/Sealed up to <a href="\/console\/audit\/(\d+)"/.exec(page)?.[1])

test('ledger and action say how far the ledger is sealed, and an entry has its proof to download', async () => {
  expect((await admin.open('/console/ledger')).html).toContain('Not sealed yet')
  await sealLedgers(gate.deps)
  for (const path of ['/console/ledger', `/console/ledger/${open.id}`]) {
    const { html } = await admin.open(path)
    expect(seqIn(html)).toBeGreaterThan(5)
    expect(html).toContain('without a witness')
  }
  const row = (await admin.open(`/console/ledger/${open.id}`)).html
  const [, path] = /href="(\/console\/audit\/\d+\/proof)"/.exec(row)!
  const proof = await admin.open(path!)
  expect(proof.headers.get('content-disposition')).toMatch(
    /^attachment; filename="ledger-acct_\w+-\d+\.tlog-proof"$/,
  )
  expect(isProven(proof.html)).toBe(true)
  const line = `— witness.example/w1 ${Buffer.alloc(76, 1).toString('base64')}\n`
  await gate.deps.db.run(
    (sql) => sql`select gate.store_cosignatures(
      (select e.size from gate.epoch_note(null) e), array['witness.example/w1'], array[${line}])`,
  )
  expect((await admin.open('/console/ledger')).html).toContain('witnessed by <bdi>witness.example/w1</bdi>')
})

test('files of the console are accepted by its own check: sealed export, proof of an entry, trust policy', async () => {
  await sealLedgers(gate.deps)
  const ledger = (await admin.open('/console/ledger')).html
  const row = (await admin.open(`/console/ledger/${open.id}`)).html
  const entry = (await admin.open(/href="(\/console\/audit\/\d+)"/.exec(row)![1]!)).html
  const linkIn = (html: string, text: string) => new RegExp(`href="([^"]+)"[^>]*>\\s*${text}`).exec(html)![1]!
  const download = async (path: string) => {
    const { status, html, headers } = await admin.open(path)
    expect([status, headers.get('content-disposition')]).toEqual([
      200,
      expect.stringMatching(/^attachment; /),
    ])
    return html
  }
  const policy = await download(linkIn(ledger, 'Download trust policy'))
  expect(linkIn((await admin.open(linkIn(ledger, 'Check a file'))).html, 'download its trust policy')).toBe(
    linkIn(ledger, 'Download trust policy'),
  )
  const check = (text: string) => verifyFile(bytesOf(text), { policy })
  const sealed = await download(linkIn(ledger, 'Download sealed export'))
  expect(await check(sealed)).toMatchObject({
    ok: true,
    what: 'export',
    facts: { account: open.account.account },
  })
  for (const path of [linkIn(row, 'Download'), linkIn(entry, 'Download proof of this entry')])
    expect(await check(await download(path))).toMatchObject({ ok: true, what: 'proof' })
  expect(await check(sealed.replace('"kind":"proposed"', '"kind":"proposes"'))).toMatchObject({ ok: false })
})

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

test('an export of a ledger that is not sealed yet is a page that says so', async () => {
  const other = await signedInAdmin(gate, (await gate.account()).account, 'fresh@example.com')
  const page = await other.open('/console/ledger/export')
  expect([page.status, page.headers.get('content-disposition')]).toEqual([409, null])
  expect(page.html).toContain('not sealed yet')
})

test('witnesses that sign no more do not keep a ledger at the last seal that they signed', async () => {
  const { db } = gate.deps
  const of = open.account.account
  const before = (await readSealedTo(db, of)).seq
  await appendTo(gate.database, of, 2)
  await sealLedgers(gate.deps)
  // A seal with a witness is worth more for a while than a newer one without.
  expect(await readSealedTo(db, of)).toMatchObject({ seq: before, witnesses: ['witness.example/w1'] })
  await asOwner(
    gate.database,
    `update gate_private.epoch_seal set at = at - interval '61 minutes'
    where size in (select size from gate_private.epoch_cosignature)`,
  )
  const after = await readSealedTo(db, of)
  expect(after.seq).toBeGreaterThan(before)
  expect(after.witnesses).toEqual([])
})

test('a refusal of the sealer is shown on the overview and the ledger, to the account it is about', async () => {
  const other = await signedInAdmin(gate, (await gate.account()).account)
  await gate.database.asSuperuser(`
    insert into gate_private.seal_fault (account_id, problem)
    values ('${open.account.account}', 'seq 4 is <b>missing</b>')`)
  for (const path of ['/console', '/console/ledger']) {
    expect((await admin.open(path)).html).toContain('This account: seq 4 is &lt;b&gt;missing')
    expect((await other.open(path)).html).not.toContain('seq 4')
  }
})
