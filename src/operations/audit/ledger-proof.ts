import type { LedgerHead } from '../../db/queries/ledger/ledger.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import type { Anchor } from '../../ledger/anchor.ts'
import type { Link } from '../../ledger/chain.ts'
import { type ExportHeader, exportLedger } from '../../ledger/export.ts'
import { type Verdict, verifyLedger } from '../../ledger/verify.ts'
import { limits } from '../../limits.ts'
import { sealWitnessing } from '../../seals/verify-seals.ts'
import { concurrencyLimit } from '../../waiting/concurrency-limit.ts'
import { noAccount, requireHead } from '../require-account.ts'

/** Parallel verifications on pages. */
const verifiesAtOnceMax = 1

/** An account's ledger, to verify it elsewhere. @throws GateError `not_found` */
export async function ledgerProof(
  { db }: Pick<Deps, 'db'>,
  account: string,
  archive?: string,
  upTo?: number,
): Promise<AsyncIterable<ExportHeader | Link>> {
  const lines = await exportLedger(db, account, archive, upTo)
  if (!lines) throw noAccount(account)
  return lines
}

/** Verifies every hash, every action and every grant of authority, and the seals. @throws GateError `not_found` */
export async function verdictOf(
  deps: Pick<Deps, 'db' | 'config'>,
  account: string,
  {
    anchors = [],
    archive,
    leavesMax,
  }: { anchors?: Anchor[]; archive?: string | undefined; leavesMax?: number } = {},
): Promise<Verdict> {
  const witnessing = await sealWitnessing(deps, account, leavesMax)
  const verdict = await verifyLedger(deps.db, account, { anchors, archive, witnessing })
  if (!verdict) throw noAccount(account)
  return verdict
}

/** Whether a ledger is short enough to be verified for a page. Pure. */
export const isShortEnough = ({ seq }: Pick<LedgerHead, 'seq'>): boolean =>
  seq <= limits.verifyOnPageEntriesMax

/**
 * The same for a page, within limits.
 * @throws GateError `conflict` where the ledger is too long, `unavailable` while another ledger is verified
 */
export async function verdictForPage(deps: Pick<Deps, 'db' | 'config'>, account: string): Promise<Verdict> {
  const head = await requireHead(deps.db, account)
  if (!isShortEnough(head)) throw new GateError('conflict', tooLong(account))
  return oneAtATime(deps.db, () => verdictOf(deps, account, { leavesMax: limits.verifyOnPageEntriesMax }))
}

const oneAtATime = concurrencyLimit(verifiesAtOnceMax, 'Another ledger is being verified.')

const tooLong = (account: string) =>
  `This ledger has more than ${limits.verifyOnPageEntriesMax} entries. Verify it with \`gate ledger verify --account ${account}\`, or download the proof.`
