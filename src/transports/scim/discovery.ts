import { scimPath } from '../../operations/directory/address.ts'
import { schemaIds } from './messages.ts'

/** What is supported. @source RFC 7643, section 5 */
export const serviceProviderConfig = (base: string, resultsMax: number) => ({
  schemas: [schemaIds.config],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: resultsMax },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Directory token',
      description: 'The token that an administrator of the account makes for its directory.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}${scimPath}/ServiceProviderConfig` },
})

const resourceType = (base: string, name: 'User' | 'Group', schema: string) => ({
  schemas: [schemaIds.resourceType],
  id: name,
  name,
  endpoint: `/${name}s`,
  schema,
  meta: { resourceType: 'ResourceType', location: `${base}${scimPath}/ResourceTypes/${name}` },
})

export const resourceTypes = (base: string) => [
  resourceType(base, 'User', schemaIds.user),
  resourceType(base, 'Group', schemaIds.group),
]

interface Attribute {
  name: string
  type?: 'string' | 'boolean' | 'complex'
  required?: boolean
  multiValued?: boolean
  uniqueness?: 'none' | 'server'
  caseExact?: boolean
  subAttributes?: ReturnType<typeof attribute>[]
}

const attribute = ({ name, type = 'string', ...given }: Attribute): Record<string, unknown> => ({
  name,
  type,
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...given,
})

const schema = (base: string, id: string, name: string, attributes: Record<string, unknown>[]) => ({
  schemas: [schemaIds.schema],
  id,
  name,
  description: name,
  attributes,
  meta: { resourceType: 'Schema', location: `${base}${scimPath}/Schemas/${id}` },
})

const value = attribute({ name: 'value' })

/** The attributes that the gate keeps. It takes others, and does not keep them. */
export const schemas = (base: string) => [
  schema(base, schemaIds.user, 'User', [
    attribute({ name: 'userName', required: true, uniqueness: 'server' }),
    attribute({ name: 'displayName' }),
    attribute({ name: 'name', type: 'complex', subAttributes: [attribute({ name: 'formatted' })] }),
    attribute({
      name: 'emails',
      type: 'complex',
      multiValued: true,
      subAttributes: [value, attribute({ name: 'type' }), attribute({ name: 'primary', type: 'boolean' })],
    }),
    attribute({ name: 'active', type: 'boolean' }),
  ]),
  schema(base, schemaIds.group, 'Group', [
    attribute({ name: 'displayName', required: true, uniqueness: 'server' }),
    attribute({
      name: 'members',
      type: 'complex',
      multiValued: true,
      subAttributes: [value, attribute({ name: 'display' })],
    }),
  ]),
]

/** One of a list, by its id, without regard to case; undefined if there is none. Pure. */
export const named = <T extends { id: string }>(list: T[], id: string): T | undefined =>
  list.find((one) => one.id.toLowerCase() === id.toLowerCase())
