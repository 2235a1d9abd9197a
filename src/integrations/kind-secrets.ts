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

/** Decrypts the secrets of a kind, in their order. Empty where there are none, or one cannot be decrypted, which is logged. */
export type OpenKindSecrets = (
  account: string,
  kind: string,
  sealed: readonly SealedKindSecret[],
) => Promise<string[]>

export function openKindSecrets(options: {
  keys: KeyProvider | undefined
  log: Pick<Logger, 'error'>
}): OpenKindSecrets {
  const { keys, log } = options
  return async (account, kind, sealed) => {
    try {
      if (!keys) throw new Error('SECRETS_KEYS is not set, but a kind has a secret')
      return await Promise.all(
        sealed.map(({ secretId, ...one }) => open(keys, kindSecretPlace(account, kind, secretId), one)),
      )
    } catch (error) {
      log.error({ err: error, account, kind }, 'a secret of a kind could not be decrypted')
      return []
    }
  }
}
