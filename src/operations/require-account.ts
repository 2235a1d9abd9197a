import type { Db } from '../db/connect.ts'
import { type LedgerHead, readHead } from '../db/queries/ledger/ledger.ts'
import { GateError } from '../errors.ts'

/** @throws GateError `not_found`: an empty list would suggest that the account exists */
export async function requireAccount(db: Db, account: string): Promise<void> {
  await requireHead(db, account)
}

/** The head of an account's chain. @throws GateError `not_found` */
export async function requireHead(db: Db, account: string): Promise<LedgerHead> {
  const head = await readHead(db, account)
  if (!head) throw noAccount(account)
  return head
}

export function noAccount(account: string): GateError {
  return new GateError('not_found', `Account ${account} was not found.`)
}
