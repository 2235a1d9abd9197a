import { type GivenUser, findUsers, putUser, readUser, removeUser } from '../../operations/directory/users.ts'
import type { AdminContext } from '../../operations/admin-context.ts'
import { attributesOf, userIn } from './attributes.ts'
import { conditionsIn } from './filter.ts'
import { type Served, idIn, pageIn, texts } from './http.ts'
import { listOf, viewUser } from './messages.ts'
import { patchedUser } from './patch.ts'

/** Users in one answer. */
export const usersMax = 200

/** Attributes in filters, in lower case. */
const userAttributes = {
  id: 'id',
  externalid: 'externalId',
  username: 'userName',
  emails: 'email',
  'emails.value': 'email',
  'emails[type eq "work"].value': 'email',
  active: 'active',
} as const

/** Members whom the directory manages, active or not. @param base  where the API is */
export function usersServed(base: () => string): Record<'/Users' | '/Users/:id', Served> {
  const put = async (context: AdminContext, id: string | null, given: GivenUser) =>
    viewUser(base(), await readUser(context, await putUser(context, id, given)))
  return {
    '/Users': {
      async GET(context, request) {
        const { filter, ...page } = pageIn(request, usersMax)
        const { active, ...asked } = conditionsIn(filter, userAttributes)
        const isActive = active === undefined ? {} : { isActive: String(active) === 'true' }
        const { total, rows } = await findUsers(context, { ...texts(asked), ...isActive }, page)
        const resources = rows.map((row) => viewUser(base(), row))
        return listOf(resources, total, page.skipRows + 1)
      },
      async POST(context, request, reply) {
        const made = await put(context, null, userIn(attributesOf(request.body), true))
        return reply.code(201).header('location', made.meta.location).send(made)
      },
    },
    '/Users/:id': {
      GET: async (context, request) => viewUser(base(), await readUser(context, idIn(request))),
      PUT: async (context, request) => put(context, idIn(request), userIn(attributesOf(request.body), true)),
      PATCH: async (context, request) =>
        put(context, idIn(request), userIn(patchedUser(request.body), false)),
      async DELETE(context, request, reply) {
        await removeUser(context, idIn(request))
        return reply.code(204).send()
      },
    },
  }
}
