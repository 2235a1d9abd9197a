import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { GivenUser } from '../../operations/directory/users.ts'
import { email, line } from '../../operations/entered-fields.ts'

/** Attributes by their name in lower case: names of SCIM have no case. */
export type Attributes = Map<string, unknown>

const idCharsMax = 255

/** What a resource says, with the parts of `name` as `name.givenname`. Pure. @throws GateError `invalid` */
export function attributesOf(resource: unknown): Attributes {
  const read = z.record(z.string(), z.unknown()).safeParse(resource)
  if (!read.success) throw new GateError('invalid', 'The resource must be an object.')
  const found: Attributes = new Map()
  for (const [name, value] of Object.entries(read.data)) put(found, name, value)
  return found
}

/** Sets an attribute; those that the gate does not keep, too: nothing reads them. */
export function put(attributes: Attributes, name: string, value: unknown): void {
  const key = withoutUrn(name).toLowerCase()
  if (key !== 'name' || typeof value !== 'object' || value === null) return void attributes.set(key, value)
  for (const [part, text] of Object.entries(value)) attributes.set(`name.${part.toLowerCase()}`, text)
}

/** The name of an attribute without the schema in front of it, as directories may write it. Pure. */
export const withoutUrn = (name: string): string =>
  name.replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i, '')

/**
 * What attributes say of a user. Null and absent are the same.
 * @param isWhole  they are all there is: then the name and the mailbox fall back on others
 * @throws GateError `invalid` with the attribute
 */
export function userIn(attributes: Attributes, isWhole: boolean): GivenUser {
  const userName = read(attributes, 'userName', line(limits.emailCharsMax))
  const given = read(attributes, 'name.givenName', z.string().max(limits.nameCharsMax))
  const family = read(attributes, 'name.familyName', z.string().max(limits.nameCharsMax))
  const parts = [given, family].filter((part) => part !== undefined && part !== '')
  const joined = parts.length === 2 || (isWhole && parts.length === 1) ? parts.join(' ') : undefined
  if (isWhole && userName === undefined)
    throw new GateError('invalid', 'userName is required.', { param: 'userName' })
  const name =
    read(attributes, 'displayName', line(limits.nameCharsMax)) ??
    read(attributes, 'name.formatted', line(limits.nameCharsMax)) ??
    joined ??
    (isWhole ? userName : undefined)
  const mailbox = mailboxIn(attributes)
  return {
    externalId: externalIdIn(attributes),
    userName,
    name: name?.slice(0, limits.nameCharsMax),
    email: isWhole ? mailbox || (email.safeParse(userName).data ?? mailbox) : mailbox,
    isActive: read(attributes, 'active', flag),
  }
}

export const externalIdIn = (attributes: Attributes): string | undefined =>
  attributes.get('externalid') === '' ? '' : read(attributes, 'externalId', line(idCharsMax))

/** Entra sends "False" as a text. */
const flag = z
  .union([z.boolean(), z.string().regex(/^(true|false)$/i)], 'must be true or false')
  .transform((value) => (typeof value === 'string' ? value.toLowerCase() === 'true' : value))

const mailboxes = z
  .array(
    z.object({
      value: z.string().optional(),
      type: z.string().optional(),
      primary: z.union([z.boolean(), z.string()]).optional(),
    }),
  )
  .max(20)

/** The mailbox of a user: the primary one, else that of their work, else the first. An empty text: none any more. */
function mailboxIn(attributes: Attributes): string | undefined {
  const alone =
    attributes.get('emails[type eq "work"].value') ?? attributes.get('emails[primary eq true].value')
  if (alone === '') return ''
  if (alone !== undefined) return parsed('emails', email, alone)
  const all = read(attributes, 'emails', mailboxes)
  const one =
    all?.find(({ primary }) => String(primary).toLowerCase() === 'true') ??
    all?.find(({ type }) => type?.toLowerCase() === 'work') ??
    all?.[0]
  if (one?.value === undefined) return all?.length === 0 ? '' : undefined
  return parsed('emails', email, one.value)
}

/** Reads an attribute. @throws GateError `invalid` */
export function read<T extends z.ZodType>(
  attributes: Attributes,
  name: string,
  schema: T,
): z.output<T> | undefined {
  const value = attributes.get(name.toLowerCase())
  return value === undefined || value === null ? undefined : parsed(name, schema, value)
}

function parsed<T extends z.ZodType>(name: string, schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new GateError('invalid', `${name} ${result.error.issues[0]!.message}.`, { param: name })
}
