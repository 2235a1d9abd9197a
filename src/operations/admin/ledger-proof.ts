import { createHash } from 'node:crypto'
import type { LedgerHead } from '../../db/queries/ledger/ledger.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import type { Anchor } from '../../ledger/anchor.ts'
import type { Link } from '../../ledger/chain.ts'
import { type ExportHeader, exportLedger } from '../../ledger/export.ts'
import { type Verdict, verifyWith } from '../../ledger/verify.ts'
import { limits } from '../../limits.ts'
import { sealWitnessing } from '../../seals/verify-seals.ts'
import { concurrencyLimit } from './concurrency-limit.ts'
import { noAccount, requireHead } from '../require-account.ts'
import { sealLine } from '../seals/ledger-proofs.ts'

/** An account's ledger, to verify it elsewhere. @throws GateError `not_found` */
export async function ledgerProof(
  { db }: Pick<Deps, 'db'>,
  account: string,
  archive?: string,
): Promise<AsyncIterable<ExportHeader | Link>> {
  const lines = await exportLedger(db, account, archive)
  if (!lines) throw noAccount(account)
  return lines
}

/**
 * An account's ledger with its last seal, as one line after the other. The last line holds the digest of all before it.
 * @throws GateError `not_found`, `not_sealed`
 * @source packages/verify/README.md#sealed-export-jsonl
 */
export async function* sealedProof(
  { db }: Pick<Deps, 'db'>,
  account: string,
  archive?: string,
): AsyncGenerator<string> {
  // Before the head: the seal is of no more entries than are exported.
  const seal = await sealLine(db, account)
  const digest = createHash('sha256')
  let count = 0
  const take = (line: object): string => {
    const text = `${JSON.stringify(line)}\n`
    digest.update(text)
    count++
    return text
  }
  for await (const line of await ledgerProof({ db }, account, archive)) yield take(line)
  yield take(seal)
  yield `${JSON.stringify({ end: { lines: count, sha256: digest.digest('hex') } })}\n`
}

/** Verifies every hash, every action and every grant of authority, and the seals. @throws GateError `not_found` */
export async function verdictOf(
  deps: Pick<Deps, 'db' | 'config'>,
  account: string,
  anchors: Anchor[] = [],
  archive?: string,
): Promise<Verdict> {
  const witnessing = await sealWitnessing(deps, account)
  const verdict = await verifyWith(deps.db, account, { anchors, archive, witnessing })
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
  return oneAtATime(deps.db, () => verdictOf(deps, account))
}

const oneAtATime = concurrencyLimit(limits.verifiesAtOnceMax, 'Another ledger is being verified.')

const tooLong = (account: string) =>
  `This ledger has more than ${limits.verifyOnPageEntriesMax} entries. Verify it with \`gate ledger verify --account ${account}\`, or download the proof.`
