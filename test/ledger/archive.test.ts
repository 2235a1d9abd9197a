import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../../src/db/connect.ts'
import { finishAction } from '../../src/db/queries/actions/execution.ts'
import type { ArchivedPart } from '../../src/db/queries/ledger/archive.ts'
import { readHead } from '../../src/db/queries/ledger/ledger.ts'
import type { Deps } from '../../src/deps.ts'
import { keepAnchors } from '../../src/ledger/anchors-file.ts'
import { fileNameOf, manifestDigests, manifestText } from '../../src/ledger/archive/archive-manifest.ts'
import { type Link, chainStart, linkHash } from '../../src/ledger/chain.ts'
import { sha256 } from '../../src/ledger/digest.ts'
import { exportLedger } from '../../src/ledger/export.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { verifyExport } from '../../src/ledger/verify-file.ts'
import { actionTimeline } from '../../src/operations/audit/action-timeline.ts'
import { browseAudit, readEntry } from '../../src/operations/audit/audit-log.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type TestArchive, archiveFor } from './archived-account.ts'
import { fullAccount } from './full-account.ts'
import { type Lived, depsOf, livedAccount, livedSeq } from './lived-account.ts'
import { whileTampered } from './tampered.ts'
import { testRows } from '../support/rows.ts'

let database: TestDatabase
let deps: Deps
let lived: Lived
let archive: TestArchive
const opened: TestArchive[] = []
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
})
const setUp = async () => {
  lived = await livedAccount(deps)
  archive = archiveOf(lived.account)
}
beforeEach(setUp)
afterAll(async () => {
  for (const { owner, root } of opened) {
    await owner.close()
    rmSync(root, { recursive: true, force: true })
  }
  await deps.close()
  await database.drop()
})

function archiveOf(account: string): TestArchive {
  const made = archiveFor(database, account)
  opened.push(made)
  return made
}

const storedSeqs = async (account = lived.account): Promise<number[]> => {
  const rows = await database.asSuperuser(
    `select seq from gate.ledger where account_id = '${account}' order by seq`,
  )
  return rows.map(({ seq }) => Number(seq))
}

const fromTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)

async function exported(account: string, folder?: string): Promise<object[]> {
  const lines: object[] = []
  for await (const line of (await exportLedger(database.db, account, folder))!) lines.push(line)
  return lines
}

// The open proposal of livedAccount is told by the last entry.
const lastEnded = livedSeq - 1

test('an archived ledger verifies together with the database, alone up to its end, and by its export', async () => {
  const before = await exported(lived.account)
  expect(await archive.run()).toMatchObject({ entries: lastEnded, files: 4, archived_to: lastEnded })
  // The open proposal stays, and one entry for each file.
  expect(await storedSeqs()).toEqual(fromTo(livedSeq, livedSeq + 4))
  const last = archive.parts().at(-1)!
  expect(await archive.verifyTogether()).toMatchObject({ ok: true, seq: livedSeq + 4 })
  expect(await archive.verifyAlone()).toEqual({
    account: lived.account,
    ok: true,
    seq: lastEnded,
    hash: last.hash,
  })
  const after = await exported(lived.account, archive.root)
  expect(after.slice(1, livedSeq + 1)).toEqual(before.slice(1))
  const file = join(archive.root, 'export.jsonl')
  writeFileSync(file, after.map((line) => `${JSON.stringify(line)}\n`).join(''))
  expect(await verifyExport(file)).toMatchObject({ ok: true, seq: livedSeq + 4 })
})

test('an account with rows of every fate verifies with its archive, and goes on into the same archive', async () => {
  const full = await fullAccount(deps)
  const its = archiveOf(full.account)
  for (const id of [full.rows.open, full.rows.asked]) await full.cancel(id)
  // The running one and all after it stay.
  await its.run()
  expect(await its.verifyTogether()).toMatchObject({ ok: true })
  for (const id of [full.rows.running, full.rows.edited])
    await finishAction(database.db, {
      account: full.account,
      id,
      status: 'executed',
      result: JSON.stringify({ outcome: 'unknown', slack: 0, email: 0, unreachable: 0 }),
      closedReason: null,
      eventId: randomUUID(),
      delivered: [],
    })
  const { seq } = (await readHead(database.db, full.account))!
  expect(await its.run()).toMatchObject({ archived_to: seq })
  expect(await its.verifyTogether()).toMatchObject({ ok: true })
  expect(await its.verifyAlone()).toMatchObject({ ok: true, seq })
})

test('entries that are too recent stay, and so does everything from the first entry of an open action', async () => {
  expect(await archive.run({ before: new Date(0) })).toMatchObject({ entries: 0, archived_to: 0 })
  expect(await storedSeqs()).toEqual(fromTo(1, livedSeq))
  await archive.run()
  expect(await archive.run()).toMatchObject({ entries: 0, archived_to: lastEnded })
  await lived.cancel(5)
  expect((await archive.run()).archived_to).toBeGreaterThan(livedSeq)
  expect(await archive.verifyTogether()).toMatchObject({ ok: true })
})

