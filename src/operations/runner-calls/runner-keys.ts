import { type KeyRights, runnerPower } from '../../keys/rights.ts'
import type { AdminContext } from '../admin-context.ts'
import type { MemberName } from '../entered-fields.ts'
import type { MintedKey, SecretsKeys } from '../keys/new-key.ts'
import { mintKey } from '../keys/mint-key.ts'

/** Whether a key is one of an agent runner. */
export const isRunnerKey = ({ powers }: Pick<KeyRights, 'powers'>): boolean => powers.includes(runnerPower)

/**
 * Makes the key of an agent runner: it asks about the tool calls of one member, and can do nothing else.
 * @param given.label  the machine or runner that uses it, by which people recognize it
 * @param given.secretsKeys  as for `mintKey`
 * @throws GateError as `mintKey`
 */
export async function mintRunnerKey(
  context: AdminContext,
  given: {
    label: string
    member: MemberName
    expiresAt: Date | null
    networks: string[]
    secretsKeys: SecretsKeys
  },
): Promise<MintedKey> {
  const { label, member, expiresAt, networks, secretsKeys } = given
  return mintKey(context, {
    name: label,
    expiresAt,
    actors: [member],
    secretsKeys,
    rights: { powers: [runnerPower], networks: networks.length === 0 ? null : networks },
  })
}
