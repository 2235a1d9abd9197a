import type { Db } from '../../db/connect.ts'
import { type AdminWrite, adminWrite } from '../../db/admin-write.ts'

/** Which account is looked into. Whether whoever looks may is for the caller to say. */
export interface AccountContext {
  db: Db
  account: string
}

/** Whose account is administered, and by whom: what the command line and the console give to one and the same verb. */
export interface AdminContext extends AccountContext {
  /** SHA-256 of the token of an administrator's session; null: the command line. Each write checks that it still holds. */
  session: Buffer | null
}

/** Begins a write by whoever administers. */
export const writeOf = ({ account, session }: AdminContext): AdminWrite => adminWrite(account, session)
