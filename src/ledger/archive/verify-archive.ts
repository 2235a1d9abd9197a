import type { Anchor } from '../anchor.ts'
import { readManifest } from './archive-manifest.ts'
import { archiveRecords, followArchive } from './archive-reading.ts'
import { type Finding, ledgerChecker } from '../checker.ts'
import type { Verdict } from '../verify.ts'

/**
 * Verifies the archive of an account alone, up to its end: the manifest, the digest of every file, every hash, the states of
 * every action, and that entries which record an archived part match the files. Needs no database.
 * @param folder  the account's folder of the archive
 * @param anchors  heads of the chain that were stored elsewhere
 * @source docs/operating.md#archive-a-ledger
 */
export async function verifyArchive(folder: string, anchors: Anchor[] = []): Promise<Verdict> {
  const manifest = readManifest(folder)
  if ('place' in manifest) return { account: '', seq: 0, hash: '', ok: false, ...manifest }
  const { account, parts } = manifest
  const records = archiveRecords(account, parts)
  const checker = ledgerChecker(account, { anchors, onEntry: records.take })
  const end = { seq: parts.at(-1)?.last_seq ?? 0, hash: parts.at(-1)?.hash ?? '' }
  const fault: Finding | null =
    (await followArchive(folder, parts, checker)) ?? checker.endsAt(end, true) ?? records.finding()
  return fault ? { account, ...end, ok: false, ...fault } : { account, ...end, ok: true }
}
