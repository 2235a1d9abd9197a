import { type KeyRow, revokeKey as revoke } from '../../db/queries/accounts/keys.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { readKey, noKey } from './read-key.ts'

/** Revokes a key: its next request is refused. A revoked key stays unchanged. @throws GateError `not_found` */
export async function revokeKey(context: AdminContext, keyId: string): Promise<KeyRow> {
  const isFound = await revoke(context.db, { ...writeOf(context), keyId })
  if (!isFound) throw noKey(keyId)
  return readKey(context, keyId)
}
