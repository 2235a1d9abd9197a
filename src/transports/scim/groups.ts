import type { FastifyRequest } from 'fastify'
import type { AdminContext } from '../../operations/admin-context.ts'
import {
  findGroups,
  membersOf,
  putGroup,
  readDirectoryGroup,
  removeGroupOfDirectory,
} from '../../operations/directory/groups.ts'
import { conditionsIn } from './filter.ts'
import { type Served, idIn, pageIn, texts, wantsMembers } from './http.ts'
import { listOf, viewGroup } from './messages.ts'
import { patchedGroup, wholeGroup } from './patch.ts'

/** Groups in one answer; with their members, of which a group can have thousands, fewer. */
const groupsMax = 200
const groupsWithMembersMax = 20

const groupAttributes = {
  id: 'id',
  externalid: 'externalId',
  displayname: 'name',
  members: 'memberId',
  'members.value': 'memberId',
} as const

/** Groups that the directory made. @param base  where the API is */
export function groupsServed(base: () => string): Record<'/Groups' | '/Groups/:id', Served> {
  const readGroup = async (context: AdminContext, id: string, request: FastifyRequest) => {
    const group = await readDirectoryGroup(context, id)
    const members = wantsMembers(request) ? await membersOf(context, [group]) : undefined
    return viewGroup(base(), group, members && (members.get(id) ?? []))
  }
  return {
    '/Groups': {
      async GET(context, request) {
        const isWhole = wantsMembers(request)
        const { filter, ...page } = pageIn(request, isWhole ? groupsWithMembersMax : groupsMax)
        const { total, rows } = await findGroups(context, texts(conditionsIn(filter, groupAttributes)), page)
        const members = isWhole ? await membersOf(context, rows) : undefined
        const resources = rows.map((row) =>
          viewGroup(base(), row, members && (members.get(row.group_id) ?? [])),
        )
        return listOf(resources, total, page.skipRows + 1)
      },
      async POST(context, request, reply) {
        const made = await readGroup(
          context,
          await putGroup(context, null, wholeGroup(request.body)),
          request,
        )
        return reply.code(201).header('location', made.meta.location).send(made)
      },
    },
    '/Groups/:id': {
      GET: async (context, request) => readGroup(context, idIn(request), request),
      async PUT(context, request) {
        const id = await putGroup(context, idIn(request), wholeGroup(request.body))
        return readGroup(context, id, request)
      },
      async PATCH(context, request, reply) {
        await putGroup(context, idIn(request), patchedGroup(request.body))
        return reply.code(204).send()
      },
      async DELETE(context, request, reply) {
        await removeGroupOfDirectory(context, idIn(request))
        return reply.code(204).send()
      },
    },
  }
}
