import { z } from 'zod'
import {
  type CompanyRow,
  type CompanySettings,
  type RoleValues,
  readCompany,
  removeCompany as remove,
  setCompany as store,
} from '../../db/queries/accounts/company.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { SecretPlace } from '../../secrets/seal.ts'
import { open, seal } from '../../secrets/seal.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import { line } from '../entered-fields.ts'

export type { CompanySettings }

/** Values of a claim, one a line, as a person enters them. */
const values = z
  .string()
  .transform((text) => [...new Set(text.split(/[\n,]/).map((one) => one.trim()))].filter((one) => one !== ''))
  .pipe(z.array(line(256)).max(20, 'must name at most 20 values'))

/** Claims that are no identity. @source OpenID Connect Core 1.0, section 5.7 */
const changeable = ['email', 'phone_number', 'preferred_username', 'name', 'nickname', 'upn', 'unique_name']

/** What an administrator enters. */
export const companyForm = {
  issuer: line(limits.executorUrlCharsMax),
  client_id: line(256),
  roles_claim: line(256),
  roles: values,
  directory_claim: line(256).refine(
    (name) => !changeable.includes(name),
    'must be a claim that its person cannot change, such as sub or oid',
  ),
  acr: values.pipe(z.array(z.string().regex(/^\S+$/, 'must have no spaces')).max(10, 'must name at most 10')),
  secret: line(1_024),
}

/** The provider of the account; undefined if it has none. */
export const companyOf = ({ db, account }: AccountContext): Promise<CompanyRow | undefined> =>
  readCompany(db, account)

/** @throws GateError `not_found` */
export async function requireCompany(context: AccountContext): Promise<CompanyRow> {
  const found = await companyOf(context)
  if (!found) throw new GateError('not_found', 'This account has no sign-in with a company.')
  return found
}

/**
 * Sets the provider. It is asked first, so that a wrong address is refused at once.
 * @param secret  undefined: the one that is stored
 * @throws GateError `invalid`, `conflict` without SECRETS_KEYS, or where nobody has signed in with it and it would be the only way
 */
export async function setCompany(
  deps: Pick<Deps, 'issuers' | 'secretsKeys'>,
  context: AdminContext,
  settings: CompanySettings,
  secret: string | undefined,
): Promise<void> {
  const { secretsKeys: keys, issuers } = deps
  if (!keys)
    throw new GateError(
      'conflict',
      'This service cannot store secrets. Its operator must set SECRETS_KEYS. Nothing was recorded.',
    )
  const fault = issuers.fault(settings.issuer)
  if (fault !== undefined) throw new GateError('invalid', `issuer ${fault}.`, { param: 'issuer' })
  await issuers.check({ account: context.account, ...settings }).catch(() => {
    throw new GateError(
      'invalid',
      'issuer does not answer as an OpenID provider with this address: it must serve /.well-known/openid-configuration and name itself exactly so.',
      { param: 'issuer' },
    )
  })
  const sealed =
    secret === undefined ? null : await seal(keys, secretPlace(context.account, settings.issuer), secret)
  const outcome = await store(context.db, { ...writeOf(context), settings, secret: sealed })
  if (outcome === 'secret_needed')
    throw new GateError('invalid', 'secret is required for another issuer or client.', { param: 'secret' })
  if (outcome === 'not_by_company')
    throw new GateError(
      'conflict',
      'Only somebody who signed in with the company can make it the only way in. Sign in with it, and set this again.',
    )
}

/** Removes the provider; sessions that it began end. @throws GateError `not_found` */
export async function removeCompany(context: AdminContext): Promise<void> {
  await requireCompany(context)
  await remove(context.db, writeOf(context))
}

/** The secret of the client. @throws Error if it cannot be decrypted */
export async function clientSecret(
  { secretsKeys }: Pick<Deps, 'secretsKeys'>,
  account: string,
  { issuer, ciphertext, wrapped_key: wrappedKey, kid }: CompanyRow,
): Promise<string> {
  if (!secretsKeys)
    throw new GateError('unavailable', 'This service cannot read secrets: SECRETS_KEYS is not set.')
  return open(secretsKeys, secretPlace(account, issuer), { ciphertext, wrappedKey, kid })
}

const secretPlace = (account: string, issuer: string): SecretPlace => ({
  account,
  integration: 'company_sign_in',
  field: `secret of ${issuer}`,
})

/**
 * The role that a token says; null if it has no value that means one. The first of administrator, auditor and member counts. Pure.
 */
export function roleIn(
  claims: Record<string, unknown>,
  { roles_claim: name, roles }: Pick<CompanySettings, 'roles_claim' | 'roles'>,
): keyof RoleValues | null {
  if (name === null || !Object.hasOwn(claims, name)) return null
  const told = claims[name]
  const said = Array.isArray(told) ? told : [told]
  const means = (role: keyof RoleValues) => roles[role]?.some((value) => said.includes(value)) ?? false
  return (['administrator', 'auditor', 'member'] as const).find(means) ?? null
}

/** Whom the directory knows the person of a token as; null where the account does not ask it, or the token does not say. Pure. */
export function externalIdIn(
  claims: Record<string, unknown>,
  { directory_claim: name }: Pick<CompanySettings, 'directory_claim'>,
): string | null {
  const told = name !== null && Object.hasOwn(claims, name) ? claims[name] : null
  return typeof told === 'string' && told !== '' ? told : null
}
