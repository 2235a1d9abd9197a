import { randomUUID } from 'node:crypto'

/**
 * What every write of an administrator carries. The database composes its ledger entry.
 */
export interface AdminWrite {
  account: string
  /** SHA-256 of the token of the console session that it comes by; null: the command line. */
  session: Buffer | null
  /** Makes a repeat of the write change nothing. */
  eventId: string
}

/** A new write, by default from the command line. */
export const adminWrite = (account: string, session: Buffer | null = null): AdminWrite => ({
  account,
  session,
  eventId: randomUUID(),
})
