import type { Db } from '../db/connect.ts'
import { type AdminWrite, adminWrite } from '../db/admin-write.ts'

/** The account to read. The caller checks the permission to read it. */
export interface AccountContext {
  db: Db
  account: string
}

/** The account to change and the session that changes it. Shared by the command line and the console. */
export interface AdminContext extends AccountContext {
  /** SHA-256 of an administrator's session token; null: the command line. Each write checks that it is still valid. */
  session: Buffer | null
}

/** The common fields of an administrator's write. */
export const writeOf = ({ account, session }: AdminContext): AdminWrite => adminWrite(account, session)
