import { z } from 'zod'
import { limits } from '../../limits.ts'
import { line } from '../entered-fields.ts'
import {
  changeGroupMembers,
  createGroup as create,
  listGroups as list,
  readGroup,
  readGroupMembers,
  removeGroup as remove,
  renameGroup as rename,
} from '../groups/groups.ts'
import { groupId } from '../ids.ts'
import { defineAdmin } from './admin-operation.ts'
import { Document, listOf, member, memberOf, page } from './parts.ts'

const path = '/api/v1/admin/groups'
const name = line(limits.nameCharsMax)
const group = 'grp_0123456789abcdef'

const listGroups = defineAdmin({
  name: 'list_groups',
  title: 'List groups',
  summary: 'Lists the groups of members, with how many members they have.',
  http: { method: 'GET', path },
  power: 'admin:groups.read',
  input: z.strictObject({}),
  output: listOf('groups'),
  errors: ['forbidden'],
  example: { input: {}, output: { groups: [{ group, name: 'Finance leads' }] } },
  run: async (context) => ({
    groups: (await list(context)).map(({ group_id: id, ...rest }) => ({ group: id, ...rest })),
  }),
})

const listGroupMembers = defineAdmin({
  name: 'list_group_members',
  title: 'List the members of a group',
  summary: 'Lists the members of a group by their id; the last one is `after` of the next page.',
  http: { method: 'GET', path: `${path}/{group}/members`, integers: ['limit'] },
  power: 'admin:groups.read',
  input: z.strictObject({ group: groupId, ...page }),
  output: listOf('members'),
  errors: ['forbidden', 'not_found', 'invalid'],
  example: { input: { group }, output: { members: [{ member_id: 'mem_0a1B2c3D4e5F6g7H' }] } },
  async run(context, given) {
    await readGroup(context, given.group)
    const rows = { groupId: given.group, after: given.after, limitRows: given.limit }
    return { members: await readGroupMembers(context, rows) }
  },
})

const createGroup = defineAdmin({
  name: 'create_group',
  title: 'Create a group',
  summary: 'Creates a group of members, for rules about who must approve.',
  http: { method: 'POST', path },
  power: 'admin:groups.write',
  input: z.strictObject({ name }),
  output: Document,
  errors: ['forbidden', 'conflict', 'invalid'],
  example: { input: { name: 'Finance leads' }, output: { group } },
  run: async (context, given) => ({ group: await create(context, given.name) }),
})

const renameGroup = defineAdmin({
  name: 'rename_group',
  title: 'Rename a group',
  summary: 'Renames a group; policies name it by its id.',
  http: { method: 'POST', path: `${path}/{group}` },
  power: 'admin:groups.write',
  input: z.strictObject({ group: groupId, name }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { group, name: 'Finance' }, output: { group, name: 'Finance' } },
  async run(context, given) {
    await rename(context, given.group, given.name)
    return given
  },
})

const removeGroup = defineAdmin({
  name: 'remove_group',
  title: 'Remove a group',
  summary: 'Removes a group; refused while the policy in force names it.',
  http: { method: 'POST', path: `${path}/{group}/remove` },
  power: 'admin:groups.write',
  input: z.strictObject({ group: groupId }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { group }, output: { group, removed: true } },
  async run(context, given) {
    await remove(context, given.group)
    return { group: given.group, removed: true }
  },
})

const membership = (isIn: boolean) =>
  defineAdmin({
    name: isIn ? 'add_group_member' : 'remove_group_member',
    title: isIn ? 'Add a member to a group' : 'Remove a member from a group',
    summary: isIn ? 'Adds a member to a group.' : 'Removes a member from a group.',
    http: { method: 'POST', path: `${path}/{group}/members${isIn ? '' : '/remove'}` },
    power: 'admin:groups.write',
    input: z.strictObject({ group: groupId, member }),
    output: Document,
    errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
    example: {
      input: { group, member: 'grace@example.com' },
      output: { group, member_id: 'mem_0a1B2c3D4e5F6g7H', in_group: isIn },
    },
    async run(context, given) {
      const { memberId } = await memberOf(context, given.member)
      await changeGroupMembers(context, given.group, isIn ? { add: [memberId] } : { remove: [memberId] })
      return { group: given.group, member_id: memberId, in_group: isIn }
    },
  })

export const groupOperations = {
  listGroups,
  listGroupMembers,
  createGroup,
  renameGroup,
  removeGroup,
  addGroupMember: membership(true),
  removeGroupMember: membership(false),
}