/** The owner's connection of a run that is killed: at this point nothing more of it happens. */
function killed(at: 'before the statement' | 'after the statement'): { owner: Db; reached: Promise<void> } {
  let tell = () => {}
  const reached = new Promise<void>((resolve) => (tell = resolve))
  const owner: Db = {
    ...archive.owner,
    async run(statement) {
      if (at === 'after the statement') await archive.owner.run(statement)
      tell()
      return new Promise(() => {})
    },
  }
  return { owner, reached }
}

test.each(['before the statement', 'after the statement'] as const)(
  'a run that is killed %s is repeated: nothing is lost, nothing is there twice',
  async (at) => {
    const before = await exported(lived.account)
    const { owner, reached } = killed(at)
    void archive.run({ owner })
    await reached
    expect(archive.files()).toHaveLength(1)
    expect(await storedSeqs()).toEqual(
      at === 'before the statement' ? fromTo(1, livedSeq) : fromTo(6, livedSeq + 1),
    )
    expect(await archive.verifyTogether()).toMatchObject({ ok: true })
    await archive.run()
    expect(archive.files()).toHaveLength(4)
    expect(await archive.verifyTogether()).toMatchObject({ ok: true, seq: livedSeq + 4 })
    expect((await exported(lived.account, archive.root)).slice(1, livedSeq + 1)).toEqual(before.slice(1))
  },
)

test('a run that is killed before the manifest names the file is repeated', async () => {
  const { owner, reached } = killed('before the statement')
  void archive.run({ owner })
  await reached
  rmSync(join(archive.folder, 'manifest.jsonl'))
  await archive.run()
  expect(archive.files()).toHaveLength(4)
  expect(await archive.verifyTogether()).toMatchObject({ ok: true })
})

test('a repeat with other bounds leaves a file that nobody reads', async () => {
  const { owner, reached } = killed('before the statement')
  void archive.run({ owner, entriesPerFile: 3 })
  await reached
  await archive.run()
  expect(archive.files()).toHaveLength(5)
  expect(archive.parts()).toHaveLength(4)
  expect(await archive.verifyTogether()).toMatchObject({ ok: true })
  expect(await archive.verifyAlone()).toMatchObject({ ok: true })
})

test('two runs at once leave whole what either archived', async () => {
  const ends = await Promise.allSettled([archive.run(), archive.run()])
  expect(ends.some(({ status }) => status === 'fulfilled')).toBe(true)
  await archive.run()
  expect(await archive.verifyTogether()).toMatchObject({ ok: true })
  expect(await archive.verifyAlone()).toMatchObject({ ok: true })
  expect(archive.parts().at(-1)).toMatchObject({ last_seq: lastEnded })
})

