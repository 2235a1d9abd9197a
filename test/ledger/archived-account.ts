import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, connect } from '../../src/db/connect.ts'
import type { ArchivedPart } from '../../src/db/queries/ledger/archive.ts'
import { readManifest } from '../../src/ledger/archive/archive-manifest.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { verifyArchive } from '../../src/ledger/archive/verify-archive.ts'
import { type Archived, archiveLedger } from '../../src/operations/maintenance/archive-ledger.ts'
import type { TestDatabase } from '../support/database.ts'

/** An archive of one account's ledger, in files of five entries. */
export interface TestArchive {
  /** The folder of the archive, and the account's folder in it. */
  root: string
  folder: string
  owner: Db
  /** Archives everything that has ended. */
  run(given?: { owner?: Db; before?: Date; entriesPerFile?: number }): Promise<Archived>
  parts(): ArchivedPart[]
  /** The names of the files with entries. */
  files(): string[]
  manifestLines(): string[]
  /** The archive and the database together. */
  verifyTogether(): ReturnType<typeof verifyLedger>
  verifyAlone(): ReturnType<typeof verifyArchive>
}

export function archiveFor(database: TestDatabase, account: string): TestArchive {
  const root = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'archive-'))
  const folder = join(root, account)
  const owner = connect(database.ownerUrl, { applicationName: 'gate test archive', connectionsMax: 1 })
  const manifest = () => {
    const read = readManifest(folder)
    if ('place' in read) throw new Error(`${read.place}: ${read.problem}`)
    return read
  }
  return {
    root,
    folder,
    owner,
    run: (given = {}) =>
      archiveLedger(account, {
        db: database.db,
        owner: given.owner ?? owner,
        folder: root,
        before: given.before ?? new Date(Date.now() + 60_000),
        entriesPerFile: given.entriesPerFile ?? 5,
      }),
    parts: () => manifest().parts,
    files: () =>
      readdirSync(folder)
        .filter((name) => name !== 'manifest.jsonl')
        .toSorted(),
    manifestLines: () => readFileSync(join(folder, 'manifest.jsonl'), 'utf8').split('\n').slice(0, -1),
    verifyTogether: () => verifyLedger(database.db, account, { archive: root }),
    verifyAlone: () => verifyArchive(folder),
  }
}
