import type { Db } from '../../connect.ts'

/** Files of one account's archive: a thousand million entries. */
const archiveFilesMax = 100_000

/** A file of an archive: the entries from `first_seq` to `last_seq`, which the database no longer has. Hashes in hex. */
export interface ArchivedPart {
  first_seq: number
  last_seq: number
  /** The hash of the entry `last_seq`. */
  hash: string
  /** SHA-256 of the file. */
  file: string
}

/** A part as the database recorded it. */
export interface RecordedPart extends ArchivedPart {
  /** SHA-256 of the manifest up to the line of this part. */
  manifest: string
}

/** The archived parts of an account's ledger, oldest first. */
export async function listArchived(db: Db, account: string): Promise<RecordedPart[]> {
  return db.read<RecordedPart>(
    (sql) => sql`
      select a.* from gate.tenant(${account}) t(id),
      lateral (
        select first_seq, last_seq, encode(hash, 'hex') as hash, encode(file, 'hex') as file,
          encode(manifest, 'hex') as manifest
        from gate.ledger_archive
        where account_id = t.id
        order by ledger_archive.first_seq
        limit ${archiveFilesMax}
      ) a
      order by a.first_seq`,
  )
}

/** The last archived entry of an account's ledger; 0 if none is archived. */
export async function readArchivedTo(db: Db, account: string): Promise<number> {
  const rows = await db.read<{ seq: number }>(
    (sql) => sql`
      select a.* from gate.tenant(${account}) t(id),
      lateral (select coalesce(max(last_seq), 0) as seq from gate.ledger_archive where account_id = t.id offset 0) a`,
  )
  return rows[0]!.seq
}

/**
 * The last entry that may be archived with all before it.
 * @param owner  the database as its owner
 */
export async function readArchivableTo(owner: Db, account: string, before: Date): Promise<number> {
  const rows = await owner.read<{ seq: number }>(
    (sql) => sql`select gate_private.archivable_to(p_account => ${account}, p_before => ${before}) as seq`,
  )
  return rows[0]!.seq
}

/**
 * Records which file holds some entries, and deletes them, at once. Refused unless the file is the one that they make.
 * @param owner  the database as its owner: the service's role may not do this
 */
export async function archiveEntries(
  owner: Db,
  account: string,
  part: RecordedPart,
  before: Date,
): Promise<void> {
  await owner.run(
    (sql) => sql`
      select gate_private.archive_entries(
        p_account => ${account}, p_first => ${part.first_seq}, p_last => ${part.last_seq}, p_before => ${before},
        p_file => decode(${part.file}, 'hex'), p_manifest => decode(${part.manifest}, 'hex'))`,
  )
}
