import { rotateKindSecret as rotate } from '../../db/queries/executors/kind-secrets.ts'
import { GateError, OutcomeUnknown } from '../../errors.ts'
import { newWebhookSecret } from '../../executors/signature.ts'
import { kindSecretPlace } from '../../integrations/kind-secrets.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import type { KeyProvider } from '../../secrets/key-provider.ts'
import { seal } from '../../secrets/seal.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'

/** How long a replaced secret still signs. */
const kindSecretOverlapMs = 86_400_000

/**
 * Makes the secret that signs the calls of a kind. Only its encrypted form is kept: the answer is the only place where it can be
 * read. The secret before it stays valid for a day, so that the executor can change over.
 * @throws GateError `not_found` where the account has no such kind whose executor is called, `conflict` without SECRETS_KEYS,
 *   OutcomeUnknown where the answer was lost
 */
export async function rotateKindSecret(
  context: AdminContext,
  keys: KeyProvider | undefined,
  kind: string,
): Promise<{ kind: string; secret: string }> {
  if (!keys)
    throw new GateError(
      'conflict',
      'This service cannot store secrets. Its operator must set SECRETS_KEYS. Nothing was recorded.',
    )
  const secret = newWebhookSecret()
  const secretId = `sec_${randomBase62(16)}`
  const rotation = {
    ...writeOf(context),
    kind,
    secretId,
    sealed: await seal(keys, kindSecretPlace(context.account, kind, secretId), secret),
    overlapMs: kindSecretOverlapMs,
  }
  const outcome = await rotate(context.db, rotation).catch((error: unknown) => {
    throw error instanceof OutcomeUnknown
      ? new OutcomeUnknown('this rotation', 'Rotate again: nobody knows the secret that may have been made.')
      : error
  })
  if (outcome === 'missing')
    throw new GateError('not_found', `Kind ${kind} with a webhook was not found in this account.`)
  return { kind, secret }
}
