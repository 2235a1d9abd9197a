import { limits } from '../../limits.ts'
import { line } from '../../operations/entered-fields.ts'
import {
  changeGroupMembers,
  createGroup,
  listGroups,
  readGroup,
  readGroupMembers,
  removeGroup,
  renameGroup,
} from '../../operations/groups/groups.ts'
import { groupId, memberId } from '../../operations/ids.ts'
import { requireMember } from '../../operations/members/require-member.ts'
import { requireAccount } from '../../operations/require-account.ts'
import { account } from '../account-option.ts'
import { adminContextOf } from '../context.ts'
import { who } from '../options.ts'
import { defineVerb, optional, required } from '../verb.ts'

const name = required('NAME', line(limits.nameCharsMax), 'Name of the group', 'Finance leads')
const group = required('GROUP_ID', groupId, 'Id of the group, see `gate group list`', 'grp_0123456789abcdef')
const member = { account, group, ...who }

export const groupVerbs = {
  create: defineVerb({
    summary: 'Create a group of members, for rules about who must approve',
    options: { account, name },
    async run(context, given) {
      await requireAccount(context.db(), given.account)
      return { group: await createGroup(adminContextOf(context, given.account), given.name) }
    },
  }),

  list: defineVerb({
    summary: 'List all groups, with how many members they have',
    options: { account },
    empty: (of) => `No groups. Create one with \`gate group create${of} --name NAME\`.`,
    async run(context, given) {
      const groups = await listGroups(adminContextOf(context, given.account))
      return groups.map(({ group_id: id, ...rest }) => ({ group: id, ...rest }))
    },
  }),

  show: defineVerb({
    summary: `Show the members of a group, ${limits.pageRowsMax} at a time`,
    options: {
      account,
      group,
      after: optional('MEMBER_ID', memberId, 'The last member of the page before', 'mem_0123456789abcdef'),
    },
    empty: () => 'No members.',
    async run(context, given) {
      const administration = adminContextOf(context, given.account)
      await readGroup(administration, given.group)
      const page = { groupId: given.group, after: given.after ?? '', limitRows: limits.pageRowsMax }
      return readGroupMembers(administration, page)
    },
  }),

  rename: defineVerb({
    summary: 'Rename a group; policies name it by its id, so nothing else changes',
    options: { account, group, name },
    async run(context, given) {
      await renameGroup(adminContextOf(context, given.account), given.group, given.name)
      return { group: given.group, name: given.name }
    },
  }),

  remove: defineVerb({
    summary: 'Remove a group; refused while the policy in force names it',
    options: { account, group },
    async run(context, given) {
      await removeGroup(adminContextOf(context, given.account), given.group)
      return { group: given.group, removed: true }
    },
  }),

  'add-member': defineVerb({
    summary: 'Add a member to a group',
    options: member,
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const { memberId: id } = await requireMember(context.db(), given)
      await changeGroupMembers(adminContextOf(context, given.account), given.group, { add: [id] })
      return { group: given.group, member_id: id, in_group: true }
    },
  }),

  'remove-member': defineVerb({
    summary: 'Remove a member from a group',
    options: member,
    exactlyOne: [['email', 'slack']],
    async run(context, given) {
      const { memberId: id } = await requireMember(context.db(), given)
      await changeGroupMembers(adminContextOf(context, given.account), given.group, { remove: [id] })
      return { group: given.group, member_id: id, in_group: false }
    },
  }),
}