const edit = (name: string, change: (text: string) => string) => {
  const file = join(archive.folder, name)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

testRows<[string, (names: string[]) => void, (names: string[]) => string]>(
  [
    [
      'an edited file',
      ([, second]) => edit(second!, (text) => text.replace('guarded', 'Guarded')),
      ([, second]) => `file ${second}`,
    ],
    [
      'a file with two entries swapped',
      ([first]) =>
        edit(first!, (text) => {
          const [a, b, ...rest] = text.split('\n')
          return [b, a, ...rest].join('\n')
        }),
      ([first]) => `file ${first}`,
    ],
    [
      'a cut file',
      ([, second]) => edit(second!, (text) => text.slice(0, -40)),
      ([, second]) => `file ${second}`,
    ],
    [
      'a missing file',
      ([, , third]) => rmSync(join(archive.folder, third!)),
      ([, , third]) => `file ${third}`,
    ],
    [
      'two files in the place of each other',
      ([first, second]) => {
        const [a, b, c] = [first!, second!, 'c'].map((name) => join(archive.folder, name)) as [
          string,
          string,
          string,
        ]
        copyFileSync(a, c)
        renameSync(b, a)
        renameSync(c, b)
      },
      ([first]) => `file ${first}`,
    ],
    [
      'two lines of the manifest swapped',
      () =>
        edit('manifest.jsonl', (text) => {
          const [head, a, b, ...rest] = text.split('\n')
          return [head, b, a, ...rest].join('\n')
        }),
      () => 'manifest.jsonl line 2',
    ],
    [
      'an edited line of the manifest',
      () => edit('manifest.jsonl', (text) => text.replace('"last_seq":10', '"last_seq":9')),
      () => 'manifest.jsonl line 3',
    ],
    [
      'another account in the manifest',
      () => edit('manifest.jsonl', (text) => text.replace(lived.account, 'acct_0000000000000000')),
      () => 'manifest.jsonl line 1',
    ],
    ['a missing manifest', () => rmSync(join(archive.folder, 'manifest.jsonl')), () => 'manifest.jsonl'],
  ],
  [setUp],
)('a forged archive is found and named', async (name, forge, place) => {
  await archive.run()
  const names = archive.files()
  forge(names)
  expect(await archive.verifyTogether()).toMatchObject({ ok: false, place: place(names) })
  // An archive alone does not know for which account it was made: the first hash does.
  const alone = name.startsWith('another account') ? 'seq 1' : place(names)
  expect(await archive.verifyAlone()).toMatchObject({ ok: false, place: alone })
})

test('a manifest that was cut at its end is found with the database, and by an anchor', async () => {
  await archive.run()
  edit('manifest.jsonl', (text) => `${text.split('\n').slice(0, -2).join('\n')}\n`)
  expect(await archive.verifyTogether()).toMatchObject({ ok: false, place: 'manifest.jsonl line 5' })
})

/** Writes files and manifest again, in files of `size` entries, as anyone with write access to the archive can. */
function forge(size: number, change: (link: Link) => Link): ArchivedPart[] {
  const names = archive.parts().map((part) => join(archive.folder, fileNameOf(part)))
  let prev = chainStart
  const links = names
    .flatMap((name) => readFileSync(name, 'utf8').split('\n').filter(Boolean))
    .map((line) => {
      const link = change({ ...(JSON.parse(line) as Link), prev })
      prev = linkHash(lived.account, link)
      return { ...link, hash: prev }
    })
  const parts: ArchivedPart[] = []
  for (let from = 0; from < links.length; from += size) {
    const own = links.slice(from, from + size)
    const text = own.map((link) => `${JSON.stringify(link)}\n`).join('')
    const file = sha256(text).toString('hex')
    const part = { first_seq: own[0]!.seq, last_seq: own.at(-1)!.seq, hash: own.at(-1)!.hash, file }
    writeFileSync(join(archive.folder, fileNameOf(part)), text)
    parts.push(part)
  }
  writeFileSync(join(archive.folder, 'manifest.jsonl'), manifestText(lived.account, parts))
  return parts
}

test('an archive that was forged as a whole is found by the database, also with its records changed', async () => {
  await archive.run()
  const parts = forge(5, (link) =>
    link.seq === 4 ? { ...link, entry: link.entry.replace('guarded_write', 'write') } : link,
  )
  expect(await archive.verifyAlone()).toMatchObject({ ok: true })
  expect(await archive.verifyTogether()).toMatchObject({ ok: false, place: 'manifest.jsonl line 2' })
  const digests = manifestDigests(lived.account, parts)
  const updates = parts.map(
    ({ first_seq, hash, file }, i) =>
      `update gate.ledger_archive set hash = '\\x${hash}', file = '\\x${file}', manifest = '\\x${digests[i]}' where $ours and first_seq = ${first_seq}`,
  )
  await whileRecordsChanged(updates, async () =>
    expect(await archive.verifyTogether()).toMatchObject({ ok: false, place: `seq ${livedSeq}` }),
  )
})

test('files that are divided otherwise are found by the entries that record them', async () => {
  await archive.run()
  await lived.cancel(5)
  await archive.run()
  expect(await archive.verifyAlone()).toMatchObject({ ok: true })
  forge(6, (link) => link)
  expect(await archive.verifyAlone()).toMatchObject({ ok: false, place: `seq ${livedSeq + 1}` })
})

test('a record of the database that was changed or added is found', async () => {
  await archive.run()
  const forged = `update gate.ledger_archive set manifest = sha256('x') where $ours and first_seq = 6`
  await whileRecordsChanged([forged], async () =>
    expect(await archive.verifyTogether()).toMatchObject({ ok: false, place: 'archive' }),
  )
  expect(await archive.verifyTogether()).toMatchObject({ ok: true })
})

/** The table of the records refuses changes even from a superuser, until its triggers are switched off. */
async function whileRecordsChanged(statements: string[], look: () => Promise<void>): Promise<void> {
  const triggers = (how: string) =>
    ['append_only', 'no_truncate'].map(
      (name) => `alter table gate.ledger_archive ${how} trigger ledger_archive_${name}`,
    )
  await database.asSuperuser(triggers('disable').join(';'))
  const text = statements.join(';')
  await whileTampered(database, lived.account, 'gate.ledger_archive', text, look)
  await database.asSuperuser(triggers('enable always').join(';'))
}

testRows(
  [
    [
      'status',
      'gate.action',
      `update gate.action set status = 'denied', denial_reason = 'no' where $ours and id = 3`,
      'action 3',
    ],
    [
      'payload',
      'gate.action',
      `update gate.action set payload = '{"message":"Dinner"}' where $ours and id = 2`,
      'action 2',
    ],
    [
      'delivery',
      'gate.delivery',
      `update gate.delivery set states = array['failed'] where $ours`,
      'action 2',
    ],
    [
      'check',
      'gate.action',
      `update gate.action set tier_at_request = 'write' where $ours and id = 1`,
      'action 1',
    ],
    [
      'member',
      'gate.member',
      `update gate.member set admin_tier = 'write' where $ours and email = 'ada@example.com'`,
      'member $ada',
    ],
  ],
  [setUp],
)('a row whose entries are archived is still compared with them', async (_, table, statement, place) => {
  await archive.run()
  await whileTampered(database, lived.account, table, statement, async () =>
    expect(await archive.verifyTogether()).toMatchObject({
      ok: false,
      place: place.replace('$ada', lived.ada),
    }),
  )
  expect(await archive.verifyTogether()).toMatchObject({ ok: true })
})

test('without the folder of the archive, verification and export are refused and say so', async () => {
  await archive.run()
  const refused = { code: 'conflict', message: expect.stringContaining(`Entries 1 to ${lastEnded}`) }
  await expect(verifyLedger(database.db, lived.account)).rejects.toMatchObject(refused)
  await expect(exportLedger(database.db, lived.account)).rejects.toMatchObject(refused)
})

test('a verification or an export that meets a run of the archive says so, and calls no entry missing', async () => {
  const meeting = (): Db => {
    let reads = 0
    // After the head and the list of archived parts were read.
    const read: Db['read'] = async (statement) => {
      if (++reads === 3) await archive.run()
      return database.db.read(statement)
    }
    return { ...database.db, read }
  }
  const refused = { code: 'conflict', message: expect.stringContaining('were archived while') }
  await expect(verifyLedger(meeting(), lived.account, { archive: archive.root })).rejects.toMatchObject(
    refused,
  )
  await lived.cancel(5)
  const lines = (await exportLedger(meeting(), lived.account, archive.root))!
  const readAll = async () => {
    for await (const _ of lines);
  }
  await expect(readAll()).rejects.toMatchObject(refused)
})

test('a run into another folder than before is refused and moves nothing', async () => {
  await archive.run()
  await lived.cancel(5)
  const head = await readHead(database.db, lived.account)
  const elsewhere = archiveOf(lived.account)
  await expect(elsewhere.run()).rejects.toMatchObject({ code: 'conflict' })
  expect(await readHead(database.db, lived.account)).toMatchObject({ seq: head!.seq, hash: head!.hash })
})

test('actions stay readable, and say that entries are not shown', async () => {
  await archive.run()
  expect(await actionTimeline(deps, lived.account, 2)).toMatchObject({
    row: { status: 'executed' },
    entries: [],
    isCut: true,
  })
  expect(await actionTimeline(deps, lived.account, 5)).toMatchObject({ isCut: false })
  await expect(readEntry(database.db, lived.account, 3)).rejects.toMatchObject({
    message: expect.stringContaining('Entry 3 is archived'),
  })
  const filter = { group: 'all', actor: null, from: new Date(0), to: null, before: null } as const
  const { entries } = await browseAudit(database.db, lived.account, filter)
  expect(entries.map(({ seq }) => seq)).toEqual(fromTo(livedSeq, livedSeq + 4).toReversed())
})

test('anchors of archived entries are counted apart, and the last of a file is compared', async () => {
  const lines = await exported(lived.account)
  const anchorAt = (seq: number) => lines[seq] as { seq: number; hash: string }
  const file = join(archive.root, 'anchors.jsonl')
  const keep = (...anchors: { seq: number; hash: string }[]) => {
    const at = new Date().toISOString()
    const kept = anchors.map(({ seq, hash }) => JSON.stringify({ account: lived.account, seq, hash, at }))
    writeFileSync(file, `${kept.join('\n')}\n`)
    return keepAnchors(database.db, file, [])
  }
  await archive.run()
  expect(await keep(anchorAt(3), anchorAt(5), anchorAt(livedSeq))).toMatchObject({
    compared: 2,
    archived: 1,
    faults: [],
  })
  const forged = { seq: 5, hash: '0'.repeat(64) }
  expect(await keep(forged)).toMatchObject({ faults: [{ place: lived.account }] })
  expect(
    await verifyLedger(database.db, lived.account, { anchors: [anchorAt(3)], archive: archive.root }),
  ).toMatchObject({
    ok: true,
  })
  expect(
    await verifyLedger(database.db, lived.account, {
      anchors: [{ seq: 3, hash: forged.hash }],
      archive: archive.root,
    }),
  ).toMatchObject({ ok: false, place: 'anchor' })
})
