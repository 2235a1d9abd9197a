import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ArchivedPart, RecordedPart } from '../../db/queries/ledger/archive.ts'
import { fileNameOf, manifestDigests, manifestName, manifestText, textOf } from './archive-manifest.ts'
import type { Link } from '../chain.ts'
import type { Checker, Finding, ParsedEntry } from '../checker.ts'
import { sha256 } from '../digest.ts'
import { entryLine, jsonLines } from '../verify-file.ts'

/** The SHA-256 of a file, in hex; undefined if there is none. */
export function digestOf(file: string): string | undefined {
  try {
    return sha256(readFileSync(file)).toString('hex')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** What is wrong with a file of an archive as a whole; null if nothing is. */
export function fileFinding(folder: string, part: ArchivedPart): Finding | null {
  const name = fileNameOf(part)
  const found = digestOf(join(folder, name))
  if (found === part.file) return null
  return {
    place: `file ${name}`,
    problem: found === undefined ? 'it is missing' : 'its content does not match its digest',
  }
}

/** The entries of a file, in order; undefined for a line that is none. */
export async function* linksOf(folder: string, part: ArchivedPart): AsyncGenerator<Link | undefined> {
  for await (const line of jsonLines(join(folder, fileNameOf(part)))) yield entryLine.safeParse(line).data
}

/**
 * Checks the files of an archive: each against its digest, then its entries as the next ones of the chain.
 * @param onLink  called for each valid entry
 */
export async function followArchive(
  folder: string,
  parts: ArchivedPart[],
  checker: Checker,
  onLink: (link: Link) => void = () => undefined,
): Promise<Finding | null> {
  for (const part of parts) {
    const fault = fileFinding(folder, part) ?? (await followFile(folder, part, checker, onLink))
    if (fault) return fault
  }
  return null
}

async function followFile(
  folder: string,
  part: ArchivedPart,
  checker: Checker,
  onLink: (link: Link) => void,
): Promise<Finding | null> {
  const place = `file ${fileNameOf(part)}`
  let hash = ''
  for await (const link of linksOf(folder, part)) {
    if (!link) return { place, problem: `the line of seq ${checker.seq + 1} is not an entry` }
    const fault = checker.check(link)
    if (fault) return { place: fault.place, problem: `${fault.problem} (${place})` }
    hash = link.hash
    onLink(link)
  }
  return checker.seq === part.last_seq && hash === part.hash
    ? null
    : { place, problem: `it ends at seq ${checker.seq}, and not as the manifest says` }
}

/** Compares the manifest of an archive with the parts that the database recorded. It may name more: see `archiveLedger`. */
export function manifestFinding(folder: string, account: string, parts: RecordedPart[]): Finding | null {
  const text = textOf(folder)
  if (text === undefined) return { place: manifestName, problem: `${folder} has no ${manifestName}` }
  const due = manifestText(account, parts).split('\n').slice(0, -1)
  const lines = text.split('\n')
  const n = due.findIndex((line, i) => line !== lines[i])
  if (n >= 0) {
    const what = n === 0 ? 'the account' : `file ${fileNameOf(parts[n - 1]!)}`
    return { place: `${manifestName} line ${n + 1}`, problem: `it does not name ${what}` }
  }
  const digests = manifestDigests(account, parts)
  const forged = parts.find(({ manifest }, i) => manifest !== digests[i])
  return forged
    ? {
        place: 'archive',
        problem: `its record of the file ${fileNameOf(forged)} does not match the manifest`,
      }
    : null
}

/** Compares the entries `ledger_archived` with the files that they record. */
export interface ArchiveRecords {
  take(link: Link, entry: ParsedEntry): void
  /** The first entry that records something else; null if there is none. */
  finding(): Finding | null
  /** How many of the parts are recorded. */
  readonly count: number
}

export function archiveRecords(account: string, parts: ArchivedPart[]): ArchiveRecords {
  const digests = manifestDigests(account, parts)
  let count = 0
  let fault: Finding | null = null
  return {
    take({ seq, kind }, { data = {} }) {
      if (kind !== 'ledger_archived') return
      const part = parts[count]
      const isTold =
        part !== undefined &&
        Object.entries({ ...part, manifest: digests[count] }).every(([name, value]) => data[name] === value)
      if (!isTold) fault ??= { place: `seq ${seq}`, problem: 'it does not match the archive' }
      count++
    },
    finding: () => fault,
    get count() {
      return count
    },
  }
}
