import type { Attempt } from '../../company/issuers.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { parseExactJson } from '../../gate/json/exact-json.ts'
import { open, seal } from '../../secrets/seal.ts'

type Keys = Pick<Deps, 'secretsKeys'>

/** A sign-in that a browser began, and with which provider. */
export interface BegunAttempt extends Attempt {
  account: string
  issuer: string
  /** The token of the session that the new one replaces. */
  former: string | null
}

/** Seals it for the browser, which can neither read nor change it. @throws GateError `unavailable` without SECRETS_KEYS */
export const sealAttempt = (keys: Keys, attempt: BegunAttempt): Promise<string> =>
  sealText(keys, attempt.account, 'attempt', JSON.stringify(attempt))

/** Opens it; undefined where it was changed, or belongs to another account. */
export async function openAttempt(
  keys: Keys,
  account: string,
  sealed: string,
): Promise<BegunAttempt | undefined> {
  const text = await openText(keys, account, 'attempt', sealed).catch(() => undefined)
  return text === undefined ? undefined : (parseExactJson(text) as BegunAttempt)
}

/** Seals a text into one that a cookie can hold. @throws GateError `unavailable` without SECRETS_KEYS */
export async function sealText(
  { secretsKeys }: Keys,
  account: string,
  field: string,
  text: string,
): Promise<string> {
  if (!secretsKeys)
    throw new GateError('unavailable', 'This service cannot keep secrets: SECRETS_KEYS is not set.')
  const { kid, wrappedKey, ciphertext } = await seal(secretsKeys, placeOf(account, field), text)
  return [kid, wrappedKey.toString('base64url'), ciphertext.toString('base64url')].join('.')
}

/** @throws Error where it was changed, belongs elsewhere, or its key is unknown */
export async function openText(
  { secretsKeys }: Keys,
  account: string,
  field: string,
  sealed: string,
): Promise<string> {
  const [kid = '', wrappedKey = '', ciphertext = ''] = sealed.split('.')
  return open(secretsKeys!, placeOf(account, field), {
    kid,
    wrappedKey: Buffer.from(wrappedKey, 'base64url'),
    ciphertext: Buffer.from(ciphertext, 'base64url'),
  })
}

const placeOf = (account: string, field: string) => ({ account, integration: 'company_sign_in', field })
