import type { Db } from '../db/connect.ts'
import { listArchived } from '../db/queries/ledger/archive.ts'
import type { StoredSeal, StoredTile, UnsealedAccount } from '../db/queries/ledger/sealing.ts'
import { ledgerHashes } from '../db/queries/ledger/tiles.ts'
import { archiveOf } from '../ledger/archive/archive-manifest.ts'
import { fileFinding, linksOf } from '../ledger/archive/archive-reading.ts'
import { type Link, chainStart, linkHash } from '../ledger/chain.ts'
import { entryPages } from '../ledger/entry-pages.ts'
import { toLink } from '../ledger/export.ts'
import { GateError } from '../errors.ts'
import { isOfLog } from './checkpoints.ts'
import { storedFrontier } from './frontier-bytes.ts'
import type { LogKeys } from './log-keys.ts'
import { type Frontier, emptyFrontier, extend, leafHash, rootOf } from './merkle.ts'
import { MissingLeaves, fullTiles, tileWidth } from './tiled-tree.ts'

/** The next seal of an account, not stored yet. */
export interface NextSeal {
  account: string
  was: number
  /** Hex. */
  hash: string
  root: Buffer
  frontier: Frontier
  tiles: StoredTile[]
}

/** Why an account cannot be sealed. */
export interface Refusal {
  account: string
  problem: string
}

/**
 * Extends an account's tree by its new entries. Each must have the hash of the entry before and of its own text, as the stored
 * seal must have the root of its frontier and our signature: so the new tree begins with the one that was sealed.
 * @param given.epoch  the last epoch that this process trusts. It decides about seals signed with a key that is lost
 * @param given.entriesMax  at most so many are sealed now
 * @param given.archive  the folder with entries that were archived before they were sealed
 */
export async function nextSeal(
  db: Db,
  unsealed: UnsealedAccount,
  given: { keys: LogKeys; epoch: StoredSeal | null; entriesMax: number; archive: string | undefined },
): Promise<NextSeal | Refusal> {
  const { account, size: was } = unsealed
  const problem = lossIn(unsealed) ?? archiveProblem(unsealed, given.archive)
  if (problem !== null) return { account, problem }
  const before = await frontierOf(db, unsealed, given)
  if (typeof before === 'string') return { account, problem: before }
  const upTo = endOf(unsealed, given.entriesMax)
  const range = { after: was, upTo, prev: unsealed.hash ?? chainStart }
  const links = linksAfter(db, unsealed, { upTo, archive: given.archive })
  const read = await hashesOf(account, links, range)
  if (typeof read === 'string') return { account, problem: read }
  const hash = read.hashes.at(-1)!.toString('hex')
  if (upTo === unsealed.seq && hash !== unsealed.head)
    return { account, problem: `the hash of seq ${upTo} is not that of the head of the chain` }
  const leaves = read.hashes.map(leafHash)
  const frontier = extend(before, leaves)
  try {
    const tiles = await fullTiles(ledgerHashes(db, account), before, leaves)
    return { account, was, hash, root: rootOf(frontier), frontier, tiles }
  } catch (error) {
    if (!(error instanceof MissingLeaves)) throw error
    return {
      account,
      problem: `${error.message}: entries up to seq ${was} were changed after they were sealed`,
    }
  }
}

/** What of a sealed ledger is gone; null: nothing. */
function lossIn({ seq, head, size, hash, by_epochs: told }: UnsealedAccount): string | null {
  if (told !== size) return `it was sealed at seq ${told}, but its last seal is of seq ${size}`
  if (seq < size) return `it ends at seq ${seq}, but was sealed at seq ${size}: entries are missing`
  if (seq === size && head !== hash) return `the hash of seq ${seq} is not the one that was sealed`
  return null
}

async function frontierOf(
  db: Db,
  { account, size, root, frontier, note }: UnsealedAccount,
  given: { keys: LogKeys; epoch: StoredSeal | null },
): Promise<Frontier | string> {
  if (size === 0) return emptyFrontier
  const stored = storedFrontier({ size, root: root!, frontier: frontier! })
  if (!stored) return `its last seal, at seq ${size}, was changed`
  if (note === null) return `its last seal, at seq ${size}, was stored and never signed`
  const isTold = await isOfLog(db, { account, size, root: root!, note }, given)
  return isTold ? stored : `its last seal, at seq ${size}, does not have the signature of the log`
}

/** Ends with a full tile where it is not the end of the ledger: what is left of a tile may be archived by then. */
const endOf = ({ seq, size }: UnsealedAccount, entriesMax: number): number =>
  size + entriesMax >= seq ? seq : size + entriesMax - ((size + entriesMax) % tileWidth)

/** Why entries that were archived cannot be sealed; null: they can, or there are none. */
function archiveProblem(
  { account, seq, size, archived_to: archivedTo }: UnsealedAccount,
  archive: string | undefined,
): string | null {
  if (archivedTo <= size) return null
  if (archive === undefined)
    return `entries ${size + 1} to ${archivedTo} were archived before they were sealed. Run \`gate ledger seal --archive FOLDER\` with the folder of the archive of ${account}`
  const tileEnd = Math.ceil(archivedTo / tileWidth) * tileWidth
  return seq >= tileEnd
    ? null
    : `entries up to seq ${archivedTo} were archived before they were sealed. They can be sealed once there is a seq ${tileEnd}`
}

/** The entries after the last seal, in order: from the archive, then from the database. */
async function* linksAfter(
  db: Db,
  { account, size, archived_to: archivedTo }: UnsealedAccount,
  { upTo, archive }: { upTo: number; archive: string | undefined },
): AsyncGenerator<Link> {
  if (archive !== undefined && archivedTo > size) {
    const folder = archiveOf(archive, account)
    for (const part of await listArchived(db, account)) {
      if (part.last_seq <= size || part.first_seq > upTo) continue
      const fault = fileFinding(folder, part)
      if (fault) throw new GateError('conflict', `${fault.place} in ${folder}: ${fault.problem}.`)
      for await (const link of linksOf(folder, part))
        if (link && link.seq > size && link.seq <= upTo) yield link
    }
  }
  for await (const page of entryPages(db, account, { after: Math.max(size, archivedTo), upTo }))
    for (const row of page) yield toLink(row)
}

/** Follows the chain. @returns the hashes, or what is wrong with the first bad link */
async function hashesOf(
  account: string,
  links: AsyncIterable<Link>,
  range: { after: number; upTo: number; prev: string },
): Promise<{ hashes: Buffer[] } | string> {
  const hashes: Buffer[] = []
  let [seq, prev] = [range.after, range.prev]
  for await (const link of links) {
    if (link.seq !== seq + 1) return `seq ${seq + 1} is missing`
    if (link.prev !== prev) return `the prev of seq ${link.seq} is not the hash of seq ${seq}`
    if (link.hash !== linkHash(account, link)) return `the hash of seq ${link.seq} does not match its content`
    hashes.push(Buffer.from(link.hash, 'hex'))
    ;[seq, prev] = [link.seq, link.hash]
  }
  return seq < range.upTo ? `seq ${seq + 1} is missing` : { hashes }
}
