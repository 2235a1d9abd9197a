import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { archiveEntries, readArchivableTo } from '../../src/db/queries/ledger/archive.ts'
import { pageEntries, readHead } from '../../src/db/queries/ledger/ledger.ts'
import type { Deps } from '../../src/deps.ts'
import { sha256 } from '../../src/ledger/digest.ts'
import { toLink } from '../../src/ledger/export.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type TestArchive, archiveFor } from './archived-account.ts'
import { type Lived, depsOf, livedAccount, livedSeq } from './lived-account.ts'
import { testRows } from '../support/rows.ts'

let database: TestDatabase
let deps: Deps
let service: postgres.Sql
let owner: postgres.Sql
let lived: Lived
let archive: TestArchive
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
  service = postgres(database.serviceUrl, { max: 1 })
  owner = postgres(database.ownerUrl, { max: 1 })
})
const setUp = async () => {
  if (archive) await archive.owner.close()
  lived = await livedAccount(deps)
  archive = archiveFor(database, lived.account)
}
beforeEach(setUp)
afterAll(async () => {
  await archive.owner.close()
  rmSync(archive.root, { recursive: true, force: true })
  await service.end()
  await owner.end()
  await deps.close()
  await database.drop()
})

const soon = () => new Date(Date.now() + 60_000)
const zeros = '0'.repeat(64)

const textOf = async (first: number, last: number): Promise<string> => {
  const page = { after: first - 1, upTo: last, limitRows: 100 }
  const rows = await pageEntries(database.db, lived.account, page)
  return rows.map((row) => `${JSON.stringify(toLink(row))}\n`).join('')
}

const step = async (first: number, last: number, file?: string, before = soon()) => {
  const made = file ?? sha256(await textOf(first, last)).toString('hex')
  const part = { first_seq: first, last_seq: last, hash: zeros, file: made, manifest: zeros }
  await archiveEntries(archive.owner, lived.account, part, before)
}

const unchanged = async () => {
  expect(await readHead(database.db, lived.account)).toMatchObject({ seq: livedSeq, last_seq: livedSeq })
  const [count] = await database.asSuperuser(
    `select count(*) from gate.ledger where account_id = '${lived.account}'`,
  )
  expect(count).toEqual({ count: String(livedSeq) })
}

test("the service's role archives nothing, deletes nothing and records nothing", async () => {
  const bytes = `'\\x${zeros}'::bytea`
  for (const text of [
    `select gate_private.archive_entries('${lived.account}', 1, 5, now(), ${bytes}, ${bytes})`,
    `select gate_private.archivable_to('${lived.account}', now())`,
    `insert into gate.ledger_archive (account_id, first_seq, last_seq, hash, file, manifest) values ('${lived.account}', 1, 5, ${bytes}, ${bytes}, ${bytes})`,
    `select gate.tenant('${lived.account}'); delete from gate.ledger`,
  ])
    await expect(service.unsafe(text)).rejects.toMatchObject({ code: '42501' })
  await unchanged()
})

test('no function that the service may call reaches the one that archives', async () => {
  const callers = await database.asSuperuser(`
    select p.oid::regprocedure::text as name from pg_proc p
    where p.pronamespace in ('gate'::regnamespace, 'gate_private'::regnamespace)
      and p.proname <> 'archive_entries'
      and (p.prosrc like '%archive_entries%' or pg_get_function_sqlbody(p.oid) like '%archive_entries%')`)
  expect(callers).toEqual([])
})

testRows<[string, () => Promise<void>]>(
  [
    ['a file with other content', () => step(1, 5, sha256('x').toString('hex'))],
    ['a file of other entries', async () => step(1, 5, sha256(await textOf(1, 4)).toString('hex'))],
    ['entries in the middle', () => step(2, 5)],
    ['no entries', () => step(1, 0)],
    ['the entries of an open proposal', () => step(1, livedSeq)],
    ['entries that are too recent', () => step(1, 5, undefined, new Date(0))],
    ['more entries than a file has', () => step(1, 10_001)],
    ['entries beyond the end', () => step(1, 100)],
  ],
  [setUp],
)('the owner cannot archive what does not fit', async (_, archived) => {
  await expect(archived()).rejects.toMatchObject({ code: '23514' })
  await unchanged()
})

test('a step that is repeated does nothing more, and one that overlaps is refused', async () => {
  const file = sha256(await textOf(1, 5)).toString('hex')
  await step(1, 5)
  await step(1, 5, file)
  expect(await readHead(database.db, lived.account)).toMatchObject({ seq: livedSeq + 1 })
  await expect(step(1, 5, zeros)).rejects.toMatchObject({ code: '23514' })
  await expect(step(5, 8)).rejects.toMatchObject({ code: '23514' })
})

test('not even the owner deletes an entry that no file holds, nor what records the files', async () => {
  await archive.run()
  const appendOnly = { code: '42501' }
  const as = (text: string) => owner.unsafe(`select gate.tenant('${lived.account}'); ${text}`)
  await expect(as(`delete from gate.ledger where seq = ${livedSeq}`)).rejects.toMatchObject(appendOnly)
  await expect(as('delete from gate.ledger_archive')).rejects.toMatchObject(appendOnly)
  await expect(as('update gate.ledger_archive set last_seq = 900')).rejects.toMatchObject(appendOnly)
  await expect(owner.unsafe('truncate gate.ledger_archive')).rejects.toMatchObject(appendOnly)
  await expect(
    database.asSuperuser(`set session_replication_role = replica; delete from gate.ledger`),
  ).rejects.toMatchObject({ message: 'the ledger is append-only' })
  await database.asSuperuser('set session_replication_role = origin')
  expect(await archive.verifyTogether()).toMatchObject({ ok: true })
})

test('the file is byte for byte what the database makes of the entries, whatever they contain', async () => {
  const hard = '"\\\\ \b\f\n\r\t \u0001\u001f\u007f\u0080 é 漢 😀 \u2028 </script>'
  const data = JSON.stringify({ text: hard })
  await database.asSuperuser(
    `select gate_private.note('${lived.account}', gen_random_uuid(), 'write_refused', null, 'x', null, '${data.replaceAll("'", "''")}'::jsonb)`,
  )
  await lived.cancel(5)
  await archive.run()
  const text = archive
    .files()
    .map((name) => readFileSync(join(archive.folder, name), 'utf8'))
    .join('')
  expect(text).toContain('漢 😀')
  expect(await archive.verifyTogether()).toMatchObject({ ok: true })
})

test('an archive holds no uuid of a check, by which its member could be guessed', async () => {
  await archive.run()
  const [row] = await database.asSuperuser(
    `select uuid from gate.action where account_id = '${lived.account}' and id = 1`,
  )
  for (const name of archive.files())
    expect(readFileSync(join(archive.folder, name), 'utf8')).not.toContain(String(row!['uuid']))
})

test('the entries that may be archived end before the first open action', async () => {
  expect(await readArchivableTo(archive.owner, lived.account, soon())).toBe(livedSeq - 1)
  await lived.cancel(5)
  expect(await readArchivableTo(archive.owner, lived.account, soon())).toBe(livedSeq + 1)
})
