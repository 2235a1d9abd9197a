import { type KeyRow, listKeys } from '../../db/queries/accounts/keys.ts'
import { GateError } from '../../errors.ts'
import type { AccountContext } from '../admin-context.ts'

/** One key. @throws GateError `not_found` */
export async function readKey({ db, account }: AccountContext, keyId: string): Promise<KeyRow> {
  const key = (await listKeys(db, account)).find(({ key_id }) => key_id === keyId)
  if (!key) throw noKey(keyId)
  return key
}

export const noKey = (keyId: string) =>
  new GateError('not_found', `Key ${keyId} was not found in this account.`)
