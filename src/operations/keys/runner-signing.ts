import { type SigningRow, type StoredSigning, readSigning } from '../../db/queries/runner/runner-signing.ts'
import type { Db } from '../../db/connect.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type Signer, signingOf } from '../../keys/hook-signature.ts'
import type { KeyProvider } from '../../secrets/key-provider.ts'
import { type SealedSecret, type SecretPlace, open, rewrap, seal } from '../../secrets/seal.ts'

/**
 * What is stored of a new runner key so that the gate can check its signatures.
 * @param keys  undefined where the service has no SECRETS_KEYS: then it is stored as it is
 */
export async function storedSigning(
  keys: KeyProvider | undefined,
  { account, keyId, apiKey }: { account: string; keyId: string; apiKey: string },
): Promise<StoredSigning> {
  const { name, secret } = signingOf(apiKey)
  if (!keys) return { name, secret: { plain: secret } }
  return { name, secret: await seal(keys, placeOf(account, keyId), secret.toString('base64')) }
}

/**
 * The key that a signed request names, whether it is valid or not; undefined if there is none.
 * @throws GateError `unavailable` where its secret cannot be decrypted
 */
export async function findSigner(
  deps: Pick<Deps, 'db' | 'secretsKeys' | 'kept' | 'log'>,
  name: Buffer,
): Promise<Signer | undefined> {
  const row = await readSigning(deps.db, name)
  if (!row) return undefined
  const signer = { hash: row.hash, secret: await secretIn(deps, row) }
  deps.kept.signers.keep(signer, name)
  return signer
}

async function secretIn(
  { secretsKeys, log }: Pick<Deps, 'secretsKeys' | 'log'>,
  { account_id: account, key_id: keyId, ciphertext, wrapped_key: wrappedKey, kid }: SigningRow,
): Promise<Buffer> {
  if (kid === null || wrappedKey === null) return ciphertext
  try {
    if (!secretsKeys) throw new Error('SECRETS_KEYS is not set')
    const text = await open(secretsKeys, placeOf(account, keyId), { ciphertext, wrappedKey, kid })
    return Buffer.from(text, 'base64')
  } catch (error) {
    log.error(
      { err: error, account, key: keyId },
      'the signing secret of a runner key could not be decrypted',
    )
    throw new GateError(
      'unavailable',
      'The gate cannot check the signature of this runner key now. Try again.',
    )
  }
}

/** Encrypts a signing secret under the first key of the ring, whether it was encrypted before or not. */
export async function sealAgain(
  keys: KeyProvider,
  account: string,
  { key_id: keyId, ciphertext, wrapped_key: wrappedKey, kid }: Omit<SigningRow, 'account_id' | 'hash'>,
): Promise<SealedSecret> {
  if (kid === null || wrappedKey === null)
    return seal(keys, placeOf(account, keyId), ciphertext.toString('base64'))
  return { ciphertext, ...(await rewrap(keys, account, { kid, wrappedKey })) }
}

/** Whether the gate can check what is signed with a key: not where it was minted by a former version. */
export const canSign = async (db: Db, apiKey: string): Promise<boolean> =>
  (await readSigning(db, signingOf(apiKey).name)) !== undefined

const placeOf = (account: string, keyId: string): SecretPlace => ({
  account,
  integration: 'runner key',
  field: keyId,
})
