import type { Db } from '../../db/connect.ts'
import { readProvenEntry, readSealParts } from '../../db/queries/ledger/seals.ts'
import { type Kept, kept } from '../../waiting/kept.ts'
import { pathPlaces } from '../../seals/inclusion-path.ts'
import { leafHash } from '../../seals/merkle.ts'
import {
  type ProvenPath,
  type ProvingSeal,
  entryPath,
  entryPathThrough,
  provingSeal,
} from '../../seals/proof.ts'
import { type UpperPath, lowerPlaces, upperName, upperPath } from '../../seals/upper-path.ts'

/**
 * Seals that a process keeps to prove entries with, one an account; paths above 4,096 entries, up to 0.2 MB each; and for how long
 * they are used.
 */
const provingSealsKeptMax = 200
const provingPathsKeptMax = 200
const provingSealsKeptMs = 600_000

/** What proved something last: most proofs are by the last seal of a ledger. */
interface KeptParts {
  /** One seal for each account. */
  seals: Kept<ProvingSeal>
  /** Their upper paths, by name: a name has the root of the tree. */
  uppers: Kept<UpperPath>
}

const provingSeals = new WeakMap<Db, KeptParts>()

function keptParts(db: Db): KeptParts {
  const known = provingSeals.get(db)
  if (known) return known
  const ms = provingSealsKeptMs
  const made: KeptParts = {
    seals: kept({ ms, max: provingSealsKeptMax }),
    uppers: kept({ ms, max: provingPathsKeptMax }),
  }
  provingSeals.set(db, made)
  return made
}

/**
 * An entry and the seal that proves it; undefined where it is not sealed. `entry` null: it is not in the database. A seal that was
 * kept is used where the database says with the entry that nothing was published since: so it is never old.
 * @throws BrokenTree
 */
export async function readProven(
  db: Db,
  account: string,
  seq: number,
): Promise<ProvenPath | { entry: null } | undefined> {
  const { seals } = keptParts(db)
  const known = seals.get(account)?.value
  if (known && known.provesFrom <= seq && seq <= known.size) {
    const found = await readBy(known, db, account, seq)
    if (found.state === known.state) return found.proven()
  }
  const seal = await readProvingSeal(db, account, seq)
  if (!seal) return undefined
  seals.keep(account, seal)
  return (await readBy(seal, db, account, seq)).proven()
}

/** Reads an entry, and of its path what is not kept. */
async function readBy(seal: ProvingSeal, db: Db, account: string, seq: number) {
  const { uppers } = keptParts(db)
  const leaf = { index: seq - 1, root: seal.root, places: pathPlaces(seq - 1, seal.size) }
  const name = upperName(leaf)
  const upper = name === undefined ? undefined : uppers.get(name)?.value
  const { state, entry } = await readProvenEntry(db, account, seq, upper ? lowerPlaces(leaf) : leaf.places)
  return {
    state,
    proven(): ProvenPath | { entry: null } {
      if (entry === null) return { entry }
      if (upper) return { seal, entry, path: entryPathThrough(upper, leaf, entry) }
      const path = entryPath(seq, entry, seal)
      if (name !== undefined) uppers.keep(name, upperPath(leaf, leafHash(entry.hash), path, entry.parts!))
      return { seal, entry, path }
    },
  }
}

/** The seal that proves an entry; undefined where it is not sealed. @param seq  null: the last one */
export async function readProvingSeal(
  db: Db,
  account: string,
  seq: number | null,
): Promise<ProvingSeal | undefined> {
  const parts = await readSealParts(db, account, seq)
  return parts && provingSeal(account, parts)
}
