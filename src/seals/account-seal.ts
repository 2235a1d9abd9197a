import type { Db } from '../db/connect.ts'
import { pageEntries } from '../db/queries/ledger/ledger.ts'
import type { StoredTile, UnsealedAccount } from '../db/queries/ledger/seals.ts'
import { ledgerHashes } from '../db/queries/ledger/tiles.ts'
import { chainStart, linkHash } from '../ledger/chain.ts'
import { toLink } from '../ledger/export.ts'
import { limits } from '../limits.ts'
import { isOurs } from './checkpoints.ts'
import { storedFrontier } from './frontier-bytes.ts'
import type { LogKeys } from './log-keys.ts'
import { type Frontier, emptyFrontier, extend, leafHash, rootOf } from './merkle.ts'
import { MissingLeaves, fullTiles } from './tiled-tree.ts'

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
 * @param entriesMax  at most so many are sealed now
 */
export async function nextSeal(
  db: Db,
  unsealed: UnsealedAccount,
  keys: LogKeys,
  entriesMax: number,
): Promise<NextSeal | Refusal> {
  const { account, size: was } = unsealed
  const lost = lossIn(unsealed)
  if (lost !== null) return { account, problem: lost }
  const before = frontierOf(unsealed, keys)
  if (typeof before === 'string') return { account, problem: before }
  if (unsealed.archived_to > was) {
    return {
      account,
      problem: `entries ${was + 1} to ${unsealed.archived_to} were archived before they were sealed. Run \`gate ledger seal --account ${account} --archive FOLDER\` once`,
    }
  }
  const upTo = Math.min(unsealed.seq, was + entriesMax)
  const read = await readLinks(db, account, { after: was, upTo, prev: unsealed.hash ?? chainStart })
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

function frontierOf({ size, root, frontier, note }: UnsealedAccount, keys: LogKeys): Frontier | string {
  if (size === 0) return emptyFrontier
  const stored = storedFrontier({ size, root: root!, frontier: frontier! })
  if (!stored) return `its last seal, at seq ${size}, was changed`
  if (note === null) return stored
  const whose = isOurs(note, keys, { size, root: root! })
  const isTold = whose === 'ours' || (whose === 'foreign' && keys.lostTo > 0)
  return isTold ? stored : `its last seal, at seq ${size}, does not have the signature of the log`
}

/** Reads entries as links of the chain. @returns their hashes, or what is wrong with the first bad one */
async function readLinks(
  db: Db,
  account: string,
  range: { after: number; upTo: number; prev: string },
): Promise<{ hashes: Buffer[] } | string> {
  const hashes: Buffer[] = []
  let [seq, prev] = [range.after, range.prev]
  while (seq < range.upTo) {
    const page = await pageEntries(db, account, {
      after: seq,
      upTo: range.upTo,
      limitRows: limits.ledgerEntriesPerPage,
    })
    if (page.length === 0) return `seq ${seq + 1} is missing`
    for (const row of page) {
      const link = toLink(row)
      if (link.seq !== seq + 1) return `seq ${seq + 1} is missing`
      if (link.prev !== prev) return `the prev of seq ${link.seq} is not the hash of seq ${seq}`
      if (link.hash !== linkHash(account, link))
        return `the hash of seq ${link.seq} does not match its content`
      hashes.push(Buffer.from(link.hash, 'hex'))
      ;[seq, prev] = [link.seq, link.hash]
    }
  }
  return { hashes }
}
