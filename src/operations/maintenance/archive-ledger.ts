import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../../db/connect.ts'
import {
  type RecordedPart,
  archiveEntries,
  listArchived,
  readArchivableTo,
} from '../../db/queries/ledger/archive.ts'
import { GateError } from '../../errors.ts'
import { makeFolder, writeManifest, writePart } from '../../ledger/archive/archive-files.ts'
import { archiveOf, fileNameOf, manifestDigests } from '../../ledger/archive/archive-manifest.ts'
import { limits } from '../../limits.ts'
import { requireHead } from '../require-account.ts'

export interface Archived {
  account: string
  /** Entries and files of this run. */
  entries: number
  files: number
  /** The last archived entry; 0 if none is. */
  archived_to: number
  /** The account's folder of the archive. */
  folder: string
}

/**
 * Moves the old entries of an account's ledger into files, one file a step. A step first writes the file and then the
 * manifest, and reads back what it wrote; only then one statement records the digests and deletes the entries. So a run that
 * is killed at any point is repeated: what was recorded stays, and the rest is still in the database.
 * @param given.owner  the database as its owner: the service's role can delete no entry
 * @param given.folder  the folder of the archive, with a folder for each account
 * @param given.before  entries from then on stay, and so do all from the first entry of an action that has not ended
 * @param given.entriesPerFile  at most; fewer only in tests
 * @throws GateError `not_found`, or `conflict` if the folder lacks what was archived before
 */
export async function archiveLedger(
  account: string,
  given: { db: Db; owner: Db; folder: string; before: Date; entriesPerFile?: number },
): Promise<Archived> {
  const { db, owner, before, entriesPerFile = limits.archiveEntriesPerFile } = given
  await requireHead(db, account)
  const folder = archiveOf(given.folder, account)
  const parts = await listArchived(db, account)
  const archivedBefore = parts.at(-1)?.last_seq ?? 0
  const filesBefore = parts.length
  requireFiles(folder, parts)
  makeFolder(folder)
  const upTo = await readArchivableTo(owner, account, before)
  try {
    for (let firstSeq = archivedBefore + 1; firstSeq <= upTo; firstSeq = parts.at(-1)!.last_seq + 1) {
      const part = await writePart(db, account, folder, { firstSeq, upTo, entriesPerFile })
      const manifest = manifestDigests(account, [...parts, part]).at(-1)!
      writeManifest(folder, account, [...parts, part])
      await archiveEntries(owner, account, { ...part, manifest }, before)
      parts.push({ ...part, manifest })
    }
  } finally {
    // The database's record is the truth, also where another run came first.
    writeManifest(folder, account, await listArchived(db, account))
  }
  const archivedTo = parts.at(-1)?.last_seq ?? 0
  return {
    account,
    entries: archivedTo - archivedBefore,
    files: parts.length - filesBefore,
    archived_to: archivedTo,
    folder,
  }
}

// One archive has all of a ledger. Their content is checked by `ledger verify`.
function requireFiles(folder: string, parts: RecordedPart[]): void {
  const missing = parts.map(fileNameOf).find((name) => !existsSync(join(folder, name)))
  if (missing === undefined) return
  throw new GateError(
    'conflict',
    `${folder} does not have ${missing}, which was archived before. Give the folder of that archive. Nothing was archived.`,
  )
}
