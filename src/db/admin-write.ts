import { randomUUID } from 'node:crypto'

/** The fields of every write by an administrator. The database composes the ledger entry. */
export interface AdminWrite {
  account: string
  /** SHA-256 of the token of the console session; null: the command line. */
  session: Buffer | null
  /** Makes the write idempotent. */
  eventId: string
}

/** A new write; from the command line by default. */
export const adminWrite = (account: string, session: Buffer | null = null): AdminWrite => ({
  account,
  session,
  eventId: randomUUID(),
})
