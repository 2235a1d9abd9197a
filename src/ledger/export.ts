import type { Db } from '../db/connect.ts'
import { type RecordedPart, listArchived, readArchivedTo } from '../db/queries/ledger/archive.ts'
import { type LedgerRow, readHashes, readHead } from '../db/queries/ledger/ledger.ts'
import { archiveOf } from './archive/archive-manifest.ts'
import { fileFinding, linksOf } from './archive/archive-reading.ts'
import type { Link } from './chain.ts'
import { entryPages } from './entry-pages.ts'
import { GateError } from '../errors.ts'

/** The first line of an export: the account and the head that the following lines must reach. */
export interface ExportHeader {
  v: 1
  account: string
  /** The number of entries that follow; `hash` is the hash of the last. */
  seq: number
  hash: string
  exported_at: string
}

/**
 * The current ledger of an account: the header, then every entry, oldest first. It can be verified without the database.
 * @param archive  the folder with the entries that were archived
 * @param upTo  the last entry; absent, or in a file of the archive: up to the head
 * @returns undefined if the account does not exist
 * @throws GateError `conflict` if entries are archived and no folder is given
 * @source docs/cli.md#verify-the-ledger
 */
export async function exportLedger(
  db: Db,
  account: string,
  archive?: string,
  upTo?: number,
): Promise<AsyncIterable<ExportHeader | Link> | undefined> {
  const head = await readHead(db, account)
  if (!head) return undefined
  const hash = upTo === undefined ? undefined : (await readHashes(db, account, [upTo])).get(upTo)
  const parts = await listArchived(db, account)
  requireArchive(account, parts, archive)
  const header: ExportHeader = {
    v: 1,
    account,
    ...(upTo === undefined || hash === undefined ? { seq: head.seq, hash: head.hash } : { seq: upTo, hash }),
    exported_at: head.now.toISOString(),
  }
  return lines(db, header, { parts, folder: archiveOf(archive ?? '', account) })
}

/** @throws GateError `conflict` if entries are archived and no folder of an archive is given */
export function requireArchive(account: string, parts: RecordedPart[], archive: string | undefined): void {
  const last = parts.at(-1)
  if (!last || archive !== undefined) return
  throw new GateError(
    'conflict',
    `Entries 1 to ${last.last_seq} of this ledger are archived. Use the command line with the folder of the archive, for example \`gate ledger verify --account ${account} --archive FOLDER\`.`,
  )
}

/** @throws GateError `conflict` if more is archived than these parts: what was read of the database may lack it */
export async function refuseArchivedMeanwhile(db: Db, account: string, parts: RecordedPart[]): Promise<void> {
  if ((await readArchivedTo(db, account)) === (parts.at(-1)?.last_seq ?? 0)) return
  throw new GateError(
    'conflict',
    `Entries of ${account} were archived while its ledger was read. Run the command again.`,
  )
}

/** An entry as it is exported. Pure. */
export function toLink(row: LedgerRow): Link {
  const { seq, at, kind, action_id, entry, prev, hash } = row
  return { seq, at: at.toISOString(), kind, action_id, entry, prev, hash }
}

async function* lines(
  db: Db,
  header: ExportHeader,
  archive: { parts: RecordedPart[]; folder: string },
): AsyncGenerator<ExportHeader | Link> {
  yield header
  yield* archivedLines(archive)
  let after = archive.parts.at(-1)?.last_seq ?? 0
  for await (const page of entryPages(db, header.account, { after, upTo: header.seq })) {
    if (page[0]?.seq !== after + 1) await refuseArchivedMeanwhile(db, header.account, archive.parts)
    for (const row of page) yield toLink(row)
    after = page.at(-1)?.seq ?? after
  }
}

async function* archivedLines({
  parts,
  folder,
}: {
  parts: RecordedPart[]
  folder: string
}): AsyncGenerator<Link> {
  for (const part of parts) {
    const fault = fileFinding(folder, part)
    if (fault) throw new GateError('conflict', `${fault.place} in ${folder}: ${fault.problem}.`)
    for await (const link of linksOf(folder, part)) if (link) yield link
  }
}
