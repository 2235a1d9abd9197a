import type { DirectoryGroup } from '../../operations/directory/groups.ts'
import { scimPath } from '../../operations/directory/address.ts'
import type { DirectoryUser } from '../../operations/directory/users.ts'

// What is answered over SCIM 2.0. @source RFC 7643, RFC 7644

export const schemaIds = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
  error: 'urn:ietf:params:scim:api:messages:2.0:Error',
  config: 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig',
  resourceType: 'urn:ietf:params:scim:schemas:core:2.0:ResourceType',
  schema: 'urn:ietf:params:scim:schemas:core:2.0:Schema',
} as const

/** A user as the directory reads it, active or not. Pure. @param base  where the API is, without a slash at the end */
export const viewUser = (base: string, user: DirectoryUser) => ({
  schemas: [schemaIds.user],
  id: user.member_id,
  ...(user.external_id === null ? {} : { externalId: user.external_id }),
  userName: user.user_name,
  displayName: user.name,
  name: { formatted: user.name },
  ...(user.email === null ? {} : { emails: [{ value: user.email, type: 'work', primary: true }] }),
  active: user.is_active,
  meta: {
    resourceType: 'User',
    created: user.created_at.toISOString(),
    lastModified: user.changed_at.toISOString(),
    location: `${base}${scimPath}/Users/${user.member_id}`,
  },
})

/** A group as the directory reads it. Pure. @param members  undefined: they were not asked for */
export const viewGroup = (
  base: string,
  group: DirectoryGroup,
  members: { member_id: string; name: string }[] | undefined,
) => ({
  schemas: [schemaIds.group],
  id: group.group_id,
  ...(group.external_id === null ? {} : { externalId: group.external_id }),
  displayName: group.name,
  ...(members === undefined
    ? {}
    : { members: members.map(({ member_id: value, name: display }) => ({ value, display, type: 'User' })) }),
  meta: {
    resourceType: 'Group',
    created: group.created_at.toISOString(),
    location: `${base}${scimPath}/Groups/${group.group_id}`,
  },
})

/** A page of resources. Pure. @param startIndex  from 1 */
export const listOf = (resources: unknown[], total = resources.length, startIndex = 1) => ({
  schemas: [schemaIds.list],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})
