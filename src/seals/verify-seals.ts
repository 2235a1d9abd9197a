import type { Db } from '../db/connect.ts'
import { type LastSeal, readLastSeal, readLog, readSealWork } from '../db/queries/ledger/sealing.ts'
import { ledgerHashes } from '../db/queries/ledger/tiles.ts'
import type { Finding } from '../ledger/checker.ts'
import type { Witnessing } from '../ledger/verify.ts'
import { isOfLog } from './checkpoints.ts'
import { readHeldEpoch } from './held-epoch.ts'
import { type LogKeys, readLogKeys } from './log-keys.ts'
import { type Frontier, emptyFrontier, extend, leafHash, rootOf } from './merkle.ts'
import { rollbackProblem } from './rollback.ts'
import { leavesFinding } from './verify-leaves.ts'
import { logPlace } from './log-place.ts'
import type { SealerDeps } from './sealer-deps.ts'
import { MissingLeaves, leafHashes, splitHashes, tileWidth } from './tiled-tree.ts'

type VerifyDeps = Pick<SealerDeps, 'db' | 'config'>

/**
 * Holds the entries of a ledger against its last seal: that none is missing at its end, and that all of them make the root that
 * was signed. Then the leaves of the epochs against the seals, and the epochs against what is recorded outside of the database.
 * @param leavesMax  the epochs of a service with more leaves are not read whole
 */
export async function sealWitnessing(
  deps: VerifyDeps,
  account: string,
  leavesMax = Infinity,
): Promise<Witnessing> {
  const { seal, sealedByEpochs } = await readLastSeal(deps.db, account)
  const keys = readLogKeys(logPlace(deps.config, (await readLog(deps.db)).log))
  const size = seal?.size ?? 0
  let tree: Frontier = emptyFrontier
  let waiting: Buffer[] = []
  const grow = () => {
    tree = extend(tree, waiting)
    waiting = []
  }
  return {
    take({ seq, hash }) {
      if (seq > size) return
      waiting.push(leafHash(Buffer.from(hash, 'hex')))
      if (waiting.length === tileWidth) grow()
    },
    async finding() {
      grow()
      if (sealedByEpochs !== size)
        return at('seal', `it was sealed at seq ${sealedByEpochs}, but its last seal is of seq ${size}`)
      const found =
        seal &&
        ((await entriesFinding(deps.db, account, seal, tree)) ??
          (await noteFinding(deps.db, account, seal, keys)))
      return found ?? (await leavesFinding(deps.db, account, leavesMax)) ?? logFinding(deps)
    },
  }
}

const at = (place: string, problem: string): Finding => ({ place, problem })

async function entriesFinding(
  db: Db,
  account: string,
  { size, root }: LastSeal,
  tree: Frontier,
): Promise<Finding | null> {
  if (tree.size < size) return at(`seq ${tree.size + 1}`, `it is missing: seq ${size} was sealed`)
  if (rootOf(tree).toString('hex') === root) return null
  const seq = await firstChanged(db, account, size)
  return seq === null
    ? at('seal', `the entries up to seq ${size} are not those that were sealed`)
    : at(`seq ${seq}`, 'it is not the entry that was sealed')
}

/** The first entry that differs from the stored tiles; null where they do not tell. */
async function firstChanged(db: Db, account: string, size: number): Promise<number | null> {
  const stored = ledgerHashes(db, account)
  for (let n = 0; (n + 1) * tileWidth <= size; n++) {
    const [tile] = await stored.tiles([{ level: 0, n }])
    const found = await leafHashes(stored, n * tileWidth, (n + 1) * tileWidth).catch(unlessMissing)
    if (!tile || !found) continue
    const i = splitHashes(tile.hashes).findIndex((hash, k) => !hash.equals(found[k]!))
    if (i >= 0) return n * tileWidth + i + 1
  }
  return null
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof MissingLeaves)) throw error
}

async function noteFinding(
  db: Db,
  account: string,
  { size, root, note }: LastSeal,
  keys: LogKeys | undefined,
): Promise<Finding | null> {
  if (note === null) return null
  const { epoch } = await readSealWork(db, { accountsMax: 1, isAll: false })
  // Without a key of the log, no signature tells: only whether the epochs have the seal.
  const known = { keys: keys ?? { all: [], lostTo: Infinity }, epoch }
  if (await isOfLog(db, { account, size, root, note }, known)) return null
  return at('seal', `the seal of seq ${size} does not have the signature of the log`)
}

/** Findings about the log as a whole: whether the database goes on from what is recorded outside of it. */
async function logFinding(deps: VerifyDeps): Promise<Finding | null> {
  const problem = await logProblem(deps)
  return problem === null ? null : at('log', problem)
}

/** Why the sealer refuses to go on with all ledgers, as it said or as this process sees it; null: it does not. */
export async function logProblem({ db, config }: VerifyDeps): Promise<string | null> {
  const { log, epoch, faults } = await readSealWork(db, { accountsMax: 1, isAll: false })
  const rollback = await rollbackProblem(db, epoch, readHeldEpoch(logPlace(config, log).stateFolder))
  return rollback ?? faults.find(({ account }) => account === '')?.problem ?? null
}
