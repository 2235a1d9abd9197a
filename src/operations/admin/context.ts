import { type Db } from '../../db/connect.ts'
import { type AdminActor, adminEventsBy } from '../../ledger/admin-event.ts'

/** Which account is looked into. Whether whoever looks may is for the caller to say. */
export interface AccountContext {
  db: Db
  account: string
}

/** Whose account is administered, and by whom: what the command line and the console give to one and the same verb. */
export interface AdminContext extends AccountContext {
  by: AdminActor
  /** Hash of the session's token, which must hold at the write; null: the command line. */
  session: Buffer | null
}

/** What is written into the ledger of what is done here. */
export const eventsOf = ({ by }: AdminContext) => adminEventsBy(by)
