import type { Logger } from 'pino'
import type { SealedKindSecret } from '../db/queries/executors/executor-calls.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import { type SecretPlace, open } from '../secrets/seal.ts'

/** What the secret of a kind is bound to. */
export const kindSecretPlace = (account: string, kind: string, secretId: string): SecretPlace => ({
  account,
  integration: `kind:${kind}`,
  field: secretId,
})

/**
 * Decrypts the secrets of a kind, in their order.
 * @returns empty where there are none, or no key is configured that could decrypt them; `undefined` where one cannot be decrypted
 *   now, which is logged: it may be later
 */
export type OpenKindSecrets = (
  account: string,
  kind: string,
  sealed: readonly SealedKindSecret[],
) => Promise<string[] | undefined>

export function openKindSecrets(options: {
  keys: KeyProvider | undefined
  log: Pick<Logger, 'error'>
}): OpenKindSecrets {
  const { keys, log } = options
  return async (account, kind, sealed) => {
    if (!keys) {
      log.error({ account, kind }, 'a kind is called by nobody: SECRETS_KEYS is not set')
      return []
    }
    try {
      return await Promise.all(
        sealed.map(({ secretId, ...one }) => open(keys, kindSecretPlace(account, kind, secretId), one)),
      )
    } catch (error) {
      log.error({ err: error, account, kind }, 'a secret of a kind could not be decrypted')
      return undefined
    }
  }
}
