import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { csvLines } from '../../src/console/files.ts'
import { allEntries } from '../../src/operations/audit/audit-log.ts'
import { allActions } from '../../src/operations/audit/browse-ledger.ts'
import { type Visitor, signedInAdmin, startConsole } from '../support/console.ts'
import type { OpenBroadcast, TestGate } from '../support/gate.ts'
import { testRows } from '../support/rows.ts'

let gate: TestGate
let open: OpenBroadcast
let admin: Visitor
beforeAll(async () => {
  gate = await startConsole()
  open = await gate.openBroadcast()
  const { account, client, actor } = open
  for (const message of ['Lunch, "soon";=2+2', '\u202ewon@\u202c', 'Zoë’s'])
    await client.propose(actor, message)
  await client.cancel(open.id, actor)
  admin = await signedInAdmin(gate, account.account)
}, 60_000)
afterAll(() => gate.stop())

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

async function rowsOf(path: string): Promise<Record<string, string>[]> {
  const { status, html, headers } = await admin.open(path)
  expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/csv; charset=utf-8'])
  expect(headers.get('content-disposition')).toMatch(
    /^attachment; filename="(actions|ledger)-acct_\w+\.csv"$/,
  )
  return parse(html, { bom: true, columns: true })
}

/** The file that a page leads to. */
async function fileOf(page: string): Promise<string> {
  const { html } = await admin.open(page)
  return /href="([^"]+)" download/.exec(html)![1]!.replaceAll('&amp;', '&')
}

test('the file of actions has what the list shows, by its filters, under the names of REST', async () => {
  const path = await fileOf('/console/ledger?kind=broadcast&after=4')
  expect(path).toBe('/console/ledger.csv?kind=broadcast')
  const rows = await rowsOf(path)
  expect(
    rows.map(({ id, status, summary }) => [id, status, summary!.replace(/^Message to \d+ people: /, '')]),
  ).toEqual([
    ['4', 'proposed', 'Zoë’s'],
    ['3', 'proposed', '⟨U+202E⟩won@⟨U+202C⟩'],
    ['2', 'proposed', `Lunch, "soon";'=2+2`],
    ['1', 'cancelled', expect.any(String)],
  ])
  const shown = (await open.client.get(1)).body
  const [cancelled] = await rowsOf(`/console/ledger.csv?status=cancelled&member=${open.actor.email}`)
  for (const name of ['id', 'created_at', 'kind', 'member', 'requested_by', 'closed_reason'])
    expect([name, cancelled![name]]).toEqual([name, String(shown[name])])
  for (const nothing of ['kind=refund', 'member=nobody@example.com'])
    expect(await rowsOf(`/console/ledger.csv?${nothing}`)).toEqual([])
  for (const wrong of ['after=1', 'status=open'])
    expect([wrong, (await admin.open(`/console/ledger.csv?${wrong}`)).status]).toEqual([wrong, 422])
})

test('the file of the audit log has each entry of the list, with its hash', async () => {
  const path = await fileOf('/console/audit?group=actions')
  expect(path).toBe('/console/audit.csv?group=actions')
  const actions = await rowsOf(path)
  expect(actions.map(({ kind, action_id: id }) => [kind, id])).toEqual([
    ['cancelled', '1'],
    ['proposed', '4'],
    ['proposed', '3'],
    ['proposed', '2'],
    ['proposed', '1'],
  ])
  const all = await rowsOf('/console/audit.csv?group=all')
  expect(all.at(-1)).toMatchObject({ seq: '1', kind: 'account_created' })
  const { html } = await admin.open(`/console/audit/${all[0]!['seq']}`)
  expect(html).toContain(all[0]!['hash'])
})

test('the file of the audit log says which entries are in an archive, and how to read them', async () => {
  const { account } = open.account
  await gate.database.asSuperuser(
    `insert into gate.ledger_archive (account_id, first_seq, last_seq, hash, file, manifest) values ('${account}', 1, 2, 'x', 'x', 'x')`,
  )
  const rows = await rowsOf('/console/audit.csv')
  expect(rows.at(-1)).toMatchObject({
    seq: '',
    what: 'Entries 1 to 2 are archived and not in this file: see gate ledger export --archive FOLDER',
  })
})

test('a file of many reads has each row once', async () => {
  const { account } = open.account
  const filter = { member: null, from: null, to: null }
  const actions = async (limit: number) => {
    const of = { ...filter, kind: null, status: null, hasChecks: true, after: null }
    return (await all(allActions(gate.deps, account, of, limit))).map(({ id }) => id)
  }
  const entries = async (limit: number) => {
    const of = { ...filter, group: null, actor: null, before: null }
    return (await all(allEntries(gate.deps.db, account, of, limit))).map(({ entry }) => entry.seq)
  }
  for (const limit of [1, 2, 3, 4]) {
    expect([limit, await actions(limit)]).toEqual([limit, await actions(100)])
    expect([limit, await entries(limit)]).toEqual([limit, await entries(100)])
  }
  expect(await actions(2)).toEqual([4, 3, 2, 1])
})

// A spreadsheet runs nothing that is in a cell: neither where commas separate, nor where semicolons do.
testRows([
  ['=1+1', `'=1+1`],
  ['+1', `'+1`],
  ['-1', `'-1`],
  ['@sum', `'@sum`],
  [`''=1`, `'''=1`],
  ['a;=1', `"a;'=1"`],
  ['a;"=1', `"a;'""=1"`],
  ['a; b', '"a; b"'],
  ['a,b', '"a,b"'],
  ['a\n=b', 'a⟨U+000A⟩=b'],
  ['\t=1', '⟨U+0009⟩=1'],
  ['12.50', '12.50'],
])('a cell of a list is a text', async (cell, written) => {
  const rows = (async function* () {
    yield cell
  })()
  const lines = await all(csvLines({ name: (row: string) => row }, rows))
  expect(lines).toEqual(['name\r\n', `${written}\r\n`])
})
