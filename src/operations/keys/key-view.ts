import type { KeyRow } from '../../db/queries/accounts/keys.ts'
import { directoryPower, runnerPower } from '../../keys/rights.ts'

/** A key in a list of the command line and of the administration API, without its secret. Pure. */
export const viewKey = (key: KeyRow) => ({
  key_id: key.key_id,
  name: key.name,
  use: key.powers.includes(runnerPower)
    ? 'runner'
    : key.powers.includes(directoryPower)
      ? 'directory'
      : 'agent',
  last4: key.last4,
  state: stateOf(key),
  created_at: key.created_at,
  last_used_at: key.last_used_at,
  used_today: key.used_today,
  revoked_at: key.revoked_at,
  expires_at: key.expires_at,
  actors: key.actors,
  powers: key.powers,
  kinds: key.kinds,
  networks: key.networks,
  actions_per_day: key.actions_per_day,
  cents_per_day: key.cents_per_day,
  admin_calls_per_day: key.admin_calls_per_day,
  minted_by: key.minted_by,
  rotated_from: key.rotated_from,
})

function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: KeyRow): string {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? 'expired' : 'in force'
}
