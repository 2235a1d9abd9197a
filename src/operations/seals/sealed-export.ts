import { createHash } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { ledgerProof } from '../audit/ledger-proof.ts'
import { sealLine } from './ledger-proofs.ts'

/**
 * An account's ledger up to its last seal, with that seal, as one line after the other. The last line holds the digest of all before it.
 * @throws GateError `not_found`, `not_sealed`
 * @source packages/verify/README.md#sealed-export-jsonl
 */
export async function* sealedProof(
  { db }: Pick<Deps, 'db'>,
  account: string,
  archive?: string,
): AsyncGenerator<string> {
  const { size, ...seal } = await sealLine(db, account)
  const digest = createHash('sha256')
  let count = 0
  const take = (line: object): string => {
    const text = `${JSON.stringify(line)}\n`
    digest.update(text)
    count++
    return text
  }
  for await (const line of await ledgerProof({ db }, account, archive, size)) yield take(line)
  yield take(seal)
  yield `${JSON.stringify({ end: { lines: count, sha256: digest.digest('hex') } })}\n`
}
