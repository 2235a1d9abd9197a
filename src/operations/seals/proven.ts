import type { Db } from '../../db/connect.ts'
import { type ProvenEntry, readProofParts } from '../../db/queries/ledger/seals.ts'
import { type Kept, kept } from '../../kept.ts'
import { limits } from '../../limits.ts'
import { type ProvingSeal, provingSeal } from '../../seals/proof.ts'

/** The seals that proved something last, of each account one: most proofs are by the last seal of a ledger. */
const provingSeals = new WeakMap<Db, Kept<ProvingSeal>>()

function keptSeals(db: Db): Kept<ProvingSeal> {
  const known = provingSeals.get(db)
  if (known) return known
  const made = kept<ProvingSeal>({ ms: limits.provingSealsKeptMs, max: limits.provingSealsKeptMax })
  provingSeals.set(db, made)
  return made
}

/**
 * An entry and the seal that proves it; undefined where it is not sealed. The database says each time which seal that is: one that
 * was kept is not read again, and never old.
 * @param seq  null: the last seal, without an entry
 * @throws BrokenTree
 */
export async function readProven(
  db: Db,
  account: string,
  seq: number | null,
): Promise<{ seal: ProvingSeal; entry: ProvenEntry | null } | undefined> {
  const seals = keptSeals(db)
  const known = seals.get(account)?.value
  const found = await readProofParts(db, account, seq, known)
  if (!found) return undefined
  if (found.seal === null) return { seal: known!, entry: found.entry }
  const seal = provingSeal(account, found.seal)
  seals.keep(account, seal)
  return { seal, entry: found.entry }
}
