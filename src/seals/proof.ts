import type { ProvenEntry, SealParts } from '../db/queries/ledger/seals.ts'
import { epochLeaf } from './epoch.ts'
import { inclusionPath } from './inclusion-path.ts'
import { leafHash, provesInclusion } from './merkle.ts'
import { parseCheckpoint } from './note.ts'
import { splitHashes } from './tiled-tree.ts'
import { type PlacedLeaf, type UpperPath, pathThrough } from './upper-path.ts'

/** What cannot be proven, because what is stored does not make what was signed. */
export class BrokenTree extends Error {}

const header = 'c2sp.org/tlog-proof@v1'

interface Tree {
  size: number
  root: Buffer
  frontier: Buffer
  parts: Buffer | null
}

/** The path of a leaf. It is checked before it is given away. @throws BrokenTree */
function pathOf(index: number, hash: Buffer, { size, root, frontier, parts }: Tree): Buffer[] {
  const path = inclusionPath(index, { size, hashes: splitHashes(frontier) }, parts)
  if (provesInclusion({ index, hash }, { size, root }, path)) return path
  throw new BrokenTree(`leaf ${index} is not in the tree of ${size} that was signed`)
}

/** A C2SP tlog-proof. @param extra  bytes that it carries without proving them */
function tlogProof(extra: Buffer, index: number, path: Buffer[], note: string): string {
  const lines = [header, `extra ${extra.toString('base64')}`, `index ${index}`]
  return `${[...lines, ...path.map((hash) => hash.toString('base64'))].join('\n')}\n\n${note}`
}

/** A seal, ready to prove entries: with the proof that an epoch has it, where a published one does. */
export interface ProvingSeal extends Pick<SealParts, 'state' | 'size' | 'root' | 'frontier'> {
  /** The first entry that it proves, while the state is this one. */
  provesFrom: number
  /** The checkpoint of the account. */
  note: string
  epochProof: string | undefined
}

/** @throws BrokenTree where the epoch does not have the seal */
export function provingSeal(account: string, parts: SealParts): ProvingSeal {
  const { state, proves_from: provesFrom, size, root, frontier, note } = parts
  return { state, provesFrom, size, root, frontier, note, epochProof: epochProof(account, parts) }
}

function epochProof(account: string, seal: SealParts): string | undefined {
  if (seal.epoch_note === null) return undefined
  const { size, root } = parseCheckpoint(seal.epoch_note)!
  const leaf = leafHash(epochLeaf(seal.salt, account, seal))
  const tree = { size, root, frontier: seal.epoch_frontier!, parts: seal.epoch_parts }
  return tlogProof(seal.salt, seal.leaf, pathOf(seal.leaf, leaf, tree), seal.epoch_note)
}

/** The path of an entry, which is checked before it is given away. @throws BrokenTree, MissingLeaves */
export function entryPath(seq: number, { hash, parts }: ProvenEntry, seal: ProvingSeal): Buffer[] {
  return pathOf(seq - 1, leafHash(hash), { ...seal, parts })
}

/** The same where it is known what stands above its tile. @throws BrokenTree */
export function entryPathThrough(upper: UpperPath, leaf: PlacedLeaf, { hash, parts }: ProvenEntry): Buffer[] {
  const path = parts && pathThrough(upper, leaf, leafHash(hash), parts)
  if (path) return path
  throw new BrokenTree(`leaf ${leaf.index} is not in the tree that was signed`)
}

/**
 * The proof of an entry: its text, that the account's tree has it, and that an epoch has that tree.
 * @source packages/verify/README.md#proof-of-an-entry-tlog-proof
 */
export function entryProof(account: string, seq: number, { seal, entry, path }: ProvenPath): string {
  const { at, entry: text, prev } = entry
  const bundle = { v: 1, account, seq, at: at.toISOString(), entry: text, prev, epoch: seal.epochProof }
  return tlogProof(Buffer.from(JSON.stringify(bundle)), seq - 1, path, seal.note)
}

/** An entry with its path to a seal. */
export interface ProvenPath {
  seal: ProvingSeal
  entry: ProvenEntry
  path: Buffer[]
}
