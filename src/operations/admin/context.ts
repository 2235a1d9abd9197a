import { type Db } from '../../db/connect.ts'
import { type AdminActor, adminEventsBy } from '../../ledger/admin-event.ts'

/** Whose account is administered, and by whom: what the command line and the console give to one and the same verb. */
export interface AdminContext {
  db: Db
  account: string
  by: AdminActor
}

/** What is written into the ledger of what is done here. */
export const eventsOf = ({ by }: AdminContext) => adminEventsBy(by)
