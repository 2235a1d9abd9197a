import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Db } from '../../db/connect.ts'
import type { ArchivedPart } from '../../db/queries/ledger/archive.ts'
import { pageEntries } from '../../db/queries/ledger/ledger.ts'
import { limits } from '../../limits.ts'
import { fileNameOf, manifestName, manifestText, textOf } from './archive-manifest.ts'
import { digestOf } from './archive-reading.ts'
import { sha256 } from '../digest.ts'
import { toLink } from '../export.ts'

const archiveFileCharsMax = 16_777_216

/** Makes the account's folder of an archive, to stay after the machine lost power. */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  syncFolder(dirname(folder))
}

/**
 * Writes the next file of an archive: entries from `firstSeq` on, at most up to `upTo`, as many as one file may have (10,000
 * at most).
 * The file is on disk, and was read back, when this returns.
 * @param folder  the account's folder of the archive
 */
export async function writePart(
  db: Db,
  account: string,
  folder: string,
  { firstSeq, upTo, entriesPerFile }: { firstSeq: number; upTo: number; entriesPerFile: number },
): Promise<ArchivedPart> {
  const last = Math.min(upTo, firstSeq + entriesPerFile - 1)
  const { text, lastSeq, hash } = await partText(db, account, { firstSeq, last })
  const part = { first_seq: firstSeq, last_seq: lastSeq, hash, file: sha256(text).toString('hex') }
  const file = join(folder, fileNameOf(part))
  writeDurably(file, text)
  if (digestOf(file) !== part.file) throw new Error(`${file} does not hold what was written to it.`)
  return part
}

async function partText(
  db: Db,
  account: string,
  { firstSeq, last }: { firstSeq: number; last: number },
): Promise<{ text: string; lastSeq: number; hash: string }> {
  let [text, lastSeq, hash] = ['', firstSeq - 1, '']
  while (lastSeq < last && text.length < archiveFileCharsMax) {
    const page = await pageEntries(db, account, {
      after: lastSeq,
      upTo: last,
      limitRows: limits.ledgerEntriesPerPage,
    })
    if (page.length === 0) throw new Error(`Seq ${lastSeq + 1} of ${account} is missing: verify the ledger.`)
    text += page.map((row) => `${JSON.stringify(toLink(row))}\n`).join('')
    lastSeq = page.at(-1)!.seq
    hash = page.at(-1)!.hash
  }
  return { text, lastSeq, hash }
}

/** Writes the manifest of an archive, unless it is the same already. */
export function writeManifest(folder: string, account: string, parts: ArchivedPart[]): void {
  const text = manifestText(account, parts)
  if (text !== textOf(folder)) writeDurably(join(folder, manifestName), text)
}

/** Whole or not at all, and still there after the machine lost power. */
function writeDurably(file: string, text: string): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  const handle = openSync(temporary, 'wx', 0o600)
  try {
    writeFileSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temporary, file)
  syncFolder(dirname(file))
}

// The name of a file is in its folder, which is written separately.
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
