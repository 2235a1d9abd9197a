import type { Db } from '../../db/connect.ts'
import { epochHashes } from '../../db/queries/ledger/tiles.ts'
import { type Kept, kept } from '../../waiting/kept.ts'
import { consistencyRanges } from '../../seals/merkle.ts'
import { rootsOf } from '../../seals/tiled-tree.ts'
import { concurrencyLimit } from '../../waiting/concurrency-limit.ts'
import { pathText, requireRange } from './consistency.ts'

const epochPathsKeptMax = 1_000
const epochPathsKeptMs = 3_600_000

/** Proofs between epochs, which anyone may ask for: how many are made at once, and how many are kept, and for how long. */
const epochPathsAtOnceMax = 2

/** Anyone may ask: few are made at once, and those that were made are kept, for they never change. */
const fewAtOnce = concurrencyLimit(epochPathsAtOnceMax, 'Other proofs are being made.')
const madePaths = new WeakMap<Db, Kept<string>>()

function keptPaths(db: Db): Kept<string> {
  const known = madePaths.get(db)
  if (known) return known
  const made = kept<string>({ ms: epochPathsKeptMs, max: epochPathsKeptMax })
  madePaths.set(db, made)
  return made
}

/**
 * The proof that the epoch of size `to` goes on from that of size `from`: a line for each hash, in base64.
 * @param range.to  absent: the last one
 * @param last  the size of the last published epoch
 * @throws GateError `invalid`, `unavailable`
 */
export async function readEpochConsistency(
  db: Db,
  range: { from: number; to?: number | undefined },
  last: number,
): Promise<string> {
  const { from, to } = requireRange(range, last)
  const paths = keptPaths(db)
  const name = `${from} ${to}`
  const known = paths.get(name)
  if (known) return known.value
  const text = pathText(await fewAtOnce(db, () => rootsOf(epochHashes(db), to, consistencyRanges(from, to))))
  paths.keep(name, text)
  return text
}
